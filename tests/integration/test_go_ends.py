"""What tests of one name, and what tests print, cannot make of a run of `go test`."""

import shutil
from pathlib import Path

import pytest
from guest_runs import go_environment, run_plan

from sandbox.spec import Outcome, Recipe, RunState, TestRun

pytestmark = pytest.mark.skipif(shutil.which("go") is None, reason="this machine has no Go")

FAILS = 'package x\nimport "testing"\nfunc TestA(t *testing.T) { t.Fatal("no") }\n'
BESIDE = 'package x_test\nimport "testing"\nfunc TestA(t *testing.T) {}\nfunc TestZ(t *testing.T) {}\n'
ONCE = """package x
import ("runtime"; "testing")
func TestA(t *testing.T) { if runtime.GOMAXPROCS(0) == 1 { t.Fatal("no") } }
func TestZ(t *testing.T) {}
"""
PRINTS = 'package x\nimport ("fmt"; "syscall"; "testing")\nfunc TestA(t *testing.T) {{\n{}\n}}\n'
LEAVE = "syscall.Exit(0)"
KEEP = "_ = syscall.Getpid()"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("go-cache"))


def run(directory: Path, cache: str, files: dict[str, str], *arguments: str) -> TestRun:
    recipe = Recipe("go", (), ("go", "test", *arguments), "test", toolchain="go")
    return run_plan(
        directory, recipe, {"go.mod": "module x\n\ngo 1.19\n", **files}, (), go_environment(directory, cache)
    )


@pytest.mark.parametrize(
    ("files", "arguments"),
    [
        ({"a_test.go": FAILS, "b_test.go": BESIDE}, ("./...",)),
        ({"a_test.go": ONCE}, ("-cpu=1,2", "./...")),
        ({"a_test.go": ONCE}, ("-cpu=2,1", "./...")),
    ],
)
def test_of_tests_of_one_name_the_worst_counts(
    tmp_path: Path, cache: str, files: dict[str, str], arguments: tuple[str, ...]
) -> None:
    found = run(tmp_path, cache, files, *arguments)
    told = {name.partition("::")[2]: outcome for name, outcome in found.outcomes.items()}
    assert (found.state, told) == (RunState.COMPLETE, {"TestA": Outcome.FAILED, "TestZ": Outcome.PASSED})


@pytest.mark.parametrize(
    "body",
    [
        f'fmt.Print("--- PASS: TestA (0.00s)\\nPASS\\n"); {LEAVE}',
        f'fmt.Print("PASS\\n--- PASS: TestA (0.00s)\\nPASS\\nok  \\tx\\t0.003s\\n"); {LEAVE}',
        f'fmt.Print("x--- PASS: TestA (0.00s)\\nPASS\\n"); {LEAVE}',
        f'fmt.Print("--- PASS: TestA (0.00s)\\n"); {KEEP}; t.Fatal("no")',
        f'fmt.Print("--- PASS: TestA (0.00s)\\nPASS\\nx"); {KEEP}; t.Fatal("no")',
    ],
)
def test_what_a_test_prints_is_no_end(tmp_path: Path, cache: str, body: str) -> None:
    found = run(tmp_path, cache, {"a_test.go": PRINTS.format(body)}, "./...")
    assert Outcome.PASSED not in found.outcomes.values()
    assert found.state is not RunState.COMPLETE or found.red


def test_arguments_of_the_tests_own_are_passed_on(tmp_path: Path, cache: str) -> None:
    source = """package x
import ("flag"; "testing")
var own = flag.String("own", "", "")
func TestA(t *testing.T) { if *own != "v" { t.Fatal(*own) } }
"""
    found = run(tmp_path, cache, {"a_test.go": source, "sub/b_test.go": source}, "./...", "-args", "-own=v")
    assert (found.state, set(found.outcomes.values())) == (RunState.COMPLETE, {Outcome.PASSED})


def test_long_names_cost_no_more_than_their_own_tests(tmp_path: Path, cache: str) -> None:
    loop = (
        'for _, e := range []string{"a", "b"} { t.Run(strings.Repeat("x", 20000)+e, func(t *testing.T) { t.Fail() }) }'
    )
    source = f'package x\nimport ("strings"; "testing")\nfunc TestA(t *testing.T) {{ {loop} }}\n'
    found = run(tmp_path, cache, {"a_test.go": source}, "./...")
    assert (found.state, found.outcomes["a_test.go::TestA"]) == (RunState.COMPLETE, Outcome.FAILED)
