"""The code that the container's first process reads, run by this machine's own shell."""

import subprocess
from dataclasses import replace
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.containers import protocol
from sandbox.spec import RunSpec

SPEC = RunSpec("r", "i", ("true",))
WORDS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20), max_size=5)


def shown(spec: RunSpec) -> list[str]:
    """The value of V and the arguments, as the command gets them."""
    show = ("sh", "-c", 'printf "%s\\0" "$V" "$@"', "show", *spec.command)
    script = protocol.command(replace(spec, command=show)).split(b"\n", 1)[1]
    run = subprocess.run(["sh", "-c", b"workload=$PATH\n" + script], capture_output=True, check=True)
    return run.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]


@settings(max_examples=50)
@given(words=WORDS, value=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20))
def test_words_and_values_arrive_exactly(words: list[str], value: str) -> None:
    assert shown(replace(SPEC, command=tuple(words), environment=(("V", value),))) == [value, *words]


def test_the_first_line_removes_what_only_the_first_process_needs() -> None:
    assert protocol.command(SPEC).startswith(b"rm -r /regreen/init\n")


@pytest.mark.parametrize("name", ["a b", "1x", "x;id", "x=y", "", "ä", "x\n"])
def test_a_variable_whose_name_is_no_identifier_is_left_out(name: str) -> None:
    assert protocol.command(replace(SPEC, environment=((name, "v"),))) == protocol.command(SPEC)


def test_nul_is_refused() -> None:
    with pytest.raises(ValueError, match="NUL"):
        protocol.command(replace(SPEC, command=("a\0b",)))


def test_what_is_removed_is_listed_exactly() -> None:
    paths = [PurePosixPath("/repo/a\nb"), PurePosixPath("/repo/-rf")]
    assert protocol.removed(paths) == b"/repo/a\nb\0/repo/-rf\0"
