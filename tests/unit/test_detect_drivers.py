"""tox, nox, hatch and make are read for what they would install and run."""

import time

import pytest

from sandbox.detect import detect
from sandbox.detect.python import hatch, nox, tox
from sandbox.detect.shell import Command
from sandbox.spec import File, Given, Recipe, Tree

TESTS = {"setup.py": "", "tests/test_a.py": "", "src/p/__init__.py": ""}


def tree(files: dict[str, str]) -> Tree:
    return {path: File(text.encode()) for path, text in files.items()}


def recipe(**files: str) -> Recipe:
    return detect(tree({**TESTS, **files}))


def said(found: tuple[Command, ...]) -> list[str]:
    return [" ".join(one.words) for one in found]


def test_factors_conditions_references_and_substitutions_of_tox_are_resolved() -> None:
    text = """[tox]
envlist = py{39,311}-{unit,doc}, lint
[base]
deps =
    a
    {[more]deps}
[more]
deps = b
[testenv]
deps =
    {[base]deps}
    unit: c
    !unit: d
    py{39,310}-unit: e
    {env:X}
    -r {toxinidir}/more.txt
extras = unit: test
changedir = {envtmpdir}
setenv =
    PYTHONPATH = {env:PYTHONPATH}{:}{toxinidir}/src
    unit: A = 1
commands =
    unit: python -m pytest {posargs:{toxinidir}/tests} \\
        --import-mode=importlib
    - pytest {envsitepackagesdir}/p
"""
    found = tox.commands(tree({**TESTS, "tox.ini": text, "more.txt": ""}), [])
    assert said(found) == [
        "pip install a b c -r /repo/more.txt",
        "pip install .[test]",
        "python -m pytest /repo/tests --import-mode=importlib",
        "pytest /repo/p",
    ]
    assert dict(found[-1].environment) == {"PYTHONPATH": ":/repo/src", "A": "1"}
    made = recipe(**{"tox.ini": text, "more.txt": ""})
    assert made.test_command == (
        "env",
        "PYTHONPATH=/repo/src",
        *("python", "-m", "pytest", "tests", "--import-mode=importlib"),
    )


@pytest.mark.parametrize("path", ["tox.toml", "pyproject.toml"])
def test_tox_in_toml_is_read_too(path: str) -> None:
    prefix = "" if path == "tox.toml" else "tool.tox."
    text = f"""[{prefix}env_run_base]
deps = ["a"]
dependency_groups = ["test"]
set_env = {{A = "1"}}
commands = [["pytest", {{replace = "posargs", default = ["tests"], extend = true}}]]
[{prefix}env.lint]
commands = [["ruff"]]
"""
    head = '[dependency-groups]\ntest = ["t"]\n'
    files = {"pyproject.toml": head, path: text if path == "tox.toml" else head + text}
    made = recipe(**files)
    assert made.install[-1][4:] == ("t", "a", "pytest")
    assert (made.test_command[-1], made.environment) == ("tests", (("A", "1"),))


def test_a_session_of_nox_is_read_by_its_syntax() -> None:
    text = """import nox
NEEDS = ["a", "b"]
@nox.session(name="tests", python=["3.11"])
def check(session: nox.Session) -> None:
    local = "c"
    session.install("-e", ".[x]", *NEEDS, local)
    session.run("coverage", "run", "-m", "pytest", *(session.posargs or ["tests"]), env={"A": "1", "B": other()})
@nox.session
def lint(session):
    session.run("ruff")
"""
    made = recipe(**{"noxfile.py": text})
    assert made.install[-1][4:] == ("a", "b", "c", "pytest")
    assert made.origins[-1] == "noxfile.py:7"
    assert (made.test_command[-1], made.environment) == ("tests", (("A", "1"),))
    assert said(nox.commands(tree({"noxfile.py": text}), ["lint"])) == ["ruff"]
    assert nox.commands(tree({"noxfile.py": "def ("}), []) == ()


def test_hatch_runs_its_scripts_in_its_environments() -> None:
    text = """[project]
name = "p"
[tool.hatch.envs.default]
dependencies = ["a"]
[tool.hatch.envs.default.scripts]
test = ["prepare", "- cov {args:tests} -x"]
cov = "coverage run -m pytest {args}"
[tool.hatch.envs.hatch-test]
extra-dependencies = ["b"]
env-vars = {A = "1"}
"""
    files = tree({**TESTS, "pyproject.toml": text})
    assert said(hatch.commands(files, ["run", "test"])) == [
        "pip install a",
        "prepare",
        "coverage run -m pytest tests -x",
    ]
    made = detect(files)
    assert {"a", "b", "pytest"} <= set(made.install[-1])
    assert (made.test_command[-1], made.environment) == ("tests", (("A", "1"),))


def test_hatch_has_a_file_of_its_own_which_goes_first() -> None:
    own = """[envs.hatch-test]
dependencies = ["a"]
default-args = ["tests/test_a.py"]
"""
    project = """[project]
name = "p"
[tool.hatch.envs.hatch-test]
dependencies = ["b"]
"""
    made = recipe(**{"pyproject.toml": project, "hatch.toml": own})
    assert "a" in made.install[-1]
    assert "b" not in made.install[-1]
    assert (made.test_command[-1], made.origins[-1]) == ("tests/test_a.py", "hatch.toml:1")
    assert "hatch.toml" in made.inputs


def test_a_makefile_gives_its_test_target_after_what_that_needs() -> None:
    text = """PYTHON ?= python3
.PHONY: test
test: needs ## Run them
\t@$(PYTHON) -m unittest discover \\
\t  -s tests
needs:
\tpip install -r req.txt $(UNKNOWN)
docs: ; sphinx
"""
    files = {"Makefile": text, "req.txt": "a\n"}
    made = recipe(**files)
    assert (made.ecosystem, made.test_command) == (
        "unittest",
        ("python", "-m", "unittest", "discover", "-s", "tests"),
    )
    assert made.install[-1] == ("python", "-m", "pip", "install", "-r", "req.txt")
    assert made.origins[-2:] == ("Makefile:7", "Makefile:5")
    assert recipe(**files, **{"pytest.ini": "[pytest]\n"}).ecosystem == "python"


def test_a_given_command_of_unittest_keeps_its_runner() -> None:
    found = detect(tree(TESTS), Given(("python", "-m", "unittest", "-v")))
    assert (found.ecosystem, found.install[-1][-1]) == ("unittest", ".")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tox.ini", "[testenv]\ndeps =\n" + "    {[testenv]deps}\n" * 2000 + "commands = pytest\n"),
        ("tox.ini", "[testenv]\ncommands =\n" + "    {" + "a,b}{" * 150 + "a}: pytest\n"),
        ("tox.ini", "[tox]\nenvlist = " + "{a,b}" * 150 + "\n[testenv]\ncommands = pytest\n"),
        ("Makefile", "test: " + "test a b " * 100 + "\na: b test\nb: a\n\tmake test\n" * 100),
        ("Makefile", "A = $(A)$(A)$(A)\ntest:\n\tpytest $(A)\n"),
        ("noxfile.py", "A=[" + "*A," * 300 + "]\n@session\ndef tests(session):\n" + " session.run(*A)\n" * 300),
        (
            "pyproject.toml",
            '[tool.hatch.envs.default.scripts]\ntest = ["' + "test {args} {args}" * 20 + '"]\n'
            'a = ["test", "a", "a", "a"]\n',
        ),
        ("scripts/test", "sh scripts/test\n" * 100),
    ],
)  # fmt: skip
def test_what_refers_to_itself_ends_soon(path: str, text: str) -> None:
    started = time.process_time()
    assert recipe(**{path: text}).test_command
    assert time.process_time() - started < 20 * (recipe_seconds() + 0.05)


def recipe_seconds() -> float:
    """What this machine takes for a plain tree of the same kind, so that no absolute time is asserted."""
    started = time.process_time()
    for _ in range(10):
        recipe(**{"tox.ini": "[testenv]\ncommands = pytest\n" + "# comment\n" * 200})
    return time.process_time() - started
