"""Our runner under this machine's own Go; the base image's is in test_other_languages.py."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from guest_runs import go_environment, run_plan

from sandbox.spec import Frame, Outcome, Recipe, RunState, TestRun

pytestmark = pytest.mark.skipif(shutil.which("go") is None, reason="this machine has no Go")

MODULE = {"go.mod": "module example.com/m\n\ngo 1.19\n"}
CALC = "package calc\n\nfunc Add(a, b int) int { return a - b }\n\nfunc At(p *int) int {\n\treturn *p\n}\n"
TESTS = """package calc

import (
	"fmt"
	"testing"
)

func TestAdd(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Errorf("got %d\\nwant 3", Add(1, 2))
	}
}
func TestParts(t *testing.T) {
	for _, name := range []string{"a b", "c/d", "a b"} {
		t.Run(name, func(t *testing.T) {
			if name == "c/d" {
				t.Fatal("no")
			}
		})
	}
}
func TestSkipped(t *testing.T)  { t.Skip("later") }
func TestParallel(t *testing.T) { t.Parallel() }
func TestUnended(t *testing.T)  { fmt.Print("no line break") }
func ExampleAdd() {
	fmt.Println(Add(1, 2)) // Output: 3
}
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("go-cache"))


def run(directory: Path, files: Mapping[str, str], cache: str, node_ids: tuple[str, ...] = ()) -> TestRun:
    recipe = Recipe("go", (), ("go", "test", "-failfast", "./..."), "test", toolchain="go")
    return run_plan(directory, recipe, {**MODULE, **files}, node_ids, go_environment(directory, cache))


def package(body: str, imports: str = '"testing"') -> dict[str, str]:
    return {"p/p_test.go": f"package p\n\nimport ({imports})\n\n{body}\n"}


def test_tells_every_outcome_by_the_file_of_its_test(tmp_path: Path, cache: str) -> None:
    found = run(tmp_path, {"calc/calc.go": CALC, "calc/calc_test.go": TESTS}, cache)
    assert (found.state, found.exit_code) == (RunState.COMPLETE, 1), found.output
    told = {result.node_id.removeprefix("calc/calc_test.go::"): result.outcome for result in found.results}
    assert told == {
        "TestAdd": Outcome.FAILED,
        "TestParts": Outcome.FAILED,
        "TestParts/a_b": Outcome.PASSED,
        "TestParts/c/d": Outcome.FAILED,
        "TestParts/a_b#01": Outcome.PASSED,
        "TestSkipped": Outcome.SKIPPED,
        "TestParallel": Outcome.PASSED,
        "TestUnended": Outcome.PASSED,
        "ExampleAdd": Outcome.FAILED,
    }
    assert found.results[0].frames == (Frame("calc/calc_test.go", 10, "TestAdd"),)
    assert "got -1" in found.results[0].message


def test_a_panic_is_told_with_the_repositorys_frames_and_ends_its_package(tmp_path: Path, cache: str) -> None:
    body = "func TestA(t *testing.T) {}\nfunc TestBoom(t *testing.T) { calc.At(nil) }\nfunc TestLate(t *testing.T) {}"
    files = {"calc/calc.go": CALC, **package(body, '"testing"; "example.com/m/calc"')}
    found = run(tmp_path, files, cache)
    boom = found.red[0]
    assert (found.state, boom.node_id, boom.exception) == (RunState.COMPLETE, "p/p_test.go::TestBoom", "panic")
    assert [(frame.path, frame.line) for frame in boom.frames] == [("p/p_test.go", 6), ("calc/calc.go", 6)]
    assert "nil pointer" in boom.message


def test_a_selection_runs_its_tests_in_its_packages(tmp_path: Path, cache: str) -> None:
    files = {"calc/calc.go": CALC, "calc/calc_test.go": TESTS, **package("func TestX(t *testing.T) { undefined() }")}
    found = run(tmp_path, files, cache, ("calc/calc_test.go::TestParts/c/d",))
    assert found.state is RunState.COMPLETE
    assert {node_id.partition("::")[2].partition("/")[0] for node_id in found.outcomes} == {"TestParts"}


@pytest.mark.parametrize(
    ("body", "imports"),
    [
        ("func TestX(t *testing.T) { undefined() }", '"testing"'),
        ("func TestX(t *testing.T) { x.X() }", '"testing"; "example.com/elsewhere/x"'),
        ('func TestX(t *testing.T) { fmt.Printf("%d", "x") }', '"testing"; "fmt"'),
    ],
)
def test_a_package_that_cannot_be_built_is_named_with_what_the_compiler_says(
    tmp_path: Path, cache: str, body: str, imports: str
) -> None:
    files = {"calc/calc.go": CALC, "calc/calc_test.go": TESTS, **package(body, imports)}
    found = run(tmp_path, files, cache)
    (error,) = found.results
    assert (found.state, error.node_id, error.exception) == (RunState.COLLECTION_FAILED, "p", "build failed")
    assert error.frames[0].path == "p/p_test.go"


def test_a_package_that_fails_by_itself_fails_its_last_test(tmp_path: Path, cache: str) -> None:
    body = "func TestMain(m *testing.M) { m.Run(); os.Exit(3) }\nfunc TestX(t *testing.T) {}"
    found = run(tmp_path, package(body, '"testing"; "os"'), cache)
    assert (found.state, found.outcomes) == (RunState.COMPLETE, {"p/p_test.go::TestX": Outcome.ERROR})


@pytest.mark.parametrize(
    ("body", "imports"),
    [
        ("func TestX(t *testing.T) { os.Exit(0) }", '"testing"; "os"'),
        ("func TestX(t *testing.T) { syscall.Exit(0) }\nfunc TestY(t *testing.T) {}", '"testing"; "syscall"'),
        ("func TestMain(m *testing.M) { os.Exit(0) }\nfunc TestX(t *testing.T) {}", '"testing"; "os"'),
        ("func TestX(t *testing.T) { syscall.Kill(syscall.Getppid(), 9) }", '"testing"; "syscall"'),
    ],
)
def test_a_package_that_leaves_early_is_no_pass(tmp_path: Path, cache: str, body: str, imports: str) -> None:
    found = run(tmp_path, package(body, imports), cache)
    assert Outcome.PASSED not in found.outcomes.values()
    assert found.state is not RunState.COMPLETE or found.red


def test_nothing_found_is_no_tests(tmp_path: Path, cache: str) -> None:
    assert run(tmp_path, {"calc/calc.go": CALC}, cache).state is RunState.NO_TESTS


def test_a_test_that_floods_its_output_still_says_what_it_failed_of(tmp_path: Path, cache: str) -> None:
    flood = 'for i := 0; i < 3000; i++ { t.Logf("line %d", i) }\n'
    files = package(f'func TestFlood(t *testing.T) {{\n{flood}t.Errorf("got %d, want %d", 5, 6)\n}}')
    (result,) = run(tmp_path, files, cache).red
    assert "p_test.go:6: line 0\n" in result.message
    assert result.message.rstrip().endswith("p_test.go:7: got 5, want 6")
    assert result.frames[-1] == Frame("p/p_test.go", 7, "TestFlood")
