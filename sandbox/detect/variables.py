"""Which of the variables that a repository sets its tests are given here, whatever their language."""

import re
from collections.abc import Iterable

from sandbox.detect.shell import ROOT, UNKNOWN, below

MAX_VARIABLES = 50
MAX_VALUE = 1000

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET = re.compile(r"TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|CREDENTIAL|PRIVATE", re.IGNORECASE)
_CREDENTIALS = re.compile(r"://[^/@\s]*:[^/@\s]*@")
# What belongs to the machine, or to how output looks.
_EXACT = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "CI", "TMP", "TEMP", "TMPDIR", "LANG", "LANGUAGE", "PWD", "OLDPWD"}
)
_EXACT |= {"FORCE_COLOR", "PY_COLORS", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS", "LINES"}
# What a shell, a loader or an interpreter reads before any test.
_EXACT |= {"ENV", "IFS", "CDPATH", "PS4", "PROMPT_COMMAND", "SHELLOPTS", "GLOBIGNORE", "GCONV_PATH", "LOCPATH"}
_EXACT |= {"NLSPATH", "GLIBC_TUNABLES", "GETCONF_DIR", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "CLASSPATH"}
_EXACT |= {"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "VIRTUAL_ENV", "NODE_PATH"}
# Where clients connect.
_EXACT |= {"NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "REQUESTS_CA_BUNDLE", "HOSTALIASES", "LOCALDOMAIN"}
_EXACT |= {"RES_OPTIONS", "RESOLV_HOST_CONF", "TOXENV", "NOXSESSION", "GOFLAGS", "GOENV", "GOPROXY", "GOSUMDB"}
_EXACT |= {"GOPRIVATE", "GOINSECURE", "GONOPROXY", "GONOSUMDB", "GOTOOLCHAIN", "GOPATH", "GOCACHE", "GOROOT", "GOBIN"}
_PREFIXES: tuple[str, ...] = ("LC_", "LD_", "DYLD_", "MALLOC_", "BASH", "GITHUB_", "RUNNER_", "ACTIONS_", "GIT_")
_PREFIXES += ("SSH_", "DOCKER_", "PIP_", "PIPENV_", "UV_", "TOX_", "NOX_", "POETRY_", "PDM_", "HATCH_", "CONDA_")
_PREFIXES += ("CODECOV_", "COVERALLS_", "COVERAGE_", "REGREEN", "SSL_", "OPENSSL_", "CURL_", "NPM_", "YARN_", "PNPM_")
_PREFIXES += ("COREPACK_", "SETUPTOOLS_", "DISTUTILS_", "_PYTHON_", "PYTHON", "PYTEST_", "NODE_OPTIONS")
_SUFFIXES = ("_PROXY", "_INDEX_URL")
_READABLE = {
    "PYTHONPATH": re.compile(r".+", re.DOTALL),
    # A category with a dot is a module, which is imported before anything else is.
    "PYTHONWARNINGS": re.compile(r"[a-z]+(?:::[A-Za-z]*)?(?:,[a-z]+(?:::[A-Za-z]*)?)*"),
    # Neither what Node loads first, nor where it listens or whom it trusts.
    "NODE_OPTIONS": re.compile(
        r"(?:--(?:experimental-(?:vm-modules|specifier-resolution=node|json-modules|strip-types|fetch)|no-[\w-]+"
        r"|max[-_]old[-_]space[-_]size=\d+|enable-source-maps|unhandled-rejections=[\w-]+|expose[-_]gc"
        r"|trace-(?:warnings|deprecation|uncaught)|stack-trace-limit=\d+)(?:\s+|$))+"
    ),
}
_READABLE |= dict.fromkeys(
    ("PYTHONUTF8", "PYTHONDEVMODE", "PYTHONUNBUFFERED", "PYTHONASYNCIODEBUG", "PYTHONFAULTHANDLER"),
    re.compile(r"[0-9A-Za-z]*"),
)
_READABLE |= {"PYTHONIOENCODING": re.compile(r"[\w:-]*")}


def kept(variables: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Those that mean something to tests, in their order, the last value of each.

    Left out is what says where clients connect or what a shell or an interpreter loads, what belongs to the machine or
    its tools, what may be a secret or holds one, and what is not known.
    """
    found: dict[str, str] = {}
    for name, value in variables:
        found.pop(name, None)
        if _NAME.fullmatch(name) and _wanted(name, value) and len(found) < MAX_VARIABLES:
            value = _path(value) if name == "PYTHONPATH" else value  # noqa: PLW2901 - the same, below the root
            found |= {name: value} if value or name != "PYTHONPATH" else {}
    return tuple(found.items())


def _wanted(name: str, value: str) -> bool:
    if UNKNOWN in value or "\0" in value or len(value) > MAX_VALUE:
        return False
    if _SECRET.search(name) or _CREDENTIALS.search(value):
        return False
    if readable := _READABLE.get(name):
        return readable.fullmatch(value) is not None
    upper = name.upper()
    return upper not in _EXACT and not upper.startswith(_PREFIXES) and not upper.endswith(_SUFFIXES)


def _path(value: str) -> str:
    """Relative places of a search path are below the root, wherever the suite is started; others are not there."""
    places = (below("", part) for part in value.split(":") if part)
    return ":".join(f"{ROOT}/{place}" if place != "." else ROOT for place in places if place != UNKNOWN)
