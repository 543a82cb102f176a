"""Which of a workflow's variables its tests are given here."""

import re
from collections.abc import Iterable
from posixpath import join, normpath

from sandbox.detect.shell import ROOT, UNKNOWN

MAX_VARIABLES = 50
MAX_VALUE = 1000

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET = re.compile(r"TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|CREDENTIAL|PRIVATE", re.IGNORECASE)
# What belongs to the machine, to the programs that install and measure, or to how output looks.
_OURS: tuple[str, ...] = (
    "PATH",
    "HOME",
    "LANG",
    "LC_",
    "TZ",
    "TMP",
    "TEMP",
    "SHELL",
    "USER",
    "LD_",
    "CI",
    "GITHUB_",
    "RUNNER_",
)
_OURS += ("PIP_", "UV_", "TOX", "NOX", "POETRY_", "PDM_", "HATCH_", "CODECOV", "COVERALLS", "COVERAGE_", "REGREEN")
_OURS += ("FORCE_COLOR", "PY_COLORS", "NO_COLOR", "CLICOLOR", "HTTP_PROXY", "HTTPS_PROXY", "SSL_", "REQUESTS_CA")
# Its options are the command's, which are looked at one by one.
_OURS += ("PYTEST_ADDOPTS", "VIRTUAL_ENV", "PYTHONHOME", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONSTARTUP")


def kept(variables: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Those that mean something to tests; what may be a secret's place or is not known is left out."""
    found: dict[str, str] = {}
    for name, value in variables:
        if _NAME.fullmatch(name) and not name.upper().startswith(_OURS) and not _SECRET.search(name):
            readable = UNKNOWN not in value and "\0" not in value and len(value) <= MAX_VALUE
            if readable and len(found) < MAX_VARIABLES:
                found[name] = _path(value) if name == "PYTHONPATH" else value
    return tuple(sorted(found.items()))


def _path(value: str) -> str:
    """Relative places of a search path are below the root, wherever the suite is started."""
    return ":".join(normpath(join(ROOT, part)) for part in value.split(":") if part)
