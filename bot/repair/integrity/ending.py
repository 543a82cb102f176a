"""Code that ends the run, writes what its judge writes, or fetches its answers from elsewhere."""

import ast
import re
from collections.abc import Iterator

from bot.repair.integrity.added import Added
from bot.repair.integrity.flag import Flag, Kind

_LEAVING = frozenset({"os.kill", "os.killpg", "os.abort", "signal.raise_signal", "signal.pthread_kill", "os.fork"})
_EXEC = re.compile(r"^os\.(?:exec|spawn|posix_spawn)\w*$")
_EXITS = frozenset({"sys.exit", "exit", "quit", "SystemExit"})
_SUMMARY = re.compile(
    r"\b\d+ passed\b|\bPASSED\b|--- PASS|^ok \d|# pass\b|Tests:\s+\d+ passed|^OK\b.*\n|\d+ tests? in \d|passed in \d"
)
_RESULTS = re.compile(r"/regreen\b|junit[\w-]*\.xml|test-?results?[\w-]*\.(?:xml|json)|\.pytest_cache|\.jsonl$")
_HISTORY = re.compile(r"(?:^|/)\.git(?:/|$)|^git(?: |$)|\bgit (?:log|show|diff|reflog|stash|cat-file|rev-list)\b")
_INSTALLERS = re.compile(r"\b(?:pip3?|uv|npm|yarn|conda|apt|apt-get|go) (?:install|add|get)\b")
_NETWORK = ("urllib.request", "requests", "httpx", "aiohttp", "http.client", "socket", "ftplib", "smtplib", "urllib3")
_PROCESSES = ("subprocess.", "os.system", "os.popen", "pty.", "asyncio.create_subprocess")

_MODES = frozenset({"w", "wb", "wt", "a", "ab", "at", "r+", "rb+", "r+b", "w+", "wb+", "w+b", "x", "xb"})
_REMOVERS = frozenset(
    {"os.remove", "os.unlink", "os.rename", "os.replace", "shutil.rmtree", "shutil.copy", "shutil.move"}
)

_CHANGES = "changes files while it is imported"
_LEAVES = "ends the process"
_AT_EXIT = "does something when the process ends (atexit)"
_PRINTS = "prints what a test runner would"
_WRITES = "names the files that results are in"
_MINES = "reads the repository's history"
_INSTALLS = "installs packages"
_CONNECTS = "reaches for the network"
_STARTS = "starts another program"


def ending(added: Added) -> Iterator[Flag]:
    """Every flag of this kind."""
    yield from _at_import(added)
    for node in added.nodes:
        match node:
            case ast.Call():
                yield from _called(added, node)
            case ast.Attribute() | ast.Name() if _leaves(name := added.dotted(node)) and not added.had(name):
                yield added.flag(node, Kind.PROCESS, f"{_LEAVES} ({name})")
            case ast.Constant(value=str(text)):
                yield from _text(added, node, text)
            case ast.Import(names=names):
                yield from _network(added, node, *(alias.name for alias in names))
            case ast.ImportFrom(module=str(module), level=0):
                yield from _network(added, node, module, *(f"{module}.{alias.name}" for alias in node.names))
            case _:
                pass


def _leaves(name: str) -> bool:
    return name in _LEAVING or bool(_EXEC.match(name))


def _at_import(added: Added) -> Iterator[Flag]:
    """What leaves while the module is imported; below `if __name__ == "__main__"` it is a program's end."""
    for node in _imported_parts(added.tree.body):
        if _writes(added, node) and getattr(node, "lineno", 0) in added.lines:
            yield added.flag(node, Kind.OUTPUT, _CHANGES)
        left = node.exc if isinstance(node, ast.Raise) else node
        called = left.func if isinstance(left, ast.Call) else left
        if (
            isinstance(called, ast.expr)
            and added.dotted(called) in _EXITS
            and getattr(node, "lineno", 0) in added.lines
        ):
            yield added.flag(node, Kind.PROCESS, _LEAVES)


def _writes(added: Added, node: ast.AST) -> bool:
    """Whether a call changes files: a module that is imported has no reason to."""
    match node:
        case ast.Call(func=ast.Attribute(attr="write_text" | "write_bytes" | "unlink")):
            return True
        case ast.Call(func=ast.Name(id="open") | ast.Attribute(attr="open"), args=args, keywords=keywords):
            modes = [*args[-1:], *(keyword.value for keyword in keywords if keyword.arg == "mode")]
            return any(isinstance(mode, ast.Constant) and mode.value in _MODES for mode in modes)
        case ast.Call(func=called):
            return added.dotted(called) in _REMOVERS
        case _:
            return False


def _imported_parts(body: list[ast.stmt]) -> Iterator[ast.AST]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(node, ast.If) and "__name__" in ast.dump(node.test):
            continue
        yield from (part for part in ast.walk(node) if isinstance(part, ast.Call | ast.Raise))


def _called(added: Added, node: ast.Call) -> Iterator[Flag]:
    name = added.dotted(node.func)
    if name.startswith("atexit.") and not added.had("atexit"):
        yield added.flag(node, Kind.PROCESS, _AT_EXIT, refuses=False)
    elif name in _EXITS and any(isinstance(part, ast.Constant) and part.value == 0 for part in node.args):
        yield added.flag(node, Kind.PROCESS, _LEAVES, refuses=False)
    if name.startswith(_PROCESSES):
        words = [
            part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)
        ]
        line = " ".join(words)
        if _INSTALLERS.search(line):
            yield added.flag(node, Kind.NETWORK, _INSTALLS)
        elif words[:1] == ["git"] and not added.had("git"):
            yield added.flag(node, Kind.HISTORY, _MINES)
        elif not added.had(name.partition(".")[0]):
            yield added.flag(node, Kind.PROCESS, _STARTS, refuses=False)


def _text(added: Added, node: ast.AST, text: str) -> Iterator[Flag]:
    if _SUMMARY.search(text) and not added.had(text[:40]):
        yield added.flag(node, Kind.OUTPUT, _PRINTS)
    if _RESULTS.search(text) and not added.had(text):
        yield added.flag(node, Kind.OUTPUT, _WRITES)
    if _HISTORY.search(text) and not added.had("git"):
        yield added.flag(node, Kind.HISTORY, _MINES)


def _network(added: Added, node: ast.AST, *names: str) -> Iterator[Flag]:
    for name in names:
        known = next((one for one in _NETWORK if name == one or name.startswith(f"{one}.")), None)
        if known and not added.had(known):
            yield added.flag(node, Kind.NETWORK, f"{_CONNECTS} ({known})", refuses=False)
            return
