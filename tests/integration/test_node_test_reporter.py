"""Our reporter under this machine's own Node; the base image's is in test_node_suites.py."""

import shutil
import subprocess
from pathlib import Path

import pytest
from guest_runs import run_plan

from sandbox.spec import Frame, Outcome, Recipe, RunState, TestRun

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="this machine has no Node")

OUTCOMES = """
import test, { describe, it, before, after } from 'node:test';
import assert from 'node:assert';
import { add } from './add.mjs';

test('passes', () => {});
test('fails', () => { assert.strictEqual(add(1, 2), 3); });
test('throws', () => { add(null.x); });
test('todo', { todo: true }, () => { assert(false); });
test('skipped', { skip: 'later' }, () => {});
test('outer', async (t) => {
  await t.test('inner', () => {});
  await t.test('inner', () => { throw new TypeError('no'); });
});
describe('suite', () => {
  it('in suite', () => {});
  describe('deeper', () => { it('late', () => new Promise((_, no) => setTimeout(() => no(new Error('late')), 5))); });
});
describe('before', () => { before(() => { throw new Error('no set-up'); }); it('a', () => {}); it('b', () => {}); });
describe('after', () => { after(() => { throw new Error('no teardown'); }); it('a', () => {}); it('b', () => {}); });
"""
ADD = "export function add(a, b) {\n  if (a === undefined) throw new Error('none');\n  return a - b;\n}\n"
FINE = "import test from 'node:test';\ntest('fine', () => {});\n"


def run(directory: Path, files: dict[str, str], node_ids: tuple[str, ...] = (), *arguments: str) -> TestRun:
    recipe = Recipe("node-test", (), ("node", "--test", *arguments), "test", toolchain="node")
    return run_plan(directory, recipe, files, node_ids)


def test_tells_every_outcome(tmp_path: Path) -> None:
    found = run(tmp_path, {"a.test.mjs": OUTCOMES, "add.mjs": ADD})
    assert (found.state, found.exit_code) == (RunState.COMPLETE, 1), found.output
    told = {result.node_id.removeprefix("a.test.mjs::"): result.outcome for result in found.results}
    assert told.pop("before > a") in {Outcome.ERROR, Outcome.FAILED}
    assert told.pop("before > b") in {Outcome.ERROR, Outcome.FAILED}
    assert told == {
        "passes": Outcome.PASSED,
        "fails": Outcome.FAILED,
        "throws": Outcome.FAILED,
        "todo": Outcome.XFAILED,
        "skipped": Outcome.SKIPPED,
        "outer > inner": Outcome.PASSED,
        "outer > inner #2": Outcome.FAILED,
        "outer": Outcome.FAILED,
        "suite > in suite": Outcome.PASSED,
        "suite > deeper > late": Outcome.FAILED,
        "after > a": Outcome.PASSED,
        "after > b": Outcome.ERROR,
    }


def test_tells_exceptions_values_and_the_repositorys_frames(tmp_path: Path) -> None:
    source = "import test from 'node:test';\nimport { add } from './add.mjs';\ntest('t', () => {\n  add();\n});\n"
    values = "import test from 'node:test';\nimport assert from 'node:assert';\ntest('t', () => assert.equal(1, 2));\n"
    thrown, compared = run(tmp_path, {"a.test.mjs": source, "b.test.mjs": values, "add.mjs": ADD}).results
    assert (thrown.exception, thrown.message) == ("Error", "none")
    assert [(frame.path, frame.line) for frame in thrown.frames] == [("a.test.mjs", 4), ("add.mjs", 2)]
    assert thrown.frames[-1] == Frame("add.mjs", 2, "add")
    assert compared.exception == "AssertionError"
    assert "1 == 2" in compared.message or "1 != 2" in compared.message


def test_a_selection_is_narrowed_to_its_files(tmp_path: Path) -> None:
    files = {"a.test.mjs": FINE, "sub/b.test.mjs": "throw new Error('not to be read');\n"}
    found = run(tmp_path, files, ("a.test.mjs::fine",))
    assert (found.state, found.outcomes) == (RunState.COMPLETE, {"a.test.mjs::fine": Outcome.PASSED})


def test_patterns_of_files_are_resolved_as_a_shell_would(tmp_path: Path) -> None:
    files = {"spec/a.js": FINE.replace("import test from", "const test = require(").replace(";", ");", 1), "b.js": ""}
    assert list(run(tmp_path, files, (), "spec/*.js").outcomes) == ["spec/a.js::fine"]


def test_a_script_without_tests_is_itself_the_test(tmp_path: Path) -> None:
    files = {"a.test.mjs": "1;\n", "b.test.mjs": "import assert from 'node:assert';\nassert.ok(false);\n"}
    found = run(tmp_path, files)
    assert found.outcomes == {"a.test.mjs": Outcome.PASSED, "b.test.mjs": Outcome.FAILED}
    assert found.red[0].exception == "AssertionError"


def test_names_a_file_that_cannot_be_loaded(tmp_path: Path) -> None:
    found = run(tmp_path, {"a.test.mjs": f"{FINE}import './gone.mjs';\n", "b.test.mjs": FINE})
    (error,) = found.results
    assert (found.state, error.node_id) == (RunState.COLLECTION_FAILED, "a.test.mjs")
    assert "gone.mjs" in error.message


def test_what_fails_after_the_tests_of_a_file_is_the_last_ones(tmp_path: Path) -> None:
    source = f"{FINE}test('last', () => {{}});\nsetTimeout(() => {{ throw new Error('after'); }}, 30);\n"
    found = run(tmp_path, {"a.test.mjs": source})
    assert found.outcomes == {"a.test.mjs::fine": Outcome.PASSED, "a.test.mjs::last": Outcome.ERROR}


@pytest.mark.parametrize(
    "source",
    [
        "process.exit(0);\n",
        "test('left', () => { process.exit(0); });\n",
        "test('killed', () => { process.kill(process.pid, 'SIGKILL'); });\n",
        "test('parent', () => { process.kill(process.ppid, 'SIGKILL'); });\n",
    ],
)
def test_a_file_that_leaves_early_is_no_pass(tmp_path: Path, source: str) -> None:
    found = run(tmp_path, {"a.test.mjs": f"import test from 'node:test';\n{source}"})
    assert found.state in {RunState.NO_RESULTS, RunState.INCONSISTENT, RunState.COLLECTION_FAILED}
    assert Outcome.PASSED not in found.outcomes.values()


def test_nothing_found_is_no_tests(tmp_path: Path) -> None:
    assert run(tmp_path, {"index.js": ""}).state in {RunState.NO_TESTS, RunState.NO_RESULTS}


def test_our_scripts_parse_in_this_node() -> None:
    guest = Path(__file__).parents[2] / "sandbox" / "guest"
    for script in sorted(guest.glob("*.?js")):
        subprocess.run(["node", "--check", str(script)], check=True, timeout=60)
