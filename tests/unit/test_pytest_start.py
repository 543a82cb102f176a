"""How commands that start pytest are taken over."""

import json

import pytest

from sandbox.results import pytest as pytest_results
from sandbox.results import unittest as unittest_results
from sandbox.results.starting import Start, start
from sandbox.spec import Recipe

NONCE = "ab12"
NAME = pytest_results.public(NONCE)
PYTHON = ("python", "-m", "pytest")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ((*PYTHON, "tests"), Start(("python",), ("tests",), None, in_path=True)),
        (("/env/bin/python3.11", "-m", "py.test"), Start(("/env/bin/python3.11",), (), None, in_path=True)),
        (("python3", "-mpytest", "-q"), Start(("python3",), ("-q",), None, in_path=True)),
        (
            ("python", "-X", "dev", "-Werror", "-bb", *PYTHON[1:]),
            Start(("python", "-X", "dev", "-Werror", "-bb"), (), None, in_path=True),
        ),
        (("pytest", "tests"), Start(("python3",), ("tests",), "pytest", in_path=False)),
        (("bin/py.test",), Start(("python3",), (), "bin/py.test", in_path=False)),
        (("env", "A=1", *PYTHON), Start(("env", "A=1", "python"), (), None, in_path=True)),
        (("A=1", "pytest"), Start(("A=1", "python3"), (), "pytest", in_path=False)),
        (
            ("env", "PYTHONPATH=src:lib", *PYTHON, "PYTHONPATH=x"),
            Start(("env", "python"), ("PYTHONPATH=x",), None, in_path=True, path="src:lib"),
        ),
        (("coverage", "run", *PYTHON[1:], "t"), Start(("python3",), ("t",), "coverage", in_path=True)),
        (
            ("python", "-m", "coverage", "run", "-p", "--source", "src", *PYTHON[1:]),
            Start(("python",), (), None, in_path=True),
        ),
        (("timeout", "60", "pytest"), Start(("timeout", "60", "python3"), (), "pytest", in_path=False)),
        (("env", "-u", "A", *PYTHON), Start(("env", "-u", "A", "python"), (), None, in_path=True)),
    ],
)
def test_a_command_that_plainly_starts_pytest_is_taken_over(command: tuple[str, ...], expected: Start) -> None:
    assert start(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        (),
        ("make", "test"),
        ("sh", "-c", "python -m pytest"),
        ("python", "-c", "import pytest; pytest.main()"),
        ("python", "run.py", *PYTHON[1:]),
        ("python", "-m", "tox", "--", "pytest"),
        ("poetry", "run", "pytest"),
        ("env", "-i", "A=1", "timeout", "60", "poetry", "run", "pytest"),
        ("coverage", "run", "x.py", *PYTHON[1:]),
        ("timeout", "60", "pytest", "pytest"),
        ("A=1",),
    ],
)
def test_any_other_is_not(command: tuple[str, ...]) -> None:
    assert start(command) is None


def test_the_interpreter_starts_without_the_recipes_path_which_the_launcher_is_told() -> None:
    recipe = Recipe("python", (), ("env", "PYTHONPATH=src", *PYTHON, "tests"), "test")
    plan = pytest_results.plan(recipe, (), NONCE)
    launcher = f"/regreen/{NAME}/regreen_start_{NAME}.py"
    assert plan.command == ("env", "PYTHONPATH=", "env", "python", launcher, "tests")
    told = {"node_ids": None, "seed": None, "key": NONCE, "program": None, "in_path": True, "path": "src"}
    assert json.loads(plan.tree[f"{NAME}/selection.json"].data) == told


def test_a_command_that_is_not_taken_over_loads_the_launcher_as_a_plugin_and_keeps_its_path() -> None:
    recipe = Recipe("python", (), ("env", "PYTHONPATH=src", "poetry", "run", "pytest"), "test")
    plan = pytest_results.plan(recipe, (), NONCE)
    assert plan.command[3:] == (
        f"PYTHONPATH=/regreen/{NAME}:src", "poetry", "run", "pytest", "-p", f"regreen_start_{NAME}"
    )  # fmt: skip


def test_unittest_starts_without_the_recipes_path_as_well() -> None:
    recipe = Recipe("unittest", (), ("env", "PYTHONPATH=src", "python", "-m", "unittest", "-k", "a"), "test")
    plan = unittest_results.plan(recipe, ("a",), NONCE)
    assert plan.command == ("env", "PYTHONPATH=", "env", "python", f"/regreen/{NONCE}/regreen_{NONCE}.py", "-k", "a")
    assert json.loads(plan.tree[f"{NONCE}/selection.json"].data) == {"node_ids": ["a"], "seed": None, "path": "src"}
