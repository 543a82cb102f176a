"""Lines of shell are read for what they plainly say; everything else is left out, never guessed and never run."""

import time

import pytest

from sandbox.detect.python.wrappers import unwrap
from sandbox.detect.shell import MAX_COMMANDS, UNKNOWN, Place, below, commands


def read(script: str, **environment: str) -> list[str]:
    return [" ".join(one.words) for one in commands(script, Place("ci.yml", 10, environment))]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("pip install a && pytest", ["pip install a", "pytest"]),
        ("pytest || true", ["pytest"]),
        ("pytest | tee log; echo done", ["pytest", "echo done"]),
        ("pytest > log 2>&1", ["pytest"]),
        ("pip install \\\n  a \\\n  b", ["pip install a b"]),
        ("if [ -f x ]; then\n  pip install a\nfi\npytest", ["pytest"]),
        ("for v in 1 2; do pip install $v; done; pytest", ["pytest"]),
        ("cat <<EOF\npip install a\nEOF\npytest", ["pytest"]),
        ("# pytest\n\npip install 'a b'  # why", ["pip install a b"]),
        ("echo 'unfinished", []),
    ],
)
def test_plain_commands_are_read_and_what_is_conditional_is_not(script: str, expected: list[str]) -> None:
    assert read(script) == expected


def test_variables_that_are_known_are_replaced_and_others_are_unknown() -> None:
    script = "export A=1; B=2\npytest $A ${B} ${C:-3} $D $(date) `id`"
    assert read(script, E="x") == [f"pytest 1 2 3 {UNKNOWN} {UNKNOWN} {UNKNOWN}"]


def test_a_command_knows_its_variables_its_directory_and_its_line() -> None:
    last = commands("export A=1\n\ncd sub\nB=2 pytest", Place("ci.yml", 10, {"C": "3"}))[-1]
    assert dict(last.environment) == {"A": "1", "B": "2", "C": "3"}
    assert (last.directory, last.source) == ("sub", "ci.yml:13")
    assert commands("cd ..; pytest", Place("ci.yml")) == ()


@pytest.mark.parametrize(
    ("path", "expected"), [("./x", "x"), ("/repo/x", "x"), ("/repo", "."), ("/etc", UNKNOWN), ("../x", UNKNOWN)]
)
def test_a_path_stays_below_the_root(path: str, expected: str) -> None:
    assert below("", path) == expected


@pytest.mark.parametrize(
    "line",
    [
        "python -m pytest",
        "python3.11 -W error -m pytest",
        "coverage run --branch --source pkg -m pytest",
        "python -m coverage run -m pytest",
        "uv run --frozen --group test pytest",
        "poetry run coverage run -m pytest",
        "sudo -E env A=1 xvfb-run -a pytest",
        "timeout -k 5 10m pytest",
    ],
)
def test_what_stands_before_a_command_is_taken_off(line: str) -> None:
    assert unwrap(line.split())[0] == ("pytest",)


@pytest.mark.parametrize("line", ["python -c pass", "python setup.py test", "make test"])
def test_everything_else_stays_as_it_is(line: str) -> None:
    assert unwrap(line.split())[0] == tuple(line.split())


@pytest.mark.parametrize("piece", ["$(", "`", "${", "{", "a=b ", "'", "\\\n", "if ", "<<", ";", "$((", "${a:-"])
def test_hostile_scripts_take_time_that_grows_with_their_length_and_give_a_bounded_number(piece: str) -> None:
    def seconds(count: int) -> float:
        started = time.process_time()
        assert len(commands("\n".join([piece * 100] * count), Place("x"))) <= MAX_COMMANDS
        return time.process_time() - started

    seconds(5)
    assert seconds(80) <= 60 * max(seconds(8), 0.002)
