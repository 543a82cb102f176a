"""nox as the commands that its sessions would run, read from noxfile.py by its syntax alone.

Source: nox.thea.codes, "Sessions".
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from sandbox.detect import work
from sandbox.detect.naming import Rank, ordered
from sandbox.detect.python.wrappers import runs_tests
from sandbox.detect.reading import text
from sandbox.detect.shell import UNKNOWN, Command
from sandbox.errors import DetectionError
from sandbox.spec import Tree

PATH = "noxfile.py"
MAX_COMMANDS = 50
MAX_WORDS = 200
MAX_TRIED = 8
_METHODS = frozenset({"install", "run", "run_install"})
_NAMES = ("tests", "test", "unit", "unit_tests", "pytest", "unittest")


def commands(tree: Tree, wanted: Sequence[str]) -> tuple[Command, ...]:
    """What the wanted session installs and runs, the one named after tests where none is; conditions count as met."""
    asked = tuple(wanted)
    return work.once(tree, ("nox", asked), lambda: tuple(_wanted(tree, asked)))


def _wanted(tree: Tree, wanted: Sequence[str]) -> tuple[Command, ...]:
    try:
        content = text(tree, PATH)
        module = work.once(tree, "noxfile", lambda: ast.parse(content))
    except (DetectionError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    work.spend(len(content) // 4)
    sessions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef) and _is_session(node)}
    named = {_name(node): node for node in sessions.values()} | sessions
    names = [one.partition("-")[0].partition("(")[0] for one in wanted if UNKNOWN not in one]
    found = [_commands(named[name], _constants(module)) for name in names or _tests(tuple(named)) if name in named]
    first = tuple(found[0]) if found else ()
    others = (tuple(one) for one in found[1:MAX_TRIED])
    # What is named after tests may do something for them only, as for their coverage.
    return next((one for one in (first, *others) if any(runs_tests(command.words) for command in one)), first)


def _tests(names: tuple[str, ...]) -> tuple[str, ...]:
    return (*_NAMES, *(name for name in ordered(names, Rank.TESTS) if name not in _NAMES))


def _is_session(node: ast.FunctionDef) -> bool:
    return any(
        (found.attr if isinstance(found, ast.Attribute) else getattr(found, "id", "")) in {"session", "nox_session"}
        for decorator in node.decorator_list
        for found in [decorator.func if isinstance(decorator, ast.Call) else decorator]
    )


def _name(node: ast.FunctionDef) -> str:
    keywords = (word for one in node.decorator_list if isinstance(one, ast.Call) for word in one.keywords)
    names = (word.value.value for word in keywords if word.arg == "name" and isinstance(word.value, ast.Constant))
    return str(next(names, node.name))


def _constants(module: ast.Module) -> dict[str, ast.expr]:
    assigned = (node for node in module.body if isinstance(node, ast.Assign))
    return {one.id: node.value for node in assigned for one in node.targets if isinstance(one, ast.Name)}


def _commands(function: ast.FunctionDef, constants: Mapping[str, ast.expr]) -> Iterator[Command]:
    known = {**constants, **_constants(ast.Module(function.body, []))}
    for node, method in islice(_calls(function), MAX_COMMANDS):
        words = list(islice((word for argument in node.args for word in _words(argument, known)), MAX_WORDS))
        start = ["pip", "install"] if method == "install" else []
        if words:
            yield Command((*start, *words), tuple(_environment(node, known)), "", f"{PATH}:{node.lineno}")


def _calls(function: ast.FunctionDef) -> Iterator[tuple[ast.Call, str]]:
    """Calls of the session's methods, in the order of their lines."""
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    for node in sorted(calls, key=lambda node: node.lineno):
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if method in _METHODS and getattr(getattr(node.func, "value", None), "id", "") == "session":
            yield node, method


def _words(node: ast.expr, known: Mapping[str, ast.expr], depth: int = 4) -> Iterator[str]:
    """The words that an argument stands for; of `session.posargs or [...]` the default."""
    # What yields nothing is work, too.
    work.spend(8)
    match node:
        case ast.Constant(value=str(value)):
            yield value
        case ast.Starred(value=inner) if depth:
            yield from _words(inner, known, depth - 1)
        case ast.BoolOp(op=ast.Or(), values=[*_, last]) if depth:
            yield from _words(last, known, depth - 1)
        case ast.IfExp(orelse=default) if depth:
            yield from _words(default, known, depth - 1)
        case ast.List(elts=items) | ast.Tuple(elts=items) if depth:
            for item in items[:MAX_WORDS]:
                yield from _words(item, known, depth - 1)
        case ast.Name(id=name) if depth and name in known:
            yield from _words(known[name], known, depth - 1)
        case ast.Attribute(attr="posargs"):
            return
        case _:
            yield UNKNOWN


def _environment(call: ast.Call, known: Mapping[str, ast.expr]) -> Iterator[tuple[str, str]]:
    for keyword in call.keywords:
        if keyword.arg == "env" and isinstance(keyword.value, ast.Dict):
            for name, value in zip(keyword.value.keys, keyword.value.values, strict=True):
                if isinstance(name, ast.Constant) and len(words := list(_words(value, known))) == 1:
                    yield str(name.value), words[0]
