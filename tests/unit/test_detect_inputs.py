"""Whatever can change what an environment holds is among a recipe's inputs."""

import pytest

from sandbox.detect import detect
from sandbox.detect.python.inputs import MAX_FILES
from sandbox.environments.keys import environment_key
from sandbox.spec import File, Tree

SETUP = {"setup.py": "from setuptools import setup\nsetup(name='p')\n"}


def tree(files: dict[str, str]) -> Tree:
    return {path: File(text.encode()) for path, text in {"test_a.py": "", "calc.py": "X = 1\n", **files}.items()}


def inputs(files: dict[str, str]) -> tuple[str, ...]:
    return detect(tree(files)).inputs


@pytest.mark.parametrize(
    "line",
    [
        "-r more/deps.txt",
        "-rmore/deps.txt",
        "--requirement=more/deps.txt",
        "--req ./more/deps.txt  # why",
        "-c more/deps.txt",
        "--constraint 'more/deps.txt'",
        "a==1\n-r \\\nmore/deps.txt",
        "-r more/../more/./deps.txt",
    ],
)
def test_a_file_that_requirements_include_or_are_constrained_by_is_an_input_and_decides_the_key(line: str) -> None:
    before = tree({"requirements.txt": line + "\n", "more/deps.txt": "b==1\n"})
    recipe = detect(before)
    assert recipe.inputs == ("more/deps.txt", "requirements.txt")
    after = {**before, "more/deps.txt": File(b"b==2\n")}
    assert environment_key("base", "o/r", before, recipe) != environment_key("base", "o/r", after, detect(after))
    changed = {**before, "calc.py": File(b"X = 2\n")}
    assert environment_key("base", "o/r", before, recipe) == environment_key("base", "o/r", changed, detect(changed))


def test_inclusion_is_followed_relative_to_the_including_file_and_a_cycle_ends() -> None:
    files = {
        "requirements.txt": "-r deep/a.lst\n",
        "deep/a.lst": "-c b.lst\n",
        "deep/b.lst": "-r ../requirements.txt\n",
    }
    assert inputs(files) == ("deep/a.lst", "deep/b.lst", "requirements.txt")


def test_what_only_the_tox_environment_installs_is_an_input() -> None:
    assert "more.txt" in inputs({"tox.ini": "[testenv]\ndeps = -rmore.txt\n", "more.txt": "a\n"})


def test_a_local_project_counts_by_its_manifests_and_a_link_by_its_target() -> None:
    files = tree({"libs/x/setup.py": "", "libs/x/x.py": "", "deps.lst": "a\n"})
    files = {**files, "requirements.txt": File(b"deps.lst", 0o120000), "dev-requirements.txt": File(b"-e ./libs/x\n")}
    assert detect(files).inputs == ("deps.lst", "dev-requirements.txt", "libs/x/setup.py", "requirements.txt")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("import version", {"version.py"}),
        ("from tools import build", {"tools/__init__.py", "tools/build.py", "tools/deep.py"}),
        ("exec(open('version.py').read())", {"version.py"}),
        ("install_requires=open('deps.lst').read().split()", {"deps.lst"}),
        ("def (\nimport version", set()),
    ],
)
def test_what_a_setup_script_imports_or_names_is_an_input(script: str, expected: set[str]) -> None:
    files = {
        "setup.py": script,
        "version.py": "",
        "deps.lst": "",
        "tools/__init__.py": "",
        "tools/build.py": "from . import deep\n",
        "tools/deep.py": "",
        "tools/other.py": "",
    }
    assert set(inputs(files)) == {"setup.py"} | expected


def test_what_a_configuration_names_and_a_backend_in_the_tree_are_inputs() -> None:
    pyproject = """[build-system]
build-backend = "own:hooks"
backend-path = ["back"]
[project]
name = "p"
readme = "README.md"
[tool.setuptools.dynamic]
dependencies = {file = ["deps.lst"]}
"""
    files = {
        "pyproject.toml": pyproject,
        "README.md": "",
        "deps.lst": "",
        "back/own.py": "import near\n",
        "back/near.py": "",
    }
    assert inputs(files) == ("back/near.py", "back/own.py", "deps.lst", "pyproject.toml")
    assert "deps.lst" in inputs(
        {**SETUP, "setup.cfg": "[options]\ninstall_requires = file: deps.lst\n", "deps.lst": ""}
    )


@pytest.mark.parametrize("start", ["requirements.txt", "setup.py"])
def test_where_too_much_would_have_to_be_followed_the_whole_tree_decides(start: str) -> None:
    def chained(count: int) -> Tree:
        ending, line = (".txt", "-r m{}.txt\n") if start == "requirements.txt" else (".py", "import m{}\n")
        chain = {f"m{number}{ending}": line.format(number + 1) for number in range(count)}
        return tree({start: line.format(0), **chain})

    assert "calc.py" not in detect(chained(MAX_FILES - 2)).inputs
    assert set(detect(chained(MAX_FILES + 1)).inputs) == set(chained(MAX_FILES + 1))


def test_a_script_that_is_made_to_be_slow_to_read_makes_the_whole_tree_decide() -> None:
    assert "calc.py" in inputs({**SETUP, "setup.py": f"x = 1{'+1' * 600}\n"})
