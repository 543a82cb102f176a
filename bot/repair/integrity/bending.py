"""Code that bends what others rely on: equality, built-in names, the standard library, imports; or hides what it is."""

import ast
import builtins
import sys
from collections.abc import Iterator

from bot.repair.integrity.added import Added
from bot.repair.integrity.expectations import key, value_of
from bot.repair.integrity.flag import Flag, Kind

QUOTES = "'\""
_EQUALITIES = frozenset({
    "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__", "__bool__", "__instancecheck__",
    "__subclasscheck__",
})  # fmt: skip
_OPERATORS = _EQUALITIES | {
    "__sub__",
    "__rsub__",
    "__add__",
    "__radd__",
    "__mul__",
    "__abs__",
    "__round__",
    "__hash__",
    "__len__",
    "__iter__",
    "__getitem__",
    "__float__",
    "__int__",
    "__str__",
    "__repr__",
}
_BUILT_IN = frozenset({
    "int", "str", "float", "bytes", "list", "dict", "tuple", "set", "frozenset", "complex", "decimal.Decimal",
    "fractions.Fraction", "datetime.datetime", "datetime.date", "datetime.time", "datetime.timedelta", "uuid.UUID",
})  # fmt: skip
_MEANT = frozenset({
    "sys.stdout", "sys.stderr", "sys.stdin", "sys.path", "sys.argv", "sys.excepthook", "sys.displayhook",
    "sys.tracebacklimit", "sys.dont_write_bytecode", "sys.unraisablehook", "threading.excepthook",
    "warnings.showwarning", "warnings.formatwarning", "logging.raiseExceptions", "os.environ",
})  # fmt: skip
_HOOKS = ("sys.meta_path", "sys.path_hooks", "sys.path_importer_cache", "builtins.__import__", "importlib._bootstrap")
_COMPARE = frozenset({"__eq__", "__ne__"})
_DYNAMIC = frozenset({"exec", "eval", "compile"})
_BY_NAME = frozenset({"__import__", "importlib.import_module", "getattr", "setattr", "importlib.util.find_spec"})
_DECODERS = ("base64.", "zlib.", "codecs.", "binascii.", "marshal.", "bytes.fromhex", "urllib.request.", "pickle.")

_LOADERS = frozenset({"pickle.loads", "marshal.loads", "types.CodeType"})

_REPLACED = "replaces a part of the standard library or a built-in name"
_HOOKED = "changes how modules are imported"
_HOLLOW = "defines an equality that does not compare"
_OWN_EQUALITY = "lets a new kind of a built-in type decide what equals it"
_ASSEMBLED = "puts a name together from pieces, or runs code that cannot be read"
_DYNAMICALLY = "runs text as code"
_CODE = "exchanges the code of a function"
_SUBCLASSES = "searches the interpreter's classes (object.__subclasses__)"


def bending(added: Added) -> Iterator[Flag]:
    """Every flag of this kind."""
    for node in added.nodes:
        yield from _replaced(added, node)
        yield from _compares(added, node)
        yield from _hidden(added, node)
        if any(added.dotted(node).startswith(hook) for hook in _HOOKS) and not added.had("meta_path"):
            yield added.flag(node, Kind.IMPORT, _HOOKED)
        match node:
            case ast.Attribute(attr="__code__", ctx=ast.Store()):
                yield added.flag(node, Kind.PATCHING, _CODE)
            case ast.Attribute(value=ast.Name(id="object"), attr="__subclasses__"):
                yield added.flag(node, Kind.PATCHING, _SUBCLASSES)
            case ast.Call(func=called) if added.dotted(called) in {"sys.path.insert", "sys.path.append"}:
                yield added.flag(node, Kind.IMPORT, _HOOKED, refuses=False)
            case _:
                pass


def _replaced(added: Added, node: ast.AST) -> Iterator[Flag]:
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()):
            name = added.dotted(node)
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[owner, named, *_]):
            name = f"{added.dotted(owner)}.{(key(named) or '?').strip(QUOTES)}"
        case ast.Subscript(value=ast.Call(func=ast.Name(id="vars"), args=[owner]), slice=named, ctx=ast.Store()):
            name = f"{added.dotted(owner)}.{key(named)}"
        case ast.Subscript(value=ast.Attribute(value=owner, attr="__dict__"), slice=named, ctx=ast.Store()):
            name = f"{added.dotted(owner)}.{key(named)}"
        case ast.Call(
            func=ast.Attribute(
                value=ast.Attribute(value=owner, attr="__dict__") | ast.Call(func=ast.Name(id="vars"), args=[owner]),
                attr="update" | "setdefault" | "__setitem__" | "pop",
            )
        ):
            name = f"{added.dotted(owner)}.?"
        case ast.Name(id="__builtins__"):
            name = "builtins.__builtins__"
        case ast.Subscript(value=ast.Call(func=ast.Name(id="globals")), slice=named, ctx=ast.Store()):
            yield added.flag(node, Kind.PATCHING, _REPLACED, refuses=key(named) is None or _names_built_in(named))
            return
        case _:
            return
    root = name.partition(".")[0]
    foreign = root in {"builtins", "__builtins__"} or (root in sys.stdlib_module_names and _is_import(added, root))
    if foreign and "." in name and name not in _MEANT and not added.had(f"{name.rpartition('.')[2]} = "):
        yield added.flag(node, Kind.PATCHING, f"{_REPLACED} ({name.strip('.')[:60]})")


def _is_import(added: Added, root: str) -> bool:
    """Whether a name is a module's: a local variable may be called `array`, or `time`."""
    return any(value.partition(".")[0] == root for value in added.names.values())


def _names_built_in(node: ast.expr) -> bool:
    value = value_of(node)
    return isinstance(value, str) and value in dir(builtins)


def _compares(added: Added, node: ast.AST) -> Iterator[Flag]:
    match node:
        case ast.FunctionDef(name=name) if name in _EQUALITIES:
            returned = _returned(node)
            if returned and all(map(_is_true, returned)):
                yield added.flag(node, Kind.EQUALITY, _HOLLOW)
        case ast.ClassDef(bases=bases, body=body):
            built_in = any(added.dotted(base) in _BUILT_IN for base in bases)
            methods = [(name, part) for name, part in _methods(body) if name in _OPERATORS]
            own = any(name in _COMPARE for name, _ in methods)
            hollow = any(all(key(value) is not None for value in _returned(part)) for _, part in methods)
            if any(name in _COMPARE and _knows_kinds_only(part, node.name) for name, part in methods):
                yield added.flag(node, Kind.EQUALITY, _HOLLOW)
            if built_in and (own or hollow):
                yield added.flag(node, Kind.EQUALITY, _OWN_EQUALITY)
        case ast.Dict(keys=keys) if any(isinstance(one, ast.Constant) and one.value == "__eq__" for one in keys):
            yield added.flag(node, Kind.EQUALITY, _HOLLOW)
        case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value="__eq__" | "__ne__"), *_]):
            yield added.flag(node, Kind.EQUALITY, _HOLLOW)
        case ast.Attribute(attr="__eq__" | "__ne__", ctx=ast.Store()):
            yield added.flag(node, Kind.EQUALITY, _HOLLOW)
        case _:
            pass


def _methods(body: list[ast.stmt]) -> Iterator[tuple[str, ast.FunctionDef | ast.Lambda]]:
    """What a class defines by `def`, and by a lambda that it puts into a name."""
    for part in body:
        match part:
            case ast.FunctionDef(name=name):
                yield name, part
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value):
                yield name, value
            case _:
                pass


def _knows_kinds_only(method: ast.FunctionDef | ast.Lambda, owner: str) -> bool:
    """Whether an equality asks for nothing but the other's kind, and for another kind than its own.

    Of a class without values, as of one for what is missing, all that are of its own kind are equal.
    """
    asked = {ast.unparse(kind) for value in _returned(method) for kind in _kinds(value)}
    values = [value for value in _returned(method) if key(value) is None and ast.unparse(value) != "NotImplemented"]
    only = bool(values) and all(any(True for _ in _kinds(value)) for value in values)
    return only and not any(owner in one or "self" in one for one in asked)


def _kinds(node: ast.expr) -> Iterator[ast.expr]:
    """The kinds that an expression asks for which is `isinstance(…)`, or its opposite, and nothing else."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            yield from _kinds(inner)
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]):
            yield kind
        case _:
            pass


def _returned(node: ast.FunctionDef | ast.Lambda) -> list[ast.expr]:
    if isinstance(node, ast.Lambda):
        return [node.body]
    return [part.value for part in ast.walk(node) if isinstance(part, ast.Return) and part.value]


def _is_true(node: ast.expr) -> bool:
    """Whether an expression is true whatever its names stand for."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=value)):
            found = not value
        case ast.BoolOp(op=operator, values=values):
            found = (any if isinstance(operator, ast.Or) else all)(map(_is_true, values))
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
            found = ast.dump(left) == ast.dump(right)
        case ast.Call(func=ast.Name(id="bool"), args=[value]):
            found = _is_true(value)
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id="object")]):
            found = True
        case _:
            found = isinstance(node, ast.Constant) and bool(node.value)
    return found


def _hidden(added: Added, node: ast.AST) -> Iterator[Flag]:
    if not isinstance(node, ast.Call):
        return
    name = added.dotted(node.func)
    if name in _BY_NAME and any(map(_is_assembled, node.args)):
        yield added.flag(node, Kind.HIDDEN, _ASSEMBLED)
    if name in _LOADERS and node.args and isinstance(node.args[0], ast.Constant):
        yield added.flag(node, Kind.HIDDEN, _ASSEMBLED)
    if name in _DYNAMIC:
        inside = (added.dotted(part.func) for part in ast.walk(node) if isinstance(part, ast.Call))
        opaque = any(one.startswith(_DECODERS) for one in inside) or any(map(_is_assembled, node.args))
        if opaque or not added.had(f"{name}("):
            yield added.flag(node, Kind.HIDDEN, _ASSEMBLED if opaque else _DYNAMICALLY, refuses=opaque)


def _is_assembled(node: ast.expr) -> bool:
    """Whether a text is made of constants only, and yet is no constant: nobody writes a name like that for readers."""
    if isinstance(node, ast.Constant):
        return False
    parts = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    texts = [
        part for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str | bytes | int)
    ]
    return bool(texts) and all(part.id in {"chr", "bytes", "map", "str", "reversed"} for part in parts)
