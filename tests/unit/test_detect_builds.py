"""Of a package's own files only those decide the environment that its build reads or runs."""

import pytest

from sandbox.detect import detect
from sandbox.spec import File

PACKAGE = {
    "src/p/__init__.py": "from p import a, b\n__version__ = '1'\n",
    "src/p/a.py": "import p.b\n",
    "src/p/b.py": "",
    "src/p/about.py": "from p.a import x\n__version__: str = '1'\nMADE = x()\n",
    "hook.py": "import own\n",
    "own.py": "",
    "test_a.py": "",
}
EVERYTHING = {"src/p/__init__.py", "src/p/a.py", "src/p/b.py"}


def python(files: dict[str, str]) -> set[str]:
    tree = {path: File(text.encode()) for path, text in {**PACKAGE, **files}.items()}
    return {path for path in detect(tree).inputs if path.endswith(".py") and path != "setup.py"}


def project(table: str, backend: str = "x") -> dict[str, str]:
    head = f'[build-system]\nbuild-backend = "{backend}"\n[project]\nname = "p"\ndynamic = ["version"]\n'
    return {"pyproject.toml": head + table}


@pytest.mark.parametrize(
    ("files", "read"),
    [
        (project('[tool.setuptools.dynamic]\nversion = {attr = "p.__version__"}\n'), "src/p/__init__.py"),
        (project('[tool.setuptools.dynamic]\nversion = {attr = "p.about.__version__"}\n'), "src/p/about.py"),
        (project('[tool.hatch.version]\npath = "src/p/__init__.py"\n'), "src/p/__init__.py"),
        (project("") | {"hatch.toml": '[version]\npath = "src/p/about.py"\n'}, "src/p/about.py"),
        (project('[tool.pdm.version]\nsource = "file"\npath = "src/p/__init__.py"\n'), "src/p/__init__.py"),
        (project("", "flit_core.buildapi"), "src/p/__init__.py"),
        ({"setup.cfg": "[metadata]\nversion = attr: p.__version__\n", "setup.py": ""}, "src/p/__init__.py"),
    ],
)
def test_a_version_is_read_from_one_file(files: dict[str, str], read: str) -> None:
    assert python(files) == {read}


def test_a_version_that_is_computed_is_imported_with_all_that_it_takes() -> None:
    computed = {"src/p/__init__.py": "from . import a, b\n__version__ = a.version()\n", "src/p/a.py": ""}
    assert python(project('[tool.setuptools.dynamic]\nversion = {attr = "p.__version__"}\n') | computed) == EVERYTHING
    source = '[tool.hatch.version]\nsource = "code"\npath = "src/p/__init__.py"\n'
    assert python(project(source) | computed) == EVERYTHING


@pytest.mark.parametrize(
    "table",
    [
        '[tool.ruff.lint.per-file-ignores]\n"src/p/__init__.py" = ["F401"]\n',
        '[tool.coverage.run]\nomit = ["src/p/a.py", "hook.py"]\n',
    ],
)
def test_what_other_tools_are_told_decides_nothing(table: str) -> None:
    assert python(project(table)) == set()


def test_a_hook_is_run_with_what_it_imports() -> None:
    assert python(project('[tool.hatch.build.hooks.custom]\npath = "hook.py"\n')) == {"hook.py", "own.py"}
    assert python(project('[tool.poetry]\nbuild = "hook.py"\n')) == {"hook.py", "own.py"}
    assert python(project('[tool.poetry.build]\nscript = "hook.py"\n')) == {"hook.py", "own.py"}
