"""What the titles of tests, and files that leave early, cannot make of a run of `node --test`."""

import shutil
from pathlib import Path

import pytest
from guest_runs import run_plan

from sandbox.spec import Outcome, Recipe, RunState, TestRun

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="this machine has no Node")

HEAD = "const { test, describe, it, after } = require('node:test');\n"
P, F = Outcome.PASSED, Outcome.FAILED


def run(directory: Path, files: dict[str, str]) -> TestRun:
    return run_plan(directory, Recipe("node-test", (), ("node", "--test"), "test", toolchain="node"), files)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("test('a.test.js', () => {}); test('b', () => {});", {"a.test.js": P, "b": P}),
        ("test('b', () => {}); test('a.test.js', () => { throw Error(1); });", {"b": P, "a.test.js": F}),
        ("after(() => { throw Error('h'); }); test('y', () => {});", {"y": Outcome.ERROR}),
        ("test('a.test.js', () => { throw Error(1); });", {"a.test.js": F}),
        ("test('x', () => {}); test('x', () => {}); test('x #2', () => {});", {"x": P, "x #2": P, "x \\#2": P}),
        ("describe('a', () => it('b', () => { throw 1; })); test('a > b', () => {});", {"a > b": F, "a \\> b": P}),
        ("test('a > b', () => {}); test('a \\\\> b', () => { throw 1; });", {"a \\> b": P, "a \\\\> b": F}),
    ],
)
def test_each_title_makes_a_name_of_its_own(tmp_path: Path, body: str, told: dict[str, Outcome]) -> None:
    found = run(tmp_path, {"a.test.js": HEAD + body})
    assert found.state is RunState.COMPLETE, found.output
    assert found.outcomes == {f"a.test.js::{name}": outcome for name, outcome in told.items()}


@pytest.mark.parametrize(
    "files",
    [
        {"a.test.js": "const { t } = require('./h'); process.exit(0); t.test('x', () => { throw 1; });"},
        {
            "a.test.js": "const { t } = require('./g.js'); leave(); t.test('x', () => {});",
            "g.js": "module.exports = require('./h.js');",
        },
        {"a.test.js": "require('./leave.js');", "leave.js": "process.exit(0);"},
    ],
)
def test_a_file_that_leaves_before_its_tests_is_no_pass(tmp_path: Path, files: dict[str, str]) -> None:
    helper = "exports.t = require('node:test'); globalThis.leave = () => process.exit(0);"
    found = run(tmp_path, {"h.js": helper, **files})
    assert found.state in {RunState.COLLECTION_FAILED, RunState.INCONSISTENT, RunState.NO_RESULTS}


def test_long_names_cost_nothing_and_stay_apart(tmp_path: Path) -> None:
    found = run(tmp_path, {"a.test.js": f"{HEAD}for (const e of 'ab') test('x'.repeat(20000) + e, () => {{}});"})
    assert (found.state, len(found.outcomes)) == (RunState.COMPLETE, 2)
    assert not any(" #" in name for name in found.outcomes)
