"""What is shown of a failed install's log tells why it failed."""

import pytest

from sandbox.environments.install_log import headline, shown

PIP = """$ /env/bin/pip install -e .
  error: subprocess-exited-with-error
  \u00d7 Building wheel for x (pyproject.toml) did not run successfully.
  │ exit code: 1
  ╰─> [3 lines of output]
      gcc: fatal
      ModuleNotFoundError: No module named 'numpy'
      [end of output]
  note: This error originates from a subprocess, and is likely not a problem with pip.
hint: See above for details.
"""
NPM = """$ npm ci
npm WARN deprecated glob@7: old
npm notice New major version
npm ERR! code E404
npm ERR! 404 Not Found - GET /left-pad
npm ERR! A complete log of this run can be found in: /tmp/x
"""


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (PIP, "ModuleNotFoundError: No module named 'numpy'"),
        (NPM, "npm ERR! 404 Not Found - GET /left-pad"),
        ("E: no package\n[notice] A new release of pip\n", "E: no package"),
        ("$ make\nno such target", "no such target"),
        ("hint: only this", "hint: only this"),
        ("", ""),
    ],
)
def test_the_headline_is_a_line_that_tells(output: str, line: str) -> None:
    assert headline(output) == line


def test_noise_is_left_out_and_errors_stay() -> None:
    lines = shown(NPM, 30, 500)
    assert not any("WARN" in line or "notice" in line for line in lines)
    assert sum("ERR!" in line for line in lines) == NPM.count("ERR!")


def test_an_error_before_the_last_lines_is_shown_within_the_same_room() -> None:
    lines = shown("\n".join(["npm ERR! early", *(f"then {number}" for number in range(100))]), 30, 500)
    assert lines[0] == "npm ERR! early"
    assert lines[-1] == "then 99"
    assert len(lines) <= 30


def test_many_lines_are_cut_to_their_width() -> None:
    assert shown("x" * 1000, 30, 500) == ["x" * 500]
