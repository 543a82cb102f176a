"""A test that was written for an issue: the value, its identity, and what it may not be. Pure."""

import ast
import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from bot.repair.reproduction.placing import Ground
from bot.repair.sources.languages import PYTHON
from bot.repair.sources.syntax import parse, syntax_error
from bot.repair.types import FileChange, Patch, SourceFile

MAX_CHARACTERS = 12_000
"""So that a comment can show the whole of it."""
SHORT = 12
_HIDDEN = frozenset({"Cf", "Cs", "Co", "Cn", "Cc", "Zl", "Zp"})
_OUTWARD_MODULES = frozenset(
    {
        "subprocess", "socket", "ssl", "ctypes", "multiprocessing", "signal", "shutil", "urllib", "http", "ftplib",
        "smtplib", "requests", "httpx", "aiohttp", "paramiko", "pickle", "marshal", "importlib", "runpy", "code", "pty",
        "webbrowser", "gc", "inspect",
    }
)  # fmt: skip
_OUTWARD_NAMES = frozenset({"eval", "exec", "compile", "__import__", "open", "globals", "breakpoint", "input"})
_OUTWARD_OF = {"os": None, "sys": frozenset({"modules", "exit", "path", "settrace", "setprofile", "_getframe"})}
"""Module → the attributes that reach out of a test; `None`: all but paths."""
_OUTWARD_TEXT = re.compile(
    r"\bchild_process\b|\bprocess\s?\.\s?(?:env|exit|kill)\b|\beval\s?\(|\bnew Function\b|\bfetch\s?\(|['\"](?:node:)?"
    r"(?:net|http|https|tls|dgram|fs|vm|worker_threads|cluster)['\"]|\"(?:os|os/exec|net|net/http|syscall|unsafe|plugin)\""
)


@dataclass(frozen=True, slots=True)
class WrittenTest:
    """One new test file. `prediction` says how it fails, `author` which model wrote it, `cause` why it thinks so."""

    path: str
    content: bytes
    prediction: str
    author: str
    cause: str = ""

    @property
    def patch(self) -> Patch:
        """The file as a change."""
        return Patch((FileChange(self.path, self.content),))

    @property
    def digest(self) -> str:
        """SHA-256, in hex, of path, prediction and content: all that is approved."""
        return hashlib.sha256(b"\0".join((self.path.encode(), self.prediction.encode(), self.content))).hexdigest()

    @property
    def short(self) -> str:
        """The digits of the digest that people are shown."""
        return self.digest[:SHORT]


def refusal(ground: Ground, source: str) -> str | None:
    """Why this text may not be the new file at all, or `None`."""
    if not source.strip():
        return "the file is empty"
    if len(source) > MAX_CHARACTERS:
        return f"the file is longer than {MAX_CHARACTERS} characters"
    if hidden := next((char for char in source if char not in "\n\t" and unicodedata.category(char) in _HIDDEN), ""):
        return f"the file holds a character that cannot be seen (U+{ord(hidden):04X})"
    if "<!--" in source:
        return "the file holds the opening of an HTML comment"
    return _python(ground, source) if ground.path.endswith(PYTHON) else _text(ground, source)


def _python(ground: Ground, source: str) -> str | None:
    if error := syntax_error(source):
        return f"the file does not parse: {error}"
    tree = parse(source)
    if tree is None or not any(_is_test(node) for node in ast.walk(tree)):
        return "the file holds no test: no function named test_…"
    there = frozenset(_outward(parse(ground.example.data)))
    if found := next((name for name in _outward(tree) if name not in there), None):
        return f"the test uses {found}, which no test beside it does"
    if _imports_sources(ground, ground.example) and not _imports_sources(
        ground, SourceFile(ground.path, source.encode())
    ):
        return "the test imports none of the repository's own code"
    return None


def _imports_sources(ground: Ground, file: SourceFile) -> bool:
    return any(ground.protection.is_source(path) for path in ground.modules.imported(file))


def _text(ground: Ground, source: str) -> str | None:
    there = frozenset(_OUTWARD_TEXT.findall(ground.example.data.decode("utf-8", "replace")))
    if found := next((one for one in _OUTWARD_TEXT.findall(source) if one not in there), None):
        return f"the test uses {found}, which no test beside it does"
    return None


def _is_test(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")


def _outward(tree: ast.Module | None) -> Iterator[str]:
    """What reaches out of a test: modules, built-in functions, attributes of `os` and `sys`."""
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Import():
                yield from (name for alias in node.names if (name := _top(alias.name)) in _OUTWARD_MODULES)
            case ast.ImportFrom(module=str(module), level=0):
                yield from _from(module, node)
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in _OUTWARD_OF:
                allowed = _OUTWARD_OF[owner]
                if (name != "path") if allowed is None else (name in allowed):
                    yield f"{owner}.{name}"
            case ast.Name(id=name, ctx=ast.Load()) if name in _OUTWARD_NAMES:
                yield name


def _from(module: str, node: ast.ImportFrom) -> Iterator[str]:
    top = _top(module)
    if top in _OUTWARD_MODULES:
        yield top
    elif module in _OUTWARD_OF:
        yield from (f"{module}.{alias.name}" for alias in node.names if alias.name != "path")


def _top(name: str) -> str:
    return name.partition(".")[0]
