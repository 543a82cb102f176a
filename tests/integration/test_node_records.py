"""What our reporters for JavaScript tell of an error: values that its message leaves out, frames by relative paths."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import sandbox

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

GUEST = Path(sandbox.__file__).parent / "guest"


def told(directory: Path, error: str) -> dict[str, Any]:
    """The record of a test that failed with this expression."""
    home = directory / "nonce"
    home.mkdir()
    (home / "selection.json").write_text("null")
    (home / "node_records.cjs").write_bytes((GUEST / "node_records.cjs").read_bytes())
    script = (
        f"const {{ Session }} = require({json.dumps(str(home / 'node_records.cjs'))});\n"
        f"const session = new Session();\nsession.test('a.js', ['t'], 'failed', 0, {error});\nsession.finish();\n"
    )
    subprocess.run(["node", "-e", script], cwd=directory, check=True, timeout=60)
    lines = (directory / "results" / "nonce.jsonl").read_text().splitlines()
    found: dict[str, Any] = next(line for line in map(json.loads, lines) if line["kind"] == "test")
    return found


def error(stack: str = "", **fields: object) -> str:
    return f"Object.assign(new Error('no'), {json.dumps({'stack': f'Error: no{stack}', **fields})})"


def test_both_values_are_told_where_the_message_shortens_them(tmp_path: Path) -> None:
    chai = error(
        message="expected { \u2026(2) } to equal { \u2026(2) }", showDiff=True, expected={"a": 1}, actual={"a": 2}
    )
    assert told(tmp_path, chai)["message"].endswith("\n\nExpected: { a: 1 }\nActual: { a: 2 }")


def test_both_values_are_told_where_a_text_of_its_own_stands_in_their_place(tmp_path: Path) -> None:
    said = told(tmp_path, error(message="too dear", generatedMessage=False, expected=1, actual=2))["message"]
    assert said == "too dear\n\nExpected: 1\nActual: 2"


def test_a_difference_that_the_error_carries_is_told_once(tmp_path: Path) -> None:
    said = told(tmp_path, error(message="expected 1 to be 2", diff="- 2\n+ 1"))["message"]
    assert said == "expected 1 to be 2\n\n- 2\n+ 1"


def test_a_message_that_says_it_all_stays_as_it_is(tmp_path: Path) -> None:
    assert told(tmp_path, error(message="expected 1 to equal 2", showDiff=True, expected=2, actual=1))["message"] == (
        "expected 1 to equal 2"
    )


def test_a_value_runs_no_code_of_the_repository(tmp_path: Path) -> None:
    sly = "{ [Symbol.for('nodejs.util.inspect.custom')]() { process.exit(9); }, get x() { process.exit(9); } }"
    made = f"Object.assign(new Error('m'), {{ generatedMessage: false, expected: {sly}, actual: 1 }})"
    assert "[Getter]" in told(tmp_path, made)["message"]


def test_frames_with_relative_paths_are_in_the_repository(tmp_path: Path) -> None:
    stack = (
        "\n    at Context.<anonymous> (test/cart.spec.js:5:50)\n    at src/cart.js:2:1"
        "\n    at evalmachine.<anonymous>:1:1\n    at process.processImmediate (node:internal/timers:476:21)"
        "\n    at run (node_modules/mocha/lib/runner.js:1:1)\n    at up (../other.js:1:1)"
    )
    assert told(tmp_path, error(stack))["frames"] == [["src/cart.js", 2, ""], ["test/cart.spec.js", 5, "Context."]]


def test_what_an_error_came_from_or_holds_is_told_and_where(tmp_path: Path) -> None:
    inner = "Object.assign(new SyntaxError('bad'), { stack: 'SyntaxError: bad\\n    at load (b.js:3:1)' })"
    caused = f"Object.assign({error(chr(10) + '    at get (a.js:9:1)')}, {{ cause: {inner} }})"
    found = told(tmp_path, caused)
    assert found["message"] == "no\ncaused by SyntaxError: bad"
    assert [frame[:2] for frame in found["frames"]] == [["b.js", 3], ["a.js", 9]]


def test_what_an_aggregate_holds_is_told(tmp_path: Path) -> None:
    found = told(tmp_path, "new AggregateError([new TypeError('alpha'), new Error('beta')], 'all')")
    assert found["message"] == "all\nsub-exception TypeError: alpha\nsub-exception Error: beta"


def test_a_text_tells_the_errors_below_its_stack(tmp_path: Path) -> None:
    stack = "Error: no\n    at get (a.js:9:1)\n\nCause:\nSyntaxError: bad\n    at load (b.js:3:1)"
    found = told(tmp_path, json.dumps(stack))
    assert found["message"] == "no\nalso raised SyntaxError: bad"


def test_two_values_longer_than_a_message_are_told_where_they_differ(tmp_path: Path) -> None:
    left, right = ("x" * 6000 + side + "y" * 6000 for side in ("LEFT", "RIGHT"))
    text = f"differ\n\nExpected: {left}\nReceived: {right}"
    said = told(tmp_path, error(message=text))["message"]
    assert "LEFT" in said
    assert "RIGHT" in said


def test_what_is_no_error_and_is_thrown_is_told_by_its_value(tmp_path: Path) -> None:
    assert told(tmp_path, "{ code: 42 }")["message"] == "{ code: 42 }"


def test_a_file_that_cannot_be_parsed_is_a_frame(tmp_path: Path) -> None:
    stack = (
        f"{tmp_path}/b.js:7\nconst v = {{;\n           ^\n\nSyntaxError: Unexpected token ';'\n    at wrap (node:a:1:1)"
    )
    assert told(tmp_path, json.dumps(stack))["frames"] == [["b.js", 7, ""]]


def test_a_recursion_leaves_the_test_among_its_frames(tmp_path: Path) -> None:
    stack = "\n    at walk (a.js:9:1)" * 40 + "\n    at Context.<anonymous> (t.js:2:1)"
    assert [frame[:2] for frame in told(tmp_path, error(stack))["frames"]] == [["t.js", 2], ["a.js", 9]]
