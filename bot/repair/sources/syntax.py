"""Python sources as trees: parsing without side effects, and the functions of a file with their line ranges."""

import ast
import warnings
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


def compile_error(source: str) -> str:
    """What is wrong with a source that parses and yet is no program, as an `await` outside of a coroutine is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source, "<source>", "exec", dont_inherit=True, optimize=0)
        except SyntaxError as error:
            return f"line {error.lineno}: {error.msg}"
        except (ValueError, RecursionError, MemoryError):
            return ""
    return ""


def functions(tree: ast.AST) -> tuple[Function, ...]:
    """Every function, method and nested function in order of appearance; nested names are `outer.inner`."""
    found: list[Function] = []
    # By hand, since each branch of a chain of `elif` lies in the one before it: hundreds are too deep to recurse.
    todo = _blocks(tree, "")
    while todo:
        node, name = todo.pop()
        if isinstance(node, FunctionNode):
            found.append(Function(name, node, start_line(node), node.end_lineno or node.lineno))
        todo += _blocks(node, f"{name}." if isinstance(node, FunctionNode | ast.ClassDef) else name)
    return tuple(found)


def _blocks(node: ast.AST, prefix: str) -> list[tuple[ast.AST, str]]:
    """What may hold functions in a node, last first, with its qualified name or the prefix that it hands on."""
    return [
        (child, f"{prefix}{child.name}" if isinstance(child, FunctionNode | ast.ClassDef) else prefix)
        for child in reversed(list(ast.iter_child_nodes(node)))
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case)
    ]


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
