"""The literals of the tests that a patch must turn green: what they hand in, and what they expect.

Values that stand in half of all programs, as 0, 1, "" and True, say nothing and are left out.
"""

import ast
import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from bot.repair.sources.syntax import Function, functions, parse
from bot.repair.types import SourceFile

MAX_LITERALS = 5000
MAX_NUMBERS = 100
_SMALL = 10
_BASE, _POWER = 1e6, 100
_ARITHMETIC: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
_SHORT = 2
_HUGE = 1e15
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,15})?", re.ASCII)
_WRAPPERS = frozenset({"Decimal", "Fraction", "approx"})
_MEMBERSHIPS = (ast.Eq, ast.Is, ast.In, ast.NotEq)


@dataclass(frozen=True, slots=True)
class Expectations:
    """`inputs` and `expected` are keys of literals (see `key`), `any_expected` holds trivial ones, too.

    `numbers` are all that is handed in, trivial ones and those within texts too; `names` are the tests' functions,
    `files` the names of their files.
    """

    inputs: frozenset[str] = frozenset()
    expected: frozenset[str] = frozenset()
    any_expected: frozenset[str] = frozenset()
    texts: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    numbers: frozenset[float] = frozenset()


def key(node: ast.AST) -> str | None:
    """One text for a literal, or for what is made of literals alone, the same for equal ones; else `None`."""
    try:
        return text_of(value_of(node))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, ArithmeticError):
        return None


def value_of(node: ast.AST) -> object:
    """The value of a literal, of sums and products of numbers, and of texts that are put together; where `key` is one.

    Raises what `ast.literal_eval` raises for anything else.
    """
    if not isinstance(node, ast.BinOp):
        return ast.literal_eval(node)
    match node.op, value_of(node.left), value_of(node.right):
        case ast.Add(), str(one), str(other):
            return one + other
        case ast.Pow(), int() | float() as one, int() | float() as other if abs(one) <= _BASE and abs(other) <= _POWER:
            return one**other
        case sign, int() | float() as one, int() | float() as other if type(sign) in _ARITHMETIC:
            return _ARITHMETIC[type(sign)](one, other)
    raise ValueError


def text_of(value: object) -> str:
    """The same for a value."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(float(value)) if abs(value) < _HUGE else repr(value)
    return repr(value)


def is_trivial(node: ast.AST) -> bool:
    """Whether a literal is one that any code may hold."""
    try:
        value = value_of(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, ArithmeticError):
        return True
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return abs(value) <= _SMALL and float(value).is_integer()
    if isinstance(value, str | bytes):
        return len(value) < _SHORT
    if isinstance(value, tuple | list):
        return all(one is None or isinstance(one, bool) for one in value)
    return not value


def expectations(tests: Sequence[SourceFile], targets: Collection[str]) -> Expectations:
    """Read from the files of the targets; where a file's language is not Python, from none."""
    wanted = {target.partition("[")[0].rpartition("::")[2] for target in targets}
    gathered = _Gathered()
    for file in tests:
        tree = parse(file.data) if file.path.endswith(".py") else None
        try:
            gathered.read(tree or ast.Module([], []), wanted)
        except RecursionError:
            # Nested deeper than any test that people write: nothing is known of its literals.
            continue
    files = frozenset(file.path.rpartition("/")[2] for file in tests)
    return gathered.result(frozenset(wanted), files)


class _Gathered:
    """What was read so far."""

    def __init__(self) -> None:
        self.inputs: set[str] = set()
        self.expected: set[str] = set()
        self.trivial: set[str] = set()
        self.texts: dict[str, None] = {}
        self.numbers: set[float] = set()

    def read(self, tree: ast.Module, wanted: Collection[str]) -> None:
        constants = _constants(tree)
        for function in functions(tree):
            if function.name in wanted:
                for node, is_expected in islice(_literals(function, constants), MAX_LITERALS):
                    self._keep(node, is_expected=is_expected)

    def _keep(self, node: ast.AST, *, is_expected: bool) -> None:
        found = key(node)
        if found is None:
            return
        if is_expected:
            self.trivial.add(found)
        else:
            self._hand_in(value_of(node))
        if not is_trivial(node):
            kept = self.expected if is_expected else self.inputs
            kept.update((found, *_squeezed(node)))

    def _hand_in(self, value: object) -> None:
        if isinstance(value, str):
            self.texts[value] = None
            self.numbers.update(map(float, islice(_NUMBER.findall(value), MAX_NUMBERS)))
        elif isinstance(value, int | float) and abs(value) < _HUGE:
            self.numbers.add(float(value))

    def result(self, names: frozenset[str], files: frozenset[str]) -> Expectations:
        inputs, expected, trivial = map(frozenset, (self.inputs, self.expected, self.trivial))
        return Expectations(inputs, expected, trivial, tuple(self.texts), names, files, frozenset(self.numbers))


def _squeezed(node: ast.AST) -> Iterator[str]:
    """The key of a text without its blanks: how a program may read it first."""
    value = value_of(node)
    if isinstance(value, str) and len(words := value.split()) > 1:
        yield text_of("".join(words))


def _constants(tree: ast.Module) -> Mapping[str, ast.expr]:
    """Names of the module that stand for literals."""
    return {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and key(node.value) is not None
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _literals(function: Function, constants: Mapping[str, ast.expr]) -> Iterator[tuple[ast.AST, bool]]:
    """Each literal of a test, and whether it is expected; those of its parameters may be either."""
    sides = set(map(id, _expected(function.node)))
    for decorator in function.node.decorator_list:
        for node in _parts([decorator], constants):
            yield node, True
            yield node, False
    for root in function.node.body:
        for node in ast.walk(root):
            if id(node) in sides or _is_table(node):
                yield from ((part, True) for part in _parts([node], constants))
    for node in _parts(function.node.body, constants, sides):
        yield node, False


def _is_table(node: ast.AST) -> bool:
    """Whether a display holds pairs, as a test has them that goes through several cases by itself."""
    match node:
        case ast.List(elts=[ast.Tuple() | ast.List(), *_]) | ast.Tuple(elts=[ast.Tuple() | ast.List(), *_]):
            return all(isinstance(one, ast.Tuple | ast.List) and len(one.elts) > 1 for one in node.elts)
        case _:
            return isinstance(node, ast.Dict) and len(node.keys) > 1


def _expected(node: ast.AST) -> Iterator[ast.AST]:
    """The sides of comparisons, and the arguments of assertions, that are no calls of anything."""
    for part in ast.walk(node):
        match part:
            case ast.Compare(left=left, ops=[sign], comparators=[right]) if isinstance(sign, _MEMBERSHIPS):
                yield from _plain((left, right))
            case ast.Call(func=ast.Attribute(attr=name), args=[left, right, *_]) if name.startswith("assert"):
                yield from _plain((left, right))
            case ast.BinOp(op=ast.Sub(), left=left, right=right):
                yield from _plain((left, right))
            case _:
                pass


def _plain(sides: Iterable[ast.expr]) -> Iterator[ast.expr]:
    """Sides without a call; `Decimal("1.2")` and `approx(3)` stand for what they wrap."""
    for side in sides:
        match side:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.Constant() as only]) if (
                name in _WRAPPERS
            ):
                yield only
            case ast.Name() | ast.Constant() | ast.UnaryOp() | ast.List() | ast.Tuple() | ast.Dict() | ast.Set():
                yield side
            case _:
                pass


def _parts(
    nodes: Iterable[ast.AST], constants: Mapping[str, ast.expr], without: Collection[int] = ()
) -> Iterator[ast.AST]:
    """Literals, whole and then by their parts."""
    for node in nodes:
        if id(node) in without:
            continue
        if isinstance(node, ast.Name) and node.id in constants:
            yield constants[node.id]
            yield from _parts(ast.iter_child_nodes(constants[node.id]), {})
        elif key(node) is not None:
            yield node
        yield from _parts(ast.iter_child_nodes(node), constants, without)
