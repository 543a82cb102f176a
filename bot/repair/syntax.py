"""Python sources as trees: parsing without side effects, and the functions of a file with their line ranges."""

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Function:
    """One function of a file. Lines count from 1; `start_line` is the first decorator's, `end_line` is inclusive."""

    qualified_name: str
    node: FunctionNode
    start_line: int
    end_line: int

    @property
    def name(self) -> str:
        """The last part of the qualified name."""
        return self.node.name

    @property
    def owner(self) -> str:
        """What encloses the function: a class, an outer function, or nothing."""
        return self.qualified_name.rpartition(".")[0]


def parse(source: str | bytes) -> ast.Module | None:
    """The tree, or `None` for what this interpreter cannot parse. Bytes may carry a BOM and an encoding cookie."""
    return _parsed(source)[0]


def syntax_error(source: str | bytes) -> str:
    """What is wrong with a source that does not parse, with its line; empty when it does."""
    return _parsed(source)[1]


def functions(tree: ast.AST) -> tuple[Function, ...]:
    """Every function, method and nested function in order of appearance; nested names are `outer.inner`."""
    return tuple(_walk(tree, ""))


def start_line(node: FunctionNode | ast.ClassDef) -> int:
    """The line of the first decorator, or of the definition itself."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _parsed(source: str | bytes) -> tuple[ast.Module | None, str]:
    with warnings.catch_warnings():
        # An invalid escape in somebody's repository is not our warning.
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source), ""
        except SyntaxError as error:
            return None, f"line {error.lineno}: {error.msg}"
        except (ValueError, RecursionError, MemoryError) as error:
            return None, f"{type(error).__name__}: {error}"


def _walk(node: ast.AST, prefix: str) -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FunctionNode):
            name = f"{prefix}{child.name}"
            yield Function(name, child, start_line(child), child.end_lineno or child.lineno)
            yield from _walk(child, f"{name}.")
        elif isinstance(child, ast.ClassDef):
            yield from _walk(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _walk(child, prefix)
