import random

import pytest

from bot.repair.localisation.localise import localise
from bot.repair.localisation.reach import Graph
from bot.repair.sources.treemap import MAX_FILE, Budget, outline
from bot.repair.types import SourceFile
from sandbox.spec import Frame, Outcome, TestResult

SCRIPT = b"""import { a } from './a';
const LIMIT = 3;
export function add(x, y) {
  return helper(x) + y.size;
}
const helper = (x) => { return x * LIMIT; };
class Shape extends Base {
  constructor() { super(); }
  area() { return this.inner(2); }
  inner = (n) => n;
}
module.exports.late = function () { return add(1, 2); };
"""
SPEC = b"""import { add, Shape } from './shape';
describe('a > shape', () => {
  it('has an area', () => { expect(new Shape().area()).toBe(4); });
  test.only(`adds`, () => { expect(add(1, 2)).toBe(3); });
});
"""
GO = b"""package calc

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(x T) { s.items = append(s.items, x) }

func Add(a, b int) int { return half(a) + b }

func half(a int) int { return a / 2 }
"""
GO_TEST = b"""package calc

func TestAdd(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Fatal()
	}
}
"""


def names(path: str, data: bytes) -> dict[str, tuple[int, int]]:
    found = outline(path, data, Budget())
    assert found is not None
    return {one.qualified_name: (one.start_line, one.end_line) for one in found.definitions}


@pytest.mark.parametrize("path", ["a.js", "a.mjs", "a.jsx", "a.ts", "a.tsx"])
def test_functions_methods_and_named_arrows_of_scripts_are_definitions(path: str) -> None:
    assert names(path, SCRIPT) == {
        "add": (3, 5),
        "helper": (6, 6),
        "Shape.constructor": (8, 8),
        "Shape.area": (9, 9),
        "Shape.inner": (10, 10),
        "late": (12, 12),
    }


def test_methods_of_go_belong_to_their_receivers_type() -> None:
    assert names("a.go", GO) == {"Stack.Push": (5, 5), "Add": (7, 7), "half": (9, 9)}


def test_python_that_is_too_new_for_this_interpreter_is_read_all_the_same() -> None:
    files = {"new.py": SourceFile("new.py", b"type X = int\n\n\nclass A:\n    def f(self):\n        return 1\n")}
    assert [place.name for place in Graph.of(files).places] == ["A.f"]


def test_a_definition_uses_the_names_in_it_and_not_its_own() -> None:
    found = outline("a.js", SCRIPT, Budget())
    assert found is not None
    uses = {one.name: one.uses for one in found.definitions}
    assert uses["add"] == ("x", "y", "helper", "size")
    assert uses["late"] == ("module", "exports", "add")
    assert found.classes == ("Shape",)
    assert "LIMIT" in found.uses


def red(node_id: str, *frames: Frame) -> TestResult:
    return TestResult(node_id, Outcome.FAILED, frames=frames)


def test_a_titled_test_leads_to_what_it_names_and_to_what_that_calls() -> None:
    files = {"shape.js": SourceFile("shape.js", SCRIPT), "shape.test.js": SourceFile("shape.test.js", SPEC)}
    suspects = localise([red(r"shape.test.js::a \> shape > adds")], ("shape.test.js::x",), files)
    assert [found.qualified_name for found in suspects[:2]] == ["add", "helper"]
    suspects = localise([red(r"shape.test.js::a \> shape > has an area #2")], (), files)
    assert {found.qualified_name for found in suspects[:2]} == {"Shape.area", "Shape.constructor"}
    assert suspects[2].qualified_name == "Shape.inner"
    assert all(found.path == "shape.js" for found in suspects)


def test_a_test_of_go_leads_to_its_functions_and_a_frame_to_the_one_around_it() -> None:
    files = {"c/a.go": SourceFile("c/a.go", GO), "c/a_test.go": SourceFile("c/a_test.go", GO_TEST)}
    suspects = localise([red("c/a_test.go::TestAdd/case_1")], (), files)
    assert [found.qualified_name for found in suspects[:2]] == ["Add", "half"]
    suspects = localise([red("c/a_test.go::TestAdd", Frame("c/a.go", 9, "half"))], (), files)
    assert (suspects[0].qualified_name, suspects[0].source) == ("half", "traceback")


def test_hostile_files_cost_what_their_bytes_allow() -> None:
    budget = Budget(bytes=3000, nodes=500)
    assert outline("a.js", b"x" * (MAX_FILE + 1), Budget()) is None
    assert outline("a.rb", b"def f; end", budget) is None
    assert outline("a.js", b"[1," * 900, budget) is None
    assert (budget.bytes, budget.nodes) == (300, 0)
    assert outline("a.js", b"x;" * 200, budget) is None


@pytest.mark.parametrize("path", ["a.js", "a.ts", "a.tsx", "a.go", "a.py"])
@pytest.mark.parametrize("part", [b"(", b"{", b"`${", b"a<", b"<a>", b"(a)=>", b"f(", b"\xff\xfe"])
def test_what_nests_without_end_is_read_without_recursion(path: str, part: bytes) -> None:
    assert outline(path, part * 8000, Budget()) is not None


def test_whatever_bytes_come_give_an_outline_or_none() -> None:
    chance = random.Random(4)  # noqa: S311 (repeatable noise)
    words = [
        b"function",
        b"f",
        b"(",
        b")",
        b"{",
        b"}",
        b"=>",
        b"class",
        b"func",
        b"def",
        b":",
        b"\n",
        b"'",
        b"`",
        b"\0",
    ]
    for path in ("a.js", "a.ts", "a.go", "a.py"):
        for _ in range(40):
            noise = b" ".join(chance.choices(words, k=60))
            found = outline(path, noise, Budget())
            assert found is None or all(1 <= one.start_line <= one.end_line for one in found.definitions)
