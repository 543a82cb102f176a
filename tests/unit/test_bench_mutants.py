"""How faults are put into sound code, and which of them count."""

import ast
import dataclasses

import pytest
from bench.loop.injection import Fault, faults
from bench.loop.measure import Row
from bench.loop.mutants import Package, document
from fakes_workspace import run_of

from bot.repair.types import Baseline
from sandbox.spec import File, Outcome, RunState

CODE = '''"""Spans."""

LIMIT = 10


def grade(score, names=()):
    """Grade a score."""
    total = 0
    for name in names:
        total += max(len(name), 1)  # ünïcode
    if not names and score >= 50:
        return "päss"
    return total % 2


class Span:
    def add(self, other):
        self.seen.append(other)
        return other in self.seen
'''
TREE = {"spans.py": File(CODE.encode()), "tests/test_spans.py": File(b"def test(): assert 1 < 2\n")}


def lines_changed(fault: Fault) -> int:
    before, after = CODE.encode().split(b"\n"), fault.content.split(b"\n")
    return sum(old != new for old, new in zip(before, after, strict=True))


def test_every_fault_is_in_one_line_of_a_function_of_the_source_and_can_be_parsed() -> None:
    found = list(faults(TREE, "spans"))
    assert {fault.path for fault in found} == {"spans.py"}
    assert [lines_changed(fault) for fault in found] == [1] * len(found)
    assert all(ast.parse(fault.content) for fault in found)
    assert min(fault.line for fault in found) > CODE.split("\n").index("def grade(score, names=()):")


def test_faults_are_of_many_kinds() -> None:
    assert {fault.kind for fault in faults(TREE, "spans")} == {
        "comparison",
        "arithmetic",
        "logic",
        "negation",
        "constant",
        "swapped arguments",
        "lost statement",
        "lost value",
    }


def test_the_seed_decides_the_order_and_nothing_else() -> None:
    one, same, other = (list(faults(TREE, seed)) for seed in ("a", "a", "b"))
    assert one == same
    assert one != other
    assert set(one) == set(other)


def test_code_that_cannot_be_parsed_has_no_faults() -> None:
    assert not list(faults({"a.py": File(b"def f(:\n"), "b.py": File(b"def f():\n return '\xff'\n")}, "x"))


@pytest.mark.parametrize(("red", "state"), [(0, "complete"), (1, "complete"), (4, "complete"), (1, "timeout")])
def test_a_fault_counts_where_the_suite_ends_red_but_not_all_red(red: int, state: str) -> None:
    ids = tuple(f"t::{number}" for number in range(6))
    baseline = Baseline(2, (), ids, (), (), 1.0)
    outcomes = {node_id: Outcome.FAILED if at < red else Outcome.PASSED for at, node_id in enumerate(ids)}
    run = dataclasses.replace(run_of(outcomes), state=RunState(state))
    assert Package("p", TREE, baseline).shows(run) is ((red, state) == (1, "complete"))


def test_a_mutant_must_pass_what_the_sound_package_passed() -> None:
    package = Package("p", TREE, Baseline(2, (), ("t::a", "t::b"), (), (), 1.0))
    task = package.task(3, Fault("spans.py", 5, "constant", b"x = 1\n"))
    assert (task.name, task.repository, task.sound) == ("p-03", "bench/p", {"t::a", "t::b"})
    assert task.tree["spans.py"].data == b"x = 1\n"
    assert task.fixed["spans.py"] == CODE.encode()


def row(*broken: str, solved: bool = True) -> Row:
    return Row("mutation", "p-01", claimed=True, solved=solved, stop="solved", detail="", seconds=1.0, broken=broken)


def test_one_regression_is_one_too_many() -> None:
    assert document([row(), row(solved=False)], 2)["met"] is True
    found = document([row(), row("t::a", solved=False)], 2)
    assert (found["mutants"], found["solved"], found["regressions"], found["met"]) == (2, 1, 1, False)


def test_fewer_mutants_than_asked_for_do_not_meet_the_target() -> None:
    assert document([row()], 2)["met"] is False
