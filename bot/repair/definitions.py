"""The second rung: whole functions by qualified name, in a block of their own or inside their class."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from bot.errors import EditError
from bot.repair.indentation import DEFAULT_UNIT, Translation, indent_of, unit_of
from bot.repair.replies import CodeBlock
from bot.repair.sourcetext import SourceText
from bot.repair.syntax import Function, FunctionNode, functions, parse, start_line, syntax_error

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Definition:
    """One function as a reply gives it; `qualified_name` is as far as the block says it."""

    qualified_name: str
    node: FunctionNode
    lines: Lines


@dataclass(frozen=True, slots=True)
class Block:
    """A block that holds functions and imports only; `imports` are written out one by one."""

    definitions: tuple[Definition, ...]
    imports: frozenset[str]


def read_block(block: CodeBlock) -> Block | None:
    """The functions of a block that holds nothing else but imports and docstrings; `None` for any other block.

    Raises `EditError` when the block does not parse.
    """
    lines = _dedented(block.lines)
    tree = parse("\n".join(lines))
    if tree is None:
        problem = syntax_error("\n".join(lines))
        raise EditError(f"The code block does not parse: {problem}", "Answer with complete, valid Python.")
    found = _definitions(tree.body, lines, "")
    if not found:
        return None
    named = block.place.name if block.place else ""
    if len(found) == 1 and named.rpartition(".")[2] == found[0].node.name:
        found = (Definition(named, found[0].node, found[0].lines),)
    return Block(found, _imports(tree))


def fits(source: SourceText, block: Block) -> bool:
    """Whether the file has each function of the block, and its imports."""
    tree = parse(source.text)
    known = tree is not None and block.imports <= _imports(tree)
    return known and all(_matches(source, definition) for definition in block.definitions)


def only_known(source: SourceText, block: CodeBlock) -> Definition | None:
    """The one function of a block that the file has too, whatever else the block holds; `None` when not exactly one."""
    lines = _dedented(block.lines)
    tree = parse("\n".join(lines))
    found = functions(tree) if tree else ()
    names = {function.qualified_name for function in found}
    outer = [function for function in found if function.owner not in names]
    definitions = [Definition(new.qualified_name, new.node, lines[new.start_line - 1 : new.end_line]) for new in outer]
    known = [definition for definition in definitions if _matches(source, definition)]
    return known[0] if len(known) == 1 else None


def replace_function(path: str, source: SourceText, new: Definition) -> SourceText:
    """Put one function in the place of its namesake; the old decorators stay when the reply gives none.

    Raises `EditError` when the file has no such function, or several.
    """
    old = _namesake(path, source, new)
    first = old.start_line if new.node.decorator_list else old.node.lineno
    window = source.lines[first - 1 : old.end_line]
    return source.splice(first - 1, old.end_line, _placed(window, old, new))


def owners(files: Mapping[str, SourceText], new: Definition) -> tuple[str, ...]:
    """The Python files that define a function of this name."""
    return tuple(path for path, source in files.items() if path.endswith(".py") and _matches(source, new))


def _definitions(body: list[ast.stmt], lines: Lines, prefix: str) -> tuple[Definition, ...]:
    """The functions of a body, or none when anything else stands there too."""
    found: list[Definition] = []
    for node in body:
        if isinstance(node, FunctionNode):
            text = lines[start_line(node) - 1 : node.end_lineno]
            found.append(Definition(f"{prefix}{node.name}", node, text))
        elif isinstance(node, ast.ClassDef):
            inner = _definitions(node.body, lines, f"{prefix}{node.name}.")
            found.extend(inner)
            if not inner:
                return ()
        elif not _is_filler(node):
            return ()
    return tuple(found)


def _is_filler(node: ast.stmt) -> bool:
    """An import, a docstring, an ellipsis or `pass`: what stands around a function that is really meant."""
    constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return constant or isinstance(node, ast.Pass | ast.Import | ast.ImportFrom)


def _imports(tree: ast.Module) -> frozenset[str]:
    nodes = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    origins = [f"{'.' * node.level}{node.module or ''}" if isinstance(node, ast.ImportFrom) else "" for node in nodes]
    return frozenset(
        f"{origin}:{alias.name}:{alias.asname}"
        for node, origin in zip(nodes, origins, strict=True)
        for alias in node.names
    )


@lru_cache(maxsize=128)
def _functions(text: str) -> tuple[Function, ...]:
    """Asked again for each block of a reply."""
    tree = parse(text)
    return functions(tree) if tree else ()


def _matches(source: SourceText, new: Definition) -> list[Function]:
    """By qualified name; a bare name means a method exactly when its first parameter is `self` or `cls`."""
    named = [function for function in _functions(source.text) if function.name == new.node.name]
    exact = [function for function in named if function.qualified_name == new.qualified_name]
    if exact and _is_method(exact[0].node) == _is_method(new.node):
        return exact
    ends = [function for function in named if function.qualified_name.endswith(f".{new.qualified_name}")]
    return [function for function in ends if _is_method(function.node) == _is_method(new.node)] or exact or ends


def _is_method(node: FunctionNode) -> bool:
    return bool(node.args.args) and node.args.args[0].arg in {"self", "cls"}


def _namesake(path: str, source: SourceText, new: Definition) -> Function:
    hits = _matches(source, new)
    if len(hits) > 1:
        hits = [hit for hit in hits if _decorators(hit.node) == _decorators(new.node)] or hits
    if len(hits) == 1:
        return hits[0]
    if hits:
        names = ", ".join(f"{hit.qualified_name} (line {hit.start_line})" for hit in hits[:5])
        raise EditError(
            f"{path} defines {new.qualified_name} {len(hits)} times: {names}",
            "Write `path :: Class.function` above the block, or use a search/replace edit.",
        )
    raise EditError(
        f"{path} defines no function {new.qualified_name}",
        "Replace a function that exists; put new code inside it, or use a search/replace edit.",
    )


def _decorators(node: FunctionNode) -> tuple[str, ...]:
    return tuple(ast.dump(decorator) for decorator in node.decorator_list)


def _placed(window: Lines, old: Function, new: Definition) -> Lines:
    """The new lines at the old depth and unit; lines inside of strings that the file already holds stay as they are."""
    translation = Translation(
        indent_of(new.lines[0]),
        _body_unit(new.lines, new.node, indent_of(new.lines[0])),
        indent_of(window[0]),
        _body_unit(window, old.node, indent_of(window[0])),
    )
    present, inside = set(window), _inside_strings(new.node)
    return tuple(
        line if at in inside and line in present else translation.apply(line) for at, line in enumerate(new.lines)
    )


def _body_unit(lines: Lines, node: FunctionNode, base: str) -> str:
    """What the body is indented by below its `def`; the most frequent step when it stands on the same line."""
    first = node.body[0]
    if first.lineno == node.lineno:
        return unit_of(lines)
    line = next((text for text in lines[1:] if len(indent_of(text)) == first.col_offset and text.strip()), "")
    return indent_of(line)[len(base) :] or " " * DEFAULT_UNIT


def _inside_strings(node: FunctionNode) -> set[int]:
    """Indexes, within the function, of lines that begin inside of a string: their blanks are content."""
    first = start_line(node)
    strings = (part for part in ast.walk(node) if isinstance(part, ast.Constant | ast.JoinedStr))
    return {line - first for part in strings for line in range(part.lineno + 1, (part.end_lineno or part.lineno) + 1)}


def _dedented(lines: Lines) -> Lines:
    """Without the first line's indentation, where every line that is not blank has it."""
    base = next((indent_of(line) for line in lines if line.strip()), "")
    if base and all(line.startswith(base) for line in lines if line.strip()):
        return tuple(line[len(base) :] for line in lines)
    return lines
