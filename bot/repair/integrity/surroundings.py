"""Code that asks where it runs: variables of test runners and CI, callers, the host, the time, the tests' own files."""

import ast
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch

from bot.repair.integrity.added import Added
from bot.repair.integrity.expectations import Expectations, key
from bot.repair.integrity.flag import Flag, Kind

_VARIABLES = frozenset({
    "CI", "CONTINUOUS_INTEGRATION", "GITHUB_ACTIONS", "GITHUB_WORKFLOW", "GITLAB_CI", "TRAVIS", "CIRCLECI", "APPVEYOR",
    "JENKINS_URL", "BUILD_NUMBER", "BUILDKITE", "TEAMCITY_VERSION", "TF_BUILD", "TOX_ENV_NAME", "NOX_ENV", "TESTING",
    "UNDER_TEST", "IS_TEST", "TEST_MODE", "COVERAGE_RUN",
})  # fmt: skip
_HOSTS_VARIABLES = frozenset({"HOME", "USER", "LOGNAME", "HOSTNAME", "SHELL", "PWD", "PYTHONHASHSEED", "VIRTUAL_ENV"})
_RUNNERS = ("PYTEST", "REGREEN", "TOX_", "UNITTEST")
_CALLERS = ("traceback.extract_stack", "traceback.format_stack", "traceback.print_stack", "traceback.walk_stack",
            "inspect.getouterframes", "inspect.trace", "inspect.getframeinfo", "sys._current_frames",
            "sys._getframemodulename", "sys.settrace", "sys.setprofile", "threading.settrace", "threading.setprofile",
            "sys.monitoring")  # fmt: skip
_FRAMES = frozenset(
    {"tb_frame", "f_back", "f_code", "f_locals", "f_globals", "co_name", "co_filename", "gi_frame", "findCaller"}
)
_HOST = (
    "socket.gethostname", "socket.getfqdn", "platform.node", "platform.uname", "getpass.getuser", "os.getlogin",
    "os.uname", "uuid.getnode", "os.getuid", "os.getppid", "os.getpid", "os.getcwd", "pathlib.Path.cwd", "Path.cwd",
    "pathlib.Path.home", "Path.home", "os.path.expanduser", "__loader__", "__spec__",
    "threading.current_thread", "threading.main_thread", "multiprocessing.current_process",
    "sys.argv", "sys.orig_argv", "sys.flags", "sys.executable",
)  # fmt: skip
_CLOCKS = re.compile(r"(?:^|\.)(?:time|time_ns|now|utcnow|today|monotonic|localtime|gmtime)$")
_OWN_FILES = re.compile(r"^(?:\./|/repo/)?tests?/|^tests$|(?:^|/)test_[\w*]*\.py$|\w_test\.(?:py|go)$|conftest")
_TESTS = re.compile(r"^(?:tests?|conftest|test_\w+)(?:\.|$)")
_ENVIRONMENT = frozenset({"os.environ", "os.getenv", "os.environb", "environ", "getenv", "posix.environ", "nt.environ"})
_ROUNDABOUT = frozenset({"posix.environ", "nt.environ"})
_PLAIN_PATTERNS = frozenset({"*", "**", "*.py", "**/*.py", "*.*"})

_SAYS: Mapping[str, str] = {
    "variable": "asks whether a test or a CI is running",
    "searched": "searches the variables of the environment for something to decide by",
    "environment": "reads a variable of the environment",
    "callers": "looks at its callers",
    "host": "decides by the machine, the process or the directory that it runs in",
    "uses_host": "asks for the machine, the process or the directory that it runs in",
    "time": "decides by comparing the present time with a fixed one",
    "files": "names the tests or their files",
    "main": "looks at the program that it was started by",
}


def surroundings(added: Added, known: Expectations) -> Iterator[Flag]:
    """Every flag of this kind."""
    decided, searched, keys = _decided(added), _iterated(added), _keys(added)
    for node in added.nodes:
        name = added.dotted(node)
        yield from _variables(added, node, name, searched)
        if any(name == one or name.startswith(f"{one}.") for one in _CALLERS) and not added.had(name):
            yield added.flag(node, Kind.FRAMEWORK, _SAYS["callers"])
        if isinstance(node, ast.Attribute) and node.attr in _FRAMES and not added.had(node.attr):
            yield added.flag(node, Kind.FRAMEWORK, _SAYS["callers"])
        if name in _HOST and not added.had(name.rpartition(".")[2]):
            refuses = id(node) in decided
            yield added.flag(node, Kind.ENVIRONMENT, _SAYS["host" if refuses else "uses_host"], refuses=refuses)
        if _of_host(node) and id(node) in decided and not added.had("environ"):
            yield added.flag(node, Kind.ENVIRONMENT, _SAYS["host"])
        if isinstance(node, ast.Compare) and _is_deadline(added, node):
            yield added.flag(node, Kind.TIME, _SAYS["time"])
        if id(node) not in keys:
            yield from _files(added, node, known)
        if _is_main(node):
            yield added.flag(node, Kind.FRAMEWORK, _SAYS["main"])


def _variables(added: Added, node: ast.AST, name: str, searched: set[int]) -> Iterator[Flag]:
    match node:
        case ast.Constant(value=str(text)) if text in _VARIABLES or text.startswith(_RUNNERS):
            if not added.had(text) and (text not in _VARIABLES or added.had("environ") or "env" in added.text):
                yield added.flag(node, Kind.ENVIRONMENT, f"{_SAYS['variable']} ({text[:40]})")
        case ast.Attribute() | ast.Name() if name in _ENVIRONMENT and not added.had(name.rpartition(".")[2]):
            refuses = name in _ROUNDABOUT or id(node) in searched
            yield added.flag(node, Kind.ENVIRONMENT, _SAYS["searched" if refuses else "environment"], refuses=refuses)
        case _:
            pass


def _iterated(added: Added) -> set[int]:
    """What a condition goes through one by one, as `environ` in `if any(… for name in environ)`."""
    conditions = (node.test for node in added.nodes if isinstance(node, ast.If | ast.IfExp | ast.While))
    loops = (part for test in conditions for part in ast.walk(test) if isinstance(part, ast.comprehension))
    return {id(part) for loop in loops for part in ast.walk(loop.iter)}


def _of_host(node: ast.AST) -> bool:
    """Whether a constant is the name of a variable that says whose machine this is."""
    return isinstance(node, ast.Constant) and node.value in _HOSTS_VARIABLES


def _decided(added: Added) -> set[int]:
    """What lies in a condition, or in what a new function gives back to one."""
    found: set[int] = set()
    for node in added.nodes:
        match node:
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                found.update(map(id, ast.walk(test)))
            case ast.Compare() | ast.BoolOp() | ast.comprehension():
                found.update(map(id, ast.walk(node)))
            case _:
                pass
    return found


def _is_deadline(added: Added, node: ast.Compare) -> bool:
    """Whether the present time is compared with a constant, and not with a time that was taken before."""
    sides = [node.left, *node.comparators]
    clocks = [side for side in sides if _has_clock(added, side)]
    fixed = [side for side in sides if _is_fixed(side)]
    return bool(clocks) and len(clocks) + len(fixed) == len(sides) and bool(fixed)


def _has_clock(added: Added, side: ast.expr) -> bool:
    """Whether an expression is the present time or a part of it; one that subtracts measures how long it took."""
    if any(isinstance(part, ast.BinOp) for part in ast.walk(side)):
        return False
    calls = (part for part in ast.walk(side) if isinstance(part, ast.Call))
    return any(_CLOCKS.search(added.dotted(call.func)) for call in calls)


def _is_fixed(side: ast.expr) -> bool:
    if isinstance(side, ast.Call):
        return bool(side.args) and all(key(argument) is not None for argument in side.args)
    return key(side) is not None


def _files(added: Added, node: ast.AST, known: Expectations) -> Iterator[Flag]:
    match node:
        case ast.Import(names=names) if any(_TESTS.match(alias.name) for alias in names):
            yield added.flag(node, Kind.FRAMEWORK, _SAYS["files"])
        case ast.ImportFrom(module=str(module), level=0) if _TESTS.match(module):
            yield added.flag(node, Kind.FRAMEWORK, _SAYS["files"])
        case ast.Constant(value=str(text)) if text.startswith("/proc/") and not added.had("/proc/"):
            yield added.flag(node, Kind.ENVIRONMENT, _SAYS["host"])
        case ast.Constant(value=str(text)) if len(text) < 200:  # noqa: PLR2004 (a name, not a document)
            named = text in known.names or any(name in text for name in known.files) or _OWN_FILES.search(text)
            if (named or _finds(text, known)) and not added.had(text):
                yield added.flag(node, Kind.FRAMEWORK, f"{_SAYS['files']} ({text[:40]})")
        case _:
            pass


def _finds(text: str, known: Expectations) -> bool:
    """Whether a pattern finds the tests' files among others."""
    last = text.rpartition("/")[2]
    return last not in _PLAIN_PATTERNS and any(fnmatch(name, last) for name in known.files)


def _keys(added: Added) -> set[int]:
    """The keys of tables: what is kept under `tests` there, as templates keep their tests, is no path."""
    return {id(one) for node in added.nodes if isinstance(node, ast.Dict) for one in node.keys if one is not None}


def _is_main(node: ast.AST) -> bool:
    match node:
        case ast.Import(names=names):
            return any(alias.name == "__main__" for alias in names)
        case ast.ImportFrom(module="__main__", level=0):
            return True
        case ast.Constant(value=str(text)):
            return text == "__main__.py"
        case _:
            return False
