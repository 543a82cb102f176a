import pytest
from fakes_workspace import BASE, ScriptedWorkspace

from bot.errors import EditError
from bot.repair.editing.edits import Rung, apply
from bot.repair.integrity.tampering import added_sign
from bot.repair.localisation.localise import Suspect, localise
from bot.repair.localisation.reading import gather
from bot.repair.prompting.listing import listing
from bot.repair.prompting.prompts import Briefing, build
from bot.repair.protection import BY_NAME
from bot.repair.sources.languages import imported
from bot.repair.types import Base, FileChange, SourceFile, Task
from sandbox.spec import Frame, Outcome, Recipe, TestResult

JS_TEST = b"import { add } from './calc';\nimport x from '../lib/deep.js';\ntest('adds', () => {});\n"
FILES = {
    "src/calc.ts": b"export function add(a: number, b: number) {\n  return a - b;\n}\n",
    "src/calc.test.ts": JS_TEST,
    "lib/deep.ts": b"export default 1;\n",
    "lib/other.js": b"module.exports = 1;\n",
    "package.json": b"{}",
}
FAILING = TestResult("src/calc.test.ts::adds", Outcome.FAILED, frames=(Frame("src/calc.test.ts", 3, ""),))
GO_FILES = {
    "go.mod": b"module example.com/m\n",
    "calc/calc.go": b'package calc\n\nimport "example.com/m/inner/deep"\n\nfunc Add(a, b int) int { return a - b }\n',
    "calc/calc_test.go": b'package calc\n\nimport "testing"\n',
    "inner/deep/deep.go": b"package deep\n",
    "other/other.go": b"package other\n",
}


@pytest.mark.parametrize(
    "path",
    [
        "src/a.test.js", "a.spec.ts", "src/__tests__/a.js", "a_test.go", "pkg/testdata/x.json", "jest.config.js",
        "vitest.config.ts", "vite.config.mts", ".mocharc.cjs", "__snapshots__/a.snap", "test.js", "test/a.js",
        "a-test.js","package.json", "packages/a/package.json", "package-lock.json", "go.mod", "go.sum", "tsconfig.json",
        "vendor/x/y.go", "node_modules/a/index.js",
    ],
)  # fmt: skip
def test_tests_their_configuration_and_dependencies_are_protected_in_node_and_go(path: str) -> None:
    assert BY_NAME.fault(path)


@pytest.mark.parametrize("path", ["src/calc.js", "src/calc.ts", "lib/index.mjs", "calc/calc.go", "app.tsx", "spec.py"])
def test_code_of_node_and_go_may_be_mended(path: str) -> None:
    assert BY_NAME.is_source(path)


def test_a_test_leads_to_the_files_that_it_imports_and_no_further() -> None:
    known = tuple(sorted(FILES))
    assert list(imported("src/calc.test.ts", JS_TEST, known)) == ["src/calc.ts", "lib/deep.ts"]
    workspace = ScriptedWorkspace(FILES, lambda _: {})
    base = Base("o/n", "c", Recipe("jest", (), ("jest",), "t"))
    assert list(gather(workspace, base, known, [FAILING])) == ["src/calc.test.ts", "src/calc.ts", "lib/deep.ts"]


def test_a_test_of_go_leads_to_its_package_and_to_those_that_this_imports() -> None:
    known = tuple(sorted(GO_FILES))
    assert list(imported("calc/calc_test.go", GO_FILES["calc/calc_test.go"], known)) == ["calc/calc.go"]
    found = list(imported("calc/calc.go", GO_FILES["calc/calc.go"], known))
    assert found == ["calc/calc_test.go", "inner/deep/deep.go"]


def test_files_in_a_language_without_a_grammar_are_suspects_as_wholes() -> None:
    files = {"calc.rb": SourceFile("calc.rb", b"def add(a, b)\n  a - b\nend\n")}
    (only,) = localise([FAILING], (), files)
    assert (only.path, only.qualified_name, only.end_line) == ("calc.rb", "<module>", 4)


def test_functions_of_other_languages_are_suspects_and_shown_with_the_failing_test() -> None:
    files = {path: SourceFile(path, data) for path, data in FILES.items() if path.startswith("src/")}
    suspects = localise([FAILING], (), files)
    assert [(found.path, found.qualified_name) for found in suspects] == [
        ("src/calc.ts", "add"),
        ("src/calc.ts", "<module>"),
    ]
    text = listing(suspects, files, [FAILING], 10_000)
    assert "src/calc.ts (the whole file)" in text
    assert "   2|   return a - b;" in text
    assert "src/calc.test.ts (a failing test, not to be edited)" in text


def test_a_model_edits_them_by_search_and_replace_and_by_whole_files() -> None:
    files = {"src/calc.ts": FILES["src/calc.ts"]}
    edit = "src/calc.ts\n<<<<<<< SEARCH\n  return a - b;\n=======\n  return a + b;\n>>>>>>> REPLACE\n"
    applied = apply(edit, "stop", files)
    assert applied.patch.changes[0].content == FILES["src/calc.ts"].replace(b"a - b", b"a + b")
    whole = "src/calc.ts\n```ts\nexport function add(a: number, b: number) {\n  return a + b;\n}\n```\n"
    assert apply(whole, "stop", files).rung is Rung.FUNCTION
    assert apply(f"{whole[:-4]}export const more = 1;\n```\n", "stop", files).rung is Rung.FILE
    bare = whole.partition("\n")[2]
    assert apply(bare, "stop", files, default_path="src/calc.ts").patch == apply(whole, "stop", files).patch
    assert apply(bare, "stop", files).patch == apply(whole, "stop", files).patch
    with pytest.raises(EditError):
        apply(bare.replace("add", "sum"), "stop", files)


@pytest.mark.parametrize(
    ("path", "added"),
    [
        ("a.js", b"process.exit(0);\n"),
        ("a.ts", b"if (process.env.JEST_WORKER_ID) {}\n"),
        ("a.mjs", b"import test from 'node:test';\n"),
        ("a.cjs", b"delete require.cache[x];\n"),
        ("a.go", b"func init() { os.Exit(0) }\n"),
        ("a.go", b'import "testing"\n'),
        ("a.go", b'func f() { fmt.Println("--- PASS: TestX (0.00s)") }\n'),
    ],
)
def test_signs_of_tampering_are_refused_in_them_where_they_are_new(path: str, added: bytes) -> None:
    assert added_sign(FileChange(path, added), b"x\n")
    assert added_sign(FileChange(path, added + b"\n"), added) is None
    assert added_sign(FileChange("a.txt", added), b"") is None


@pytest.mark.parametrize(
    ("path", "name", "shown"),
    [
        ("src/calc.ts", "add", "prices.js :: total\n```typescript\nfunction total(prices) {\n"),
        ("lib/cart.js", "Cart.total", "prices.js :: total\n```javascript\nfunction total(prices) {\n"),
        ("cart/cart.go", "Cart.Total", "prices.go :: total\n```go\nfunc total(prices []int) int {\n"),
        ("cart.py", "Cart.total", "prices.py :: total\n```python\ndef total(prices):\n"),
    ],
)
def test_a_functions_example_is_written_in_its_language(path: str, name: str, shown: str) -> None:
    suspect = Suspect(path, name, 1, 2, 1.0, "")
    briefing = Briefing(Task(BASE, "", "", ()), (), (suspect,), {path: SourceFile(path, b"x\n")}, (), Rung.FUNCTION)
    system, _, answer, _ = build(briefing, 30_000)
    assert f"`{path} :: {name}`" in system.content
    assert shown in answer.content
