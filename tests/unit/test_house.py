"""The rules of the house that no linter holds."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.settings import Settings

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "bot" / "demo" / "sample"
MODULES = sorted(
    path
    for top in ("bot", "sandbox", "tests", "docs")
    for path in (ROOT / top).rglob("*.py")
    if SAMPLE not in path.parents
)
VAGUE = {"utils", "util", "helpers", "helper", "manager", "data", "info", "misc", "common"}
LONGEST_FUNCTION, LONGEST_FILE = 50, 300
# Spelled in pieces, so that this file does not name them itself.
REGISTRIES = ("py" + "pi.org", "python" + "hosted.org", "registry." + "npmjs", "npm" + "js.org", "deb." + "debian.org")
MACHINE = re.compile(r"(?<![\w/])/(?:work|tmp/w|root)/\w")


def committed() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Name and length of each function; a decorator belongs to it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield f"{path.relative_to(ROOT)}:{node.name}", (node.end_lineno or first) - first + 1


def test_no_function_is_longer_than_a_screen() -> None:
    long = {name: lines for path in MODULES for name, lines in functions(path) if lines > LONGEST_FUNCTION}
    assert not long


def test_no_file_is_longer_than_a_few_screens() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in MODULES}
    assert not {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE}


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert not [path for path in MODULES if {path.stem, path.parent.name} & VAGUE]


def test_nothing_committed_names_a_registry_or_this_machine() -> None:
    named = []
    for path in committed():
        text = path.read_bytes().decode(errors="replace")
        if any(host in text for host in REGISTRIES) or MACHINE.search(text):
            named.append(str(path.relative_to(ROOT)))
    assert not named


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_says_what_it_decides(name: str) -> None:
    assert Settings.model_fields[name].description


def test_only_the_settings_and_the_demo_read_the_environment() -> None:
    # The demo launches processes and hands its environment on to them.
    allowed = {ROOT / "bot" / "settings.py", *(ROOT / "bot" / "demo").glob("*.py")}
    product = [path for path in MODULES if path.relative_to(ROOT).parts[0] in {"bot", "sandbox"}]
    readers = [path for path in product if path not in allowed and _reads_environment(path)]
    assert not [str(path.relative_to(ROOT)) for path in readers if "guest" not in path.parts]


def _reads_environment(path: Path) -> bool:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    used = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}
    imported = {
        f"{node.module}.{name.name}" for node in nodes if isinstance(node, ast.ImportFrom) for name in node.names
    }
    return bool({"os.environ", "os.getenv"} & (used | imported))
