"""setup.py, setup.cfg and ini files, read without running anything."""

import ast
import configparser
from collections.abc import Iterator, Mapping

from sandbox.detect import work
from sandbox.detect.python.declared import Declared, bounded, plain_requirements
from sandbox.detect.reading import MAX_LINE, MAX_SIZE, source, text
from sandbox.spec import Tree


def installable(tree: Tree) -> bool:
    """Whether there is a setup.py; a setup.cfg alone is nothing that pip builds."""
    return "setup.py" in tree


def read(tree: Tree) -> tuple[Declared, ...]:
    """Extras and test requirements of setup.cfg and setup.py."""
    return (*bounded(_configured(tree), "setup.cfg"), *bounded(_called(tree), "setup.py"))


def ini(tree: Tree, path: str) -> dict[str, dict[str, str]]:
    """An ini file's sections, empty where there is none or it cannot be read; spaces inside a line count as one."""
    content = text(tree, path)
    return work.once(tree, ("ini", path), lambda: ini_text(content))


def ini_text(content: str) -> dict[str, dict[str, str]]:
    """The same of a text; nothing where one of its lines is too long."""
    if any(len(line) > MAX_LINE for line in content.splitlines()):
        return {}
    work.spend(len(content))
    # No section header holds a line break, so none is the one whose settings are copied into every other.
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, default_section="\n")
    try:
        # The parser's pattern takes time that is quadratic in the length of a run of spaces.
        lines = (line[: _indent(line)] + " ".join(line.split()) for line in content.splitlines())
        parser.read_string("\n".join(lines))
    # A line that continues a setting without a value is more than the parser knows how to complain about.
    except (configparser.Error, AttributeError, ValueError, RecursionError):
        return {}
    return {name: {key: value or "" for key, value in parser.items(name)} for name in parser.sections()}


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _configured(tree: Tree) -> Iterator[Declared]:
    sections, content = ini(tree, "setup.cfg"), text(tree, "setup.cfg")
    for name in sections.get("options.extras_require", {}):
        yield Declared(name, source("setup.cfg", content, "[options.extras_require]", name), extras=(name,))
    required = plain_requirements(sections.get("options", {}).get("tests_require", "").splitlines())
    if required:
        yield Declared("tests", source("setup.cfg", content, "[options]", "tests_require"), requirements=required)


def _called(tree: Tree) -> Iterator[Declared]:
    try:
        # Python's own parser is linear, and generated scripts hold a whole description in a line.
        module = ast.parse(text(tree, "setup.py", line=MAX_SIZE))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    literals = {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for keyword in _setup_keywords(module):
        where = f"setup.py:{keyword.value.lineno}"
        value = _literal(keyword.value, literals)
        if keyword.arg == "extras_require" and isinstance(value, Mapping):
            for name in value:
                yield Declared(str(name), where, extras=(str(name),))
        if keyword.arg == "tests_require":
            yield Declared("tests", where, requirements=plain_requirements(value))


def _setup_keywords(module: ast.Module) -> Iterator[ast.keyword]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            yield from node.keywords if name == "setup" else ()


def _literal(node: ast.expr, literals: Mapping[str, ast.expr]) -> object:
    """A literal, or a name of one; of a dictionary at least the keys."""
    if isinstance(node, ast.Name) and node.id in literals:
        node = literals[node.id]
    if isinstance(node, ast.Dict):
        return {key.value: None for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
