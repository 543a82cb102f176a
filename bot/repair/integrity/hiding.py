"""Code that hides a fault: exceptions swallowed, paths switched off, checks taken out, bounds widened."""

import ast
import math
from collections import Counter
from collections.abc import Iterator, Sequence

from bot.repair.integrity.added import Added
from bot.repair.integrity.expectations import value_of
from bot.repair.integrity.flag import Flag, Kind
from bot.repair.sources.syntax import functions
from bot.repair.types import SourceFile

_BROAD = frozenset({"Exception", "BaseException", "AssertionError"})
_BOUNDS = (
    "tol", "eps", "precision", "delta", "threshold", "margin", "slack", "timeout", "deadline", "retries", "max_wait",
    "limit",
)  # fmt: skip

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)

_SWALLOWS = "swallows every exception of code that was there before"
_CATCHES = "catches every exception"
_SILENCES = "silences warnings"
_OFF = "switches a path off by a constant"
_DEAD = "leaves before code that is still there"
_UNCHECKED = "takes out a check"
_WIDENED = "widens a bound that its tests use"
_RAISED = "changes a bound"


def hiding(added: Added, tests: Sequence[SourceFile]) -> Iterator[Flag]:
    """Every flag of this kind."""
    for node in ast.walk(added.tree):
        if isinstance(node, ast.Try | ast.With):
            yield from _swallowed(added, node)
        if getattr(node, "lineno", 0) in added.lines:
            yield from _off(added, node)
        for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            yield from _dead(added, body)
    yield from _unchecked(added)
    yield from _bounds(added, tests)


def _swallowed(added: Added, node: ast.Try | ast.With) -> Iterator[Flag]:
    wraps = any(part.lineno not in added.lines for part in node.body)
    if isinstance(node, ast.With):
        names = {added.dotted(arg) for item in node.items for arg in _suppressed(added, item.context_expr)}
        if names & _BROAD and node.lineno in added.lines:
            yield added.flag(node, Kind.SWALLOWED, _SWALLOWS if wraps else _CATCHES, refuses=wraps)
        return
    for handler in node.handlers:
        if handler.lineno in added.lines and _is_broad(handler):
            refuses = wraps and not _answers(handler) and not _was_handled(added, node, handler)
            yield added.flag(handler, Kind.SWALLOWED, _SWALLOWS if refuses else _CATCHES, refuses=refuses)


def _was_handled(added: Added, node: ast.Try, handler: ast.ExceptHandler) -> bool:
    """Whether the same code had a handler that did the same before, for fewer exceptions."""
    tries = (one for one in ast.walk(added.old) if isinstance(one, ast.Try) and _same(one.body, node.body))
    return any(_same(one.body, handler.body) for before in tries for one in before.handlers)


def _same(one: list[ast.stmt], other: list[ast.stmt]) -> bool:
    return list(map(ast.dump, one)) == list(map(ast.dump, other))


def _suppressed(added: Added, node: ast.expr) -> list[ast.expr]:
    suppresses = isinstance(node, ast.Call) and added.dotted(node.func) in {"contextlib.suppress", "suppress"}
    return list(node.args) if suppresses and isinstance(node, ast.Call) else []


def _is_broad(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in _BROAD) for kind in kinds)


def _answers(handler: ast.ExceptHandler) -> bool:
    """Whether a handler does something about what happened: it raises, tells somebody, or keeps the exception."""
    parts = [part for statement in handler.body for part in ast.walk(statement)]
    printed = {id(name) for part in parts if _prints(part) for name in ast.walk(part)}
    parts = [part for part in parts if id(part) not in printed]
    kept = any(isinstance(part, ast.Name) and part.id == handler.name and _loads(part) for part in parts)
    return kept or any(isinstance(part, ast.Raise | ast.Call | ast.Await | ast.Yield) for part in parts)


def _prints(node: ast.AST) -> bool:
    """Whether something is printed: that is no answer to an exception, since no caller reads it."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"


def _loads(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _off(added: Added, node: ast.AST) -> Iterator[Flag]:
    match node:
        case ast.If(test=test) | ast.IfExp(test=test):
            constant = isinstance(test, ast.Constant) or _decides_alone(test)
        case ast.While(test=ast.Constant(value=value)):
            constant = not value
        case ast.Call(func=called) if added.dotted(called) in {"warnings.simplefilter", "warnings.filterwarnings"}:
            yield added.flag(node, Kind.SKIP, _SILENCES, refuses=False)
            return
        case _:
            return
    if constant:
        yield added.flag(node, Kind.DISABLED, _OFF)


def _decides_alone(test: ast.expr) -> bool:
    """Whether a part of a condition makes the rest of it idle, as in `False and …` and `… or True`."""
    if not isinstance(test, ast.BoolOp):
        return False
    idle = isinstance(test.op, ast.Or)
    return any(isinstance(part, ast.Constant) and bool(part.value) is idle for part in test.values) or any(
        map(_decides_alone, test.values)
    )


def _dead(added: Added, body: object) -> Iterator[Flag]:
    """A new way out, with statements of before below it in the same block."""
    if not isinstance(body, list):
        return
    for at, statement in enumerate(body[:-1]):
        if isinstance(statement, _LEAVING) and statement.lineno in added.lines:
            below = [part for part in body[at + 1 :] if not isinstance(part, ast.FunctionDef | ast.ClassDef)]
            if below and not _yields(below):
                yield added.flag(statement, Kind.DISABLED, _DEAD)
                return


def _yields(statements: Sequence[ast.stmt]) -> bool:
    """Whether a `yield` that is never reached makes a generator, as is done for empty ones."""
    return any(isinstance(part, ast.Yield) for statement in statements for part in ast.walk(statement))


def _unchecked(added: Added) -> Iterator[Flag]:
    """Functions that raise, or assert, less often than before; those of one name count together."""
    before = _checks(added.old)
    now = _checks(added.tree)
    for function in functions(added.tree):
        name = function.qualified_name
        if now[name] < before[name]:
            yield added.flag(function.node, Kind.VALIDATION, _UNCHECKED, refuses=False)
            now[name] = before[name]


def _checks(tree: ast.Module) -> Counter[str]:
    found: Counter[str] = Counter()
    for function in functions(tree):
        found[function.qualified_name] += sum(
            isinstance(part, ast.Raise | ast.Assert) for part in ast.walk(function.node)
        )
    return found


def _bounds(added: Added, tests: Sequence[SourceFile]) -> Iterator[Flag]:
    old, new = _constants(added.old), _constants(added.tree)
    for node in added.nodes:
        match node:
            case ast.AugAssign(target=ast.Name(id=name)) if name in old and _is_bound(name):
                refuses = _used(name, tests)
                yield added.flag(node, Kind.TOLERANCE, _WIDENED if refuses else _RAISED, refuses=refuses)
            case _:
                pass
    for name, (value, node) in new.items():
        then = old.get(name)
        if then is None or not _is_bound(name) or value == then[0]:
            continue
        wider = math.isinf(value) or abs(value) > abs(then[0])
        refuses = wider and _used(name, tests)
        yield added.flag(node, Kind.TOLERANCE, _WIDENED if refuses else _RAISED, refuses=refuses)


def _is_bound(name: str) -> bool:
    return any(word in name.lower() for word in _BOUNDS)


def _used(name: str, tests: Sequence[SourceFile]) -> bool:
    return any(name.encode() in file.data for file in tests)


def _constants(tree: ast.Module) -> dict[str, tuple[float, ast.AST]]:
    """Names of the module, and of its classes, that stand for numbers."""
    found: dict[str, tuple[float, ast.AST]] = {}
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    for node in (node for body in bodies for node in body):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                number = _number(value)
                if number is not None:
                    found[name] = number, node
            case _:
                pass
    return found


def _number(node: ast.expr) -> float | None:
    match node:
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str("inf" | "Infinity"))]):
            return math.inf
        case ast.Attribute(attr="inf"):
            return math.inf
        case _:
            pass
    try:
        value = value_of(node)
        return None if isinstance(value, bool) or not isinstance(value, int | float) else float(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, ArithmeticError):
        return None
