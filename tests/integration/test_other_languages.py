"""Repositories in JavaScript and Go, and a command that writes JUnit XML, from detection to the gate, in containers."""

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from fakes_trees import OneTree

from bot.repair.gate import judge
from bot.repair.measuring.baseline import measure
from bot.repair.types import WHOLE_SUITE, Base, FileChange, Patch, Selection
from sandbox.containers.engine import DockerEngine
from sandbox.environments.base import ensure_base
from sandbox.environments.toolchains import GO, NODE
from sandbox.spec import Given, Outcome, RunState

if TYPE_CHECKING:
    from bot.pipeline.ports.job import Trees
    from bot.wiring.sandbox import Sandbox

# The packages come from the registry that this machine's npm names, through the proxy in this process.
pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.enable_socket]

Prepare = Callable[..., "tuple[Sandbox, Base]"]

ADD_ESM = "export function add(a, b) {\n  return a - b;\n}\nexport const sub = (a, b) => a - b;\n"
ADD_CJS = "function add(a, b) {\n  return a - b;\n}\nmodule.exports = { add, sub: (a, b) => a - b };\n"
JEST_TEST = (
    "const { add, sub } = require('./calc');\n"
    "describe('calc', () => {\n  test('adds', () => { expect(add(2, 3)).toBe(5); });\n"
    "  test('subtracts', () => { expect(sub(3, 2)).toBe(1); });\n  test.skip('later', () => {});\n});\n"
)
NODE_TEST = (
    "import { describe, it } from 'node:test';\nimport assert from 'node:assert';\n"
    "import { add, sub } from './calc.mjs';\n"
    "describe('calc', () => {\n  it('adds', () => assert.equal(add(2, 3), 5));\n"
    "  it('subtracts', () => assert.equal(sub(3, 2), 1));\n});\n"
)
VITEST_TEST = NODE_TEST.replace("'node:test'", "'vitest'")
MOCHA_TEST = JEST_TEST.replace("test.skip", "it.skip").replace("test(", "it(")
MOCHA_TEST = MOCHA_TEST.replace("expect(add(2, 3)).toBe(5)", "require('node:assert').equal(add(2, 3), 5)")
MOCHA_TEST = MOCHA_TEST.replace("expect(sub(3, 2)).toBe(1)", "require('node:assert').equal(sub(3, 2), 1)")


def manifest(script: str, **wanted: str) -> str:
    return json.dumps({"name": "calc", "version": "1.0.0", "scripts": {"test": script}, "devDependencies": wanted})


@pytest.fixture
def prepare(
    engine: DockerEngine,
    engine_sandbox: "Callable[[Trees], Sandbox]",
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Prepare]:
    """Sets a tree up in its toolchain's base image, and removes its environment again."""
    built: set[str] = set()
    sandboxes: list[Sandbox] = []

    def run(files: dict[str, str], given: Given = Given()) -> "tuple[Sandbox, Base]":  # noqa: B008 (frozen)
        for toolchain in (NODE, GO):
            work = tmp_path_factory.mktemp("base")
            ensure_base(engine, toolchain.reference, work_dir=work, log=print, toolchain=toolchain)
        sandbox = engine_sandbox(OneTree(files))
        sandboxes.append(sandbox)
        base = sandbox.environments.prepare("regreen-tests/calc", "c0ffee", given)
        if base.recipe.install:
            built.add(sandbox.environments.image(base))
        return sandbox, base

    yield run
    for sandbox in sandboxes:
        sandbox.stop()
    for reference in built:
        engine.remove_image(reference)


NODE_PROJECTS = {
    "node-test": (
        {"package.json": manifest("node --test"), "calc.mjs": ADD_ESM, "calc.test.mjs": NODE_TEST},
        "calc.test.mjs::calc > adds",
    ),
    # Later versions of both ask for a newer Node than Debian 12 has.
    "jest": (
        {"package.json": manifest("jest", jest="^29.7.0"), "calc.js": ADD_CJS, "calc.test.js": JEST_TEST},
        "calc.test.js::calc > adds",
    ),
    "vitest": (
        {"package.json": manifest("vitest", vitest="^2.1.9"), "calc.mjs": ADD_ESM, "calc.test.mjs": VITEST_TEST},
        "calc.test.mjs::calc > adds",
    ),
    "mocha": (
        {
            "package.json": manifest("mocha", mocha="^10.8.2"),
            "calc.js": ADD_CJS,
            "test/calc.js": MOCHA_TEST.replace("./", "../"),
        },
        "test/calc.js::calc > adds",
    ),
}


@pytest.mark.parametrize("kind", NODE_PROJECTS)
def test_a_node_project_is_red_and_green_with_its_fix(prepare: Prepare, kind: str) -> None:
    files, red = NODE_PROJECTS[kind]
    sandbox, base = prepare(files)
    assert base.recipe.ecosystem == kind
    baseline = measure(sandbox.workspace, base)
    assert baseline.failing_ids == (red,), baseline
    assert red.replace("adds", "subtracts") in baseline.passing
    assert "5" in baseline.failing[0].message
    (selected,) = sandbox.workspace.evaluate(base, (Patch(),), Selection((red,)))
    assert selected.outcomes[red] is Outcome.FAILED
    source = next(path for path in files if path.startswith("calc.") and "test" not in path)
    fix = Patch((FileChange(source, files[source].replace("return a - b", "return a + b").encode()),))
    verdict = judge(sandbox.workspace, base, fix)
    assert verdict.passed, verdict


@pytest.mark.parametrize("kind", ["jest", "vitest", "mocha"])
def test_a_node_test_that_ends_its_process_is_no_pass(prepare: Prepare, kind: str) -> None:
    files, red = NODE_PROJECTS[kind]
    sandbox, base = prepare(files)
    path = red.partition("::")[0]
    leave = f"{files[path]}\nprocess.exit(0);\n"
    later = files[path].replace(
        "describe('calc', () => {", "describe('calc', () => { it('out', () => process.exit(0));"
    )
    broken = "throw new TypeError('no');\n"
    patches = tuple(Patch((FileChange(path, text.encode()),)) for text in (leave, later, broken))
    runs = sandbox.workspace.evaluate(base, patches, WHOLE_SUITE)
    assert all(run.state is not RunState.COMPLETE or run.red for run in runs), [run.state for run in runs]
    assert runs[0].state in {RunState.NO_RESULTS, RunState.INCONSISTENT, RunState.COLLECTION_FAILED}


GO_FILES = {
    "go.mod": "module example.com/calc\n\ngo 1.19\n",
    "calc.go": "package calc\n\nfunc Add(a, b int) int {\n\treturn a - b\n}\n\nfunc Sub(a, b int) int { return 1 }\n",
    "calc_test.go": (
        'package calc\n\nimport "testing"\n\n'
        "func TestAdd(t *testing.T) {\n\tif got := Add(2, 3); got != 5 {\n"
        '\t\tt.Errorf("got %d, want 5", got)\n\t}\n}\n\n'
        'func TestSub(t *testing.T) {\n\tif got := Sub(3, 2); got != 1 {\n\t\tt.Errorf("got %d", got)\n\t}\n}\n'
    ),
}
SCRIPT = (
    "import pathlib, sys\nfrom calc import add, sub\n"
    "failed = add(2, 3) != 5\n"
    "body = '<failure type=\"Wrong\" message=\"not 5\"/>' if failed else ''\n"
    'cases = f\'<testcase classname="calc" name="adds">{body}</testcase><testcase classname="calc" name="subs"/>\'\n'
    "pathlib.Path('out').mkdir(exist_ok=True)\n"
    "pathlib.Path('out/junit.xml').write_text(f'<testsuite>{cases}</testsuite>')\n"
    "sys.exit(3 * failed)\n"
)
CALC_PY = "def add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a - b\n"


def test_a_module_of_go_is_red_and_green_with_its_fix(prepare: Prepare) -> None:
    sandbox, base = prepare(GO_FILES)
    baseline = measure(sandbox.workspace, base)
    assert (baseline.failing_ids, baseline.passing) == (("calc_test.go::TestAdd",), ("calc_test.go::TestSub",))
    assert "want 5" in baseline.failing[0].message
    fixed = GO_FILES["calc.go"].replace("return a - b\n}", "return a + b\n}", 1)
    assert judge(sandbox.workspace, base, Patch((FileChange("calc.go", fixed.encode()),))).passed
    broken, leaving = (
        Patch((FileChange("calc.go", text.encode()),))
        for text in (
            fixed.replace("a + b", "a + c"),
            fixed.replace("package calc\n", 'package calc\n\nimport "syscall"\n\nfunc init() { syscall.Exit(0) }\n'),
        )
    )
    runs = sandbox.workspace.evaluate(base, (broken, leaving), WHOLE_SUITE)
    assert [run.state for run in runs] == [RunState.COLLECTION_FAILED, RunState.NO_TESTS]
    assert "undefined: c" in runs[0].results[0].message


def test_a_command_that_writes_junit_xml_is_red_and_green_with_its_fix(prepare: Prepare) -> None:
    given = Given(test_command=("python3", "check.py"), junit="out/*.xml", setup=(("true",),), source="policy")
    # What lies there already is of another run.
    stale = "<testsuite><testcase classname='calc' name='adds'/></testsuite>"
    sandbox, base = prepare({"calc.py": CALC_PY, "check.py": SCRIPT, "out/old.xml": stale}, given)
    baseline = measure(sandbox.workspace, base)
    assert (baseline.failing_ids, baseline.passing) == (("calc::adds",), ("calc::subs",))
    fix = Patch((FileChange("calc.py", CALC_PY.replace("a - b", "a + b", 1).encode()),))
    assert judge(sandbox.workspace, base, fix).passed
    leave = Patch((FileChange("calc.py", b"import os\nos._exit(0)\n"),))
    (run,) = sandbox.workspace.evaluate(base, (leave,), WHOLE_SUITE)
    assert run.state is RunState.NO_RESULTS
