"""Workflow files and the like: which job runs the tests, and what is taken over from it."""

import json

import pytest

from sandbox.detect import candidates, detect
from sandbox.detect.devcontainer import without_comments
from sandbox.detect.yamltext import MAX_DEPTH, MAX_SIZE, load
from sandbox.spec import File, Recipe, Tree

PROJECT = {
    "pyproject.toml": '[project]\nname = "p"\n[project.optional-dependencies]\nredis = ["r"]\ntest = ["t"]\n',
    "tests/test_a.py": "",
    "tests/unit/test_b.py": "",
}
CI = ".github/workflows/ci.yml"


def tree(files: dict[str, str]) -> Tree:
    return {path: File(text.encode()) for path, text in {**PROJECT, **files}.items()}


def recipe(workflow: str, **files: str) -> Recipe:
    return detect(tree({CI: workflow, **files}))


def steps(*lines: str, head: str = "", **job: str) -> str:
    keys = "".join(f"    {key.replace('_', '-')}: {value}\n" for key, value in job.items())
    return f"{head}jobs:\n  tests:\n{keys}    steps:\n" + "".join(f"      - run: {line}\n" for line in lines)


def last(found: Recipe) -> tuple[str, ...]:
    return found.install[-1][4:]


def test_the_job_that_runs_tests_gives_command_requirements_and_variables_each_with_its_line() -> None:
    workflow = """env: {MODE: fast, API_TOKEN: secret, CI: "1"}
jobs:
  lint:
    steps: [{run: "pip install ruff; ruff check"}]
  tests:
    env: {PYTHONPATH: src, DJANGO_SETTINGS_MODULE: tests.settings, KEY: "${{ secrets.KEY }}"}
    steps:
      - run: |
          python -m pip install --upgrade pip tox
          pip install -e .[redis] pytest-socket
      - run: coverage run -m pytest -n auto --cov=p --cov-report xml -v tests -k "not slow"
"""
    found = recipe(workflow)
    assert found.test_command == ("env", "PYTHONPATH=/repo/src", "python", "-m", "pytest", "tests", "-k", "not slow")
    assert found.environment == (("DJANGO_SETTINGS_MODULE", "tests.settings"), ("MODE", "fast"))
    assert found.install[1][-1] == ".[redis,test]"
    assert last(found) == ("pytest-socket", "pytest")
    assert found.origins[-2:] == (f"{CI}:10", f"{CI}:11")
    assert found.confidence > candidates(tree({CI: workflow}))[-1].confidence


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pytest --maxfail=1 -x --junitxml=out.xml --durations 10 -rA tests/unit", ("tests/unit",)),
        ("pytest --cov p --cov tests", ()),
        ("pytest --cov=p tests --cov", ("tests",)),
        ("pytest --splits 4 --group ${{ matrix.group }}", ()),
        ("pytest missing_folder ${{ inputs.args }}", ()),
        ("pytest --import-mode=importlib --runslow", ("--import-mode=importlib", "--runslow")),
        ("pytest -p no:randomly -W error", ("-p", "no:randomly", "-W", "error")),
        ("cd tests && pytest unit", ("tests/unit",)),
        ("cd tests && pytest", ("tests",)),
    ],
)  # fmt: skip
def test_options_that_measure_report_or_are_unknown_are_left_out(line: str, expected: tuple[str, ...]) -> None:
    assert recipe(steps(f'"{line}"')).test_command == ("python", "-m", "pytest", *expected)


def test_the_matrix_gives_the_values_that_are_most_like_the_sandbox() -> None:
    matrix = """
        os: [windows-latest, ubuntu-latest]
        python: ["3.9", "3.11", "3.13"]
        include: [{python: "3.11", extra: redis}, {python: "3.9", extra: old}]"""
    workflow = steps('pip install ".[${{ matrix.extra }}]"', "pytest", runs_on="${{ matrix.os }}")
    workflow = workflow.replace("    steps:", f"    strategy:\n      matrix:{matrix}\n    steps:")
    assert recipe(workflow).install[1][-1] == ".[redis,test]"
    assert candidates(tree({CI: workflow.replace("ubuntu-latest", "macos-13")}))[0].confidence < 0.9


def test_the_job_that_runs_most_tests_is_taken() -> None:
    workflow = """jobs:
  smoke: {steps: [{run: pytest tests/unit}]}
  coverage: {steps: [{run: pytest tests --doctest-modules}]}
  tests: {steps: [{run: pytest tests}]}
"""
    assert recipe(workflow).test_command[-1] == "tests"
    assert recipe(workflow).origins[-1] == f"{CI}:4"


def test_what_cannot_run_here_is_dropped_and_said() -> None:
    workflow = steps(
        "sudo apt-get update && sudo apt-get install -y libxml2-dev curl",
        "curl -sSL x | sh",
        "docker compose up",
        "pytest",
        services='\n      db: {image: "postgres:${{ matrix.pg }}"}\n      cache: {image: redis}',
    )
    found = recipe(workflow)
    assert not any("curl" in word or "docker" in word for step in found.install for word in step)
    assert f"A workflow installs packages of the system (libxml2-dev; {CI}:7)" in found.unmet[-1]
    assert f"{CI}:4 starts services (db (postgres), cache (redis), those of a compose file)" in found.unmet[0]


def test_set_up_steps_and_a_development_container_add_what_they_install() -> None:
    container = '{\n // why\n "postCreateCommand": {"a": "pip install b", "b": ["pip", "install", "c"],},\n}'
    files = {".github/workflows/copilot-setup-steps.yml": steps("pip install a"), ".devcontainer.json": container}
    assert last(detect(tree(files))) == ("a", "b", "c", "pytest")


def test_tools_that_the_workflow_calls_are_read_for_their_commands() -> None:
    tox = (
        "[testenv]\ndeps =\n    a\n    py39: b\n    py311: c\nextras = redis\ncommands = pytest {posargs:tests/unit}\n"
    )
    found = recipe(steps("pip install tox", "tox -e py311"), **{"tox.ini": tox})
    assert found.install[1][-1] == ".[redis,test]"
    assert last(found) == ("a", "c", "pytest")
    assert (found.test_command[-1], found.origins[-1]) == ("tests/unit", "tox.ini:7")


@pytest.mark.parametrize(
    "text",
    [
        "a: &x [1]\nb: *x\n",
        "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
        "a: {",
        "x" * (MAX_SIZE + 1),
        "\x00",
        "jobs: [1, {a: b}]",
        "jobs: {tests: {steps: {run: pytest}, services: [1], env: x, strategy: [], runs-on: {}}}",
    ],
)
def test_a_workflow_that_cannot_be_read_is_no_reason_not_to_look_further(text: str) -> None:
    assert recipe(text).test_command == ("python", "-m", "pytest")


def test_yaml_gives_texts_only_and_every_text_has_its_line() -> None:
    found = load({"x": File(b"a: 2026-13-45\nb: !!python/object:os.system 1\nc:\n  - |\n    one\n    two\n")}, "x")
    assert isinstance(found, dict)
    assert found["a"] == "2026-13-45"
    assert found["b"] == "1"
    assert isinstance(found["c"], list)
    assert getattr(found["c"][0], "line", None) == 5


def test_comments_and_trailing_commas_leave_json_as_it_is() -> None:
    text = '{"a": "//no /*no*/ \\" ,]", /* yes */ "b": [1, 2,], // yes\n}'
    assert json.loads(without_comments(text)) == {"a": '//no /*no*/ " ,]', "b": [1, 2]}
    assert without_comments('/* "') == without_comments("//") == ""
