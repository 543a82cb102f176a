"""Of all that a repository can run, what is there for its tests: by name, by what it starts, by how much it covers."""

import json

import pytest

from sandbox.detect import detect
from sandbox.detect.naming import Rank, rank
from sandbox.spec import File, Recipe

TESTS = {"setup.py": "", "src/p/__init__.py": ""} | {f"tests/test_{name}.py": "" for name in "abcd"}
PYTEST = "python -m pytest"


def recipe(files: dict[str, str]) -> Recipe:
    return detect({path: File(text.encode()) for path, text in files.items()})


def chosen(**files: str) -> tuple[str, str]:
    """The test command, and where it was read."""
    made = recipe({**TESTS, **files})
    return " ".join(made.test_command), made.origins[-1]


WRAPPED = """PREPARE := python -m tools.prepare
check: lint
\truff check .
\tpytest -q tests/test_a.py
lint:
\tmypy
test:
\t@$(PREPARE) --with-db python -P -m pytest $(ARGS)
"""
OPAQUE = """check:
\tpytest tests/test_a.py
test:
\tdocker compose up --exit-code-from tests
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WRAPPED, (PYTEST, "Makefile:8")),
        # What `check` runs of the tests by the way says nothing of the others ...
        (OPAQUE, (PYTEST, "tests/test_a.py:1")),
        # ... and it may be what runs them all.
        (OPAQUE.replace("tests/test_a.py", "tests -p no:x"), (f"{PYTEST} tests -p no:x", "Makefile:2")),
        ("all: lint\n\tpytest -W error\nlint:\n\truff check\n", (f"{PYTEST} -W error", "Makefile:2")),
        ("lint:\n\tpytest --flake8\n", (PYTEST, "tests/test_a.py:1")),
        ("unit-tests:\n\tpytest tests/test_b.py\n", (f"{PYTEST} tests/test_b.py", "Makefile:2")),
        ("test:\n\tuv run coverage run -m pytest -W error\n", (f"{PYTEST} -W error", "Makefile:2")),
        ("test:\n\tdocker compose run --rm web pytest tests\n", (f"{PYTEST} tests", "Makefile:2")),
        ("test:\n\tdoppler run -- pytest tests\n", (f"{PYTEST} tests", "Makefile:2")),
        ("test:\n\tslipcover --source p -m pytest tests\n", (f"{PYTEST} tests", "Makefile:2")),
        ("test:\n\techo run pytest tests\n\tgit commit -m pytest\n", (PYTEST, "tests/test_a.py:1")),
    ],
)
def test_what_a_makefile_has_for_tests_goes_before_what_checks(text: str, expected: tuple[str, str]) -> None:
    assert chosen(Makefile=text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("check:\n    ruff check\n\ntest *args='-W error':\n    @pytest {{args}}\n", (f"{PYTEST} -W error", "5")),
        ("set shell := ['bash', '-c']\nrun := \"uv run\"\n@test:\n\t{{run}} pytest tests\n", (f"{PYTEST} tests", "4")),
        (("test python='' *args: sync\n  uv run {{ if python != '' { '-p' } else { '' } }} pytest {{args}}\n"
         "sync:\n  uv sync\n"),
         (PYTEST, "2")),
        ("alias t := test\ntest: unit\nunit: (sync 'x')\n  pytest tests/test_b.py\nsync how:\n  uv sync {{how}}\n",
         (f"{PYTEST} tests/test_b.py", "4")),
        ("test: \n  just suite\nsuite:\n  pytest tests\n", (f"{PYTEST} tests", "4")),
        ("ci: lint\n  pytest tests\nlint:\n  ruff check\n", (f"{PYTEST} tests", "2")),
    ],
)  # fmt: skip
def test_a_justfile_is_read_as_a_makefile_is(text: str, expected: tuple[str, str]) -> None:
    command, line = expected
    assert chosen(justfile=text) == (command, f"justfile:{line}")


@pytest.mark.parametrize(
    ("listed", "sections", "expected"),
    [
        ("lint, unit", "[testenv:lint]\ncommands = ruff check\n[testenv:unit]\ncommands = pytest tests\n", "tests"),
        ("lint-{a,b}, 3.1{0-5}-tests, pypy3.11-tests",
         "[testenv]\ncommands =\n  tests: pytest tests\n[testenv:pypy3.11-tests]\ncommands = pytest tests/test_a.py\n",
         "tests"),
        ("py3{9-12}-{x,y}", "[testenv]\ncommands =\n  py3{11-12}: pytest tests\n  py39: pytest tests/test_a.py\n",
         "tests"),
        ("docs, first, second", "[testenv]\ncommands = sphinx\n[testenv:second]\ncommands = pytest tests\n", "tests"),
    ],
)  # fmt: skip
def test_of_toxs_environments_the_first_that_runs_tests_is_taken(listed: str, sections: str, expected: str) -> None:
    text = f"[tox]\nenvlist = {listed}\n{sections}"
    command, source = chosen(**{"tox.ini": text})
    assert command == f"{PYTEST} {expected}"
    assert source.startswith("tox.ini:")


def test_of_noxs_sessions_the_first_that_runs_tests_is_taken() -> None:
    text = """import nox
@nox.session
def lint(session):
    session.run("ruff", "check")
@nox.session
def tests(session):
    session.notify("unit_fast")
@nox.session
def unit_fast(session):
    session.run("uv", "run", "pytest", "tests")
"""
    assert chosen(**{"noxfile.py": text}) == (f"{PYTEST} tests", "noxfile.py:10")


def test_what_a_workflow_runs_as_tests_goes_before_what_checks_by_hand() -> None:
    workflow = """jobs:
  lint:
    runs-on: ubuntu-latest
    steps: [{run: make check}]
  unit:
    runs-on: ubuntu-latest
    steps:
      - run: poetry run pytest -W error
"""
    files = {".github/workflows/ci.yml": workflow, "Makefile": WRAPPED}
    assert chosen(**files) == (f"{PYTEST} -W error", ".github/workflows/ci.yml:8")


@pytest.mark.parametrize(
    ("scripts", "expected"),
    [
        ({"check": "eslint .", "test": "npm run lint && jest", "lint": "eslint ."}, "jest"),
        ({"test": "npm run zone && jest --coverage", "zone": "date && jest test/zone.test"}, "jest --coverage"),
        ({"test": "vitest run a/b.test.js && vitest run c/d.test.js"}, "vitest run a/b.test.js"),
        ({"check": "tsc && eslint .", "test:unit": "vitest run", "lint": "eslint ."}, "vitest run"),
        ({"test": 'echo "Error: no test specified" && exit 1', "tests": "mocha --exit"}, "mocha --exit"),
        ({"test": "npm run test:lint && npm run test:mocha", "test:lint": "node bin/fix.js eslint .",
          "test:mocha": "node bin/fix.js mocha --exit"}, "mocha --exit"),
    ],
)  # fmt: skip
def test_of_the_scripts_of_node_the_one_for_all_tests_is_taken(scripts: dict[str, str], expected: str) -> None:
    made = recipe({"package.json": json.dumps({"scripts": scripts}, indent=1), "test/a.test.js": ""})
    command = list(made.test_command)
    assert " ".join(command[command.index("sh", 1) + 1 :] if command[0] == "sh" else command) == expected
    assert made.origins[-1].startswith("package.json:")


def test_a_makefile_beside_a_go_module_changes_nothing() -> None:
    files = {"go.mod": "module m\n", "a_test.go": "package a\n", "Makefile": "check:\n\tgo test ./a\n"}
    assert recipe(files).test_command == ("go", "test", "./...")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("test", Rank.TESTS),
        ("py311-tests", Rank.TESTS),
        ("unit_tests", Rank.TESTS),
        ("check", Rank.CHECKS),
        ("ci", Rank.CHECKS),
        ("py311", Rank.UNKNOWN),
        ("lint", Rank.ELSE),
        ("test-docs", Rank.ELSE),
        ("pypy310-tests", Rank.ELSE),
    ],
)
def test_a_name_says_what_it_is_for(name: str, expected: Rank) -> None:
    assert rank(name) is expected
