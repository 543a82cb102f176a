import pytest

from sandbox.detect import detect
from sandbox.errors import DetectionError
from sandbox.spec import File, Given, Recipe, Tree

TESTS = {"tests/test_a.py": "def test_a(): pass\n"}
SETUP = {"pyproject.toml": '[project]\nname = "p"\nversion = "1"\n'}


def tree(files: dict[str, str]) -> Tree:
    return {path: File(text.encode()) for path, text in files.items()}


def project(pyproject: str = "", **files: str) -> Recipe:
    return detect(tree({"pyproject.toml": SETUP["pyproject.toml"] + pyproject, **TESTS, **files}))


def arguments(recipe: Recipe) -> tuple[str, ...]:
    """What the last step installs, pytest itself left out."""
    assert recipe.install[-1][:4] == ("python", "-m", "pip", "install")
    assert recipe.install[-1][-1] == "pytest"
    return recipe.install[-1][4:-1]


def test_every_recipe_starts_with_the_environment_installs_the_project_editable_and_brings_pytest() -> None:
    recipe = project()
    assert recipe.install == (
        ("python3", "-m", "venv", "/env"),
        ("python", "-m", "pip", "install", "--use-pep517", "-e", "."),
        ("python", "-m", "pip", "install", "pytest"),
    )
    assert recipe.test_command == ("python", "-m", "pytest")
    assert (recipe.ecosystem, recipe.source, recipe.inputs) == ("python", "tests/test_a.py:1", ("pyproject.toml",))


def test_a_test_extra_is_installed_with_the_project_and_named_with_its_line() -> None:
    recipe = project('[project.optional-dependencies]\ndocs = ["d"]\ntest = ["t"]\ndev = ["v"]\n')
    assert recipe.install[1][-1] == ".[test]"
    assert recipe.source.startswith("pyproject.toml:6; ")


def test_development_extras_serve_only_where_nothing_is_named_after_tests() -> None:
    recipe = project('[project.optional-dependencies]\ndev = ["v"]\n')
    assert recipe.install[1][-1] == ".[dev]"
    recipe = project('[project.optional-dependencies]\ndev = ["v"]\n[dependency-groups]\ntests = ["t"]\n')
    assert (recipe.install[1][-1], arguments(recipe)) == (".", ("t",))


def test_dependency_groups_are_expanded_and_a_cycle_ends() -> None:
    groups = """[dependency-groups]
test = ["a>=1", {include-group = "More.Tools"}, "--index-url=https://elsewhere.example"]
more_tools = ["b", {include-group = "test"}]
"""
    assert arguments(project(groups)) == ("a>=1", "b")


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ('[tool.poetry.group.test.dependencies]\na = "^1.2"\npython = "^3.9"\n', ("a>=1.2,<2",)),
        ('[tool.poetry.group.test.dependencies]\na = {version = "~0.3", extras = ["x"]}\n', ("a[x]>=0.3,<0.4",)),
        ('[tool.poetry.group.test.dependencies]\na = "^0.0.3"\nb = "*"\n', ("a>=0.0.3,<0.0.4", "b")),
        ('[tool.poetry.group.test.dependencies]\na = "1.2"\nb = ">= 1, < 3"\n', ("a==1.2", "b>=1,<3")),
        ('[tool.poetry.dev-dependencies]\na = "^1 || ^2"\nb = [{version = "1"}]\n', ("a", "b")),
        ('[tool.hatch.envs.default]\ndependencies = ["a"]\nextra-dependencies = ["b"]\n', ("a", "b")),
        ('[tool.pdm.dev-dependencies]\ntest = ["a"]\n', ("a",)),
        ('[tool.uv]\ndev-dependencies = ["a"]\n', ("a",)),
    ],
)
def test_the_tables_of_the_common_tools_are_read(table: str, expected: tuple[str, ...]) -> None:
    assert arguments(project(table)) == expected


@pytest.mark.parametrize(
    "path",
    [
        "requirements-test.txt",
        "test-requirements.txt",
        "requirements_dev.txt",
        "requirements/tests.txt",
        "tests/requirements.txt",
    ],
)
def test_files_of_test_requirements_are_found_by_their_names(path: str) -> None:
    recipe = project(**{path: "a\n", "docs/requirements.txt": "sphinx\n"})
    assert arguments(recipe) == ("-r", path)
    assert path in recipe.inputs


def test_plain_requirements_serve_where_the_project_is_no_package() -> None:
    recipe = detect(tree({"requirements.txt": "a\n", **TESTS}))
    assert len(recipe.install) == 2
    assert arguments(recipe) == ("-r", "requirements.txt")


def test_a_setup_script_is_read_but_never_run() -> None:
    script = """
import os; os._exit(1)
EXTRAS = {"test": needed(), "docs": []}
setup(name="p", extras_require=EXTRAS, tests_require=["t"])
"""
    recipe = detect(tree({"setup.py": script, **TESTS}))
    assert recipe.install[1][-1] == ".[test]"
    assert arguments(recipe) == ("t",)
    assert "setup.py:4" in recipe.source


def test_a_setup_configuration_is_read() -> None:
    configuration = "[metadata]\nname = p\n[options.extras_require]\ntesting =\n    t\n"
    recipe = detect(tree({"setup.py": "", "setup.cfg": configuration, **TESTS}))
    assert recipe.install[1][-1] == ".[testing]"
    assert "setup.cfg:4" in recipe.source


def test_tox_serves_where_nothing_else_declares_test_requirements() -> None:
    tox = "[testenv]\ndeps =\n    a\n    py38: b\n    {env:X}\n    -r{toxinidir}/more.txt\n    -rmissing.txt\n"
    assert arguments(project(**{"tox.ini": tox, "more.txt": "c\n"})) == ("-r", "more.txt", "a")
    assert arguments(project(**{"tox.ini": tox, "requirements-test.txt": "t\n"})) == ("-r", "requirements-test.txt")


def test_plugins_that_the_options_presuppose_are_installed() -> None:
    recipe = project('[tool.pytest.ini_options]\naddopts = "-ra --cov=p -n auto"\nasyncio_mode = "auto"\n')
    assert arguments(recipe) == ("pytest-asyncio", "pytest-cov", "pytest-xdist")
    assert recipe.source == "pyproject.toml:4"
    assert arguments(project(**{"pytest.ini": "[pytest]\naddopts = --no-header -nologo\n"})) == ()


def test_a_given_test_command_wins_and_is_named_as_given() -> None:
    recipe = detect(tree({**SETUP, **TESTS}), Given(("pytest", "-x")))
    assert (recipe.test_command, recipe.source) == (("pytest", "-x"), "given")
    assert detect(tree({"README": ""}), Given(("pytest",))).install[0][-1] == "/env"


def test_a_suite_without_any_manifest_still_has_a_recipe() -> None:
    recipe = detect(tree({"calc.py": "", "test_calc.py": "import unittest\n"}))
    assert [step[-1] for step in recipe.install] == ["/env", "pytest"]


def test_no_project_and_no_tests_is_an_error_with_a_remedy() -> None:
    with pytest.raises(DetectionError, match="Add tests that pytest finds"):
        detect(tree({"main.go": "package main\n"}))


@pytest.mark.parametrize("text", ["[project", "a = " + "[\n" * 5000, "\xff"])
def test_a_manifest_that_cannot_be_read_is_an_error_that_names_it(text: str) -> None:
    with pytest.raises(DetectionError, match=r"pyproject\.toml is no valid TOML"):
        detect(tree({"pyproject.toml": text, **TESTS}))


@pytest.mark.parametrize(
    "text",
    [
        "project = 1\n[tool]\npoetry = [1]\npytest = 3\n",
        (
            '[project]\nname = "p"\noptional-dependencies = [1]\n'
            '[dependency-groups]\ntest = "x"\ndev = [1, {include-group = 2}]\n'
        ),
        (
            '[project]\nname = "p"\n[tool.hatch.envs]\ndefault = 3\n'
            "[tool.pdm]\ndev-dependencies = {test = 1}\n[tool.uv]\ndev-dependencies = {}\n"
        ),
    ],
)
def test_values_of_the_wrong_kind_are_passed_over(text: str) -> None:
    assert detect(tree({"pyproject.toml": text, **TESTS})).install[-1][-1] == "pytest"


def test_ini_files_and_scripts_that_cannot_be_read_are_passed_over() -> None:
    broken = {"setup.py": "def (", "setup.cfg": "no section", "tox.ini": "[x", "pytest.ini": "[pytest]\naddopts\n"}
    assert detect(tree({**broken, **TESTS})).install[1][-1] == "."
