"""What a policy file says that is allowed, and most likely does not do what was meant."""

import pytest

from bot.policy import Fault, advice

WORKING = [
    "python -m pytest -q tests",
    "env/bin/pytest",
    "python3.11 -m unittest discover",
    "uv run pytest",
    "poetry run python -m pytest",
    "coverage run -m pytest",
    "go test ./...",
    "go -C sub test ./...",
    "node --test",
    "node_modules/.bin/jest",
    "node node_modules/jest/bin/jest.js",
    "npx vitest run",
    "npm test",
    "pnpm -r test",
    "env TZ=UTC yarn test",
]
WITHOUT = [
    "make test",
    "tox",
    "cargo test",
    "python -m nose2",
    "mvn verify",
    "gotestsum",
    "./tests.sh",
    "python manage.py test",
]


@pytest.mark.parametrize("command", WORKING)
def test_a_known_runner_is_no_matter(command: str) -> None:
    assert advice(f"test_command: {command}\n".encode()) == ()


@pytest.mark.parametrize("command", WITHOUT)
def test_any_other_is_said_to_need_junit(command: str) -> None:
    (said,) = advice(f"draft: true\ntest_command: {command}\n".encode())
    assert (said.line, said.key) == (2, "test_command")
    assert "`junit: reports/*.xml`" in said.message
    assert advice(f"junit: a.xml\ntest_command: {command}\n".encode()) == ()


def test_result_files_without_the_command_that_writes_them_are_no_use() -> None:
    assert [(one.line, one.key) for one in advice(b"junit: a.xml\n")] == [(1, "junit")]


@pytest.mark.parametrize("data", [None, b"", b"enabled: yep\ntest_command: make\n"])
def test_there_is_no_advice_where_there_is_nothing_or_a_fault(data: bytes | None) -> None:
    found: tuple[Fault, ...] = advice(data)
    assert found == ()
