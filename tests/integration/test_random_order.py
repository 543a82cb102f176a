"""Suites in the random order of a seed, outside of any container."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from guest_runs import go_environment, run_plan

from sandbox.results import ecosystems
from sandbox.spec import Recipe, RunState

SEEDS = (1, 2, 3)
CLASSES = """import unittest
{}
class TestA(unittest.TestCase):
    def test_1(self): LEFT.append(1)
    def test_2(self): pass
    def test_3(self): self.assertIn(1, LEFT)
class TestB(unittest.TestCase):
    @classmethod
    def setUpClass(cls): assert not LEFT.count("B"); LEFT.append("B")
    def test_1(self): pass
    def test_2(self): pass
"""
FILES = {f"test_{name}.py": CLASSES.format("LEFT = []") for name in "pqr"}
GO = """package p

import "testing"

func TestA(t *testing.T) {}
func TestB(t *testing.T) {}
func TestC(t *testing.T) {}
func TestD(t *testing.T) {}
func TestE(t *testing.T) {}
"""
RECIPES = {
    "python": Recipe("python", (), (sys.executable, "-m", "pytest", "-p", "no:cacheprovider"), "test"),
    "unittest": Recipe("unittest", (), (sys.executable, "-m", "unittest"), "test"),
}


@pytest.fixture(params=sorted(RECIPES))
def order(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[int | None], list[str]]:
    def run(seed: int | None) -> list[str]:
        place = tmp_path / f"{seed}-{len(list(tmp_path.iterdir()))}"
        place.mkdir()
        ran = run_plan(place, RECIPES[request.param], FILES, (), {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, seed)
        assert ran.state is RunState.COMPLETE, ran.output
        last = {result.node_id for result in ran.red}
        assert last <= {f"{path}::TestA::test_3" for path in FILES}
        return [result.node_id for result in ran.results]

    return run


def blocks(ids: list[str], depth: int) -> list[str]:
    """The files, or classes, in the order in which they come, each as often as its tests are apart."""
    names = ["::".join(node_id.split("::")[:depth]) for node_id in ids]
    return [name for before, name in zip(["", *names], names, strict=False) if name != before]


def test_each_seed_has_its_own_order_that_comes_again(order: Callable[[int | None], list[str]]) -> None:
    own, (first, *others) = order(None), [order(seed) for seed in SEEDS]

    assert order(SEEDS[0]) == first
    assert own == sorted(own)
    assert len({tuple(own), tuple(first), *map(tuple, others)}) == 1 + len(SEEDS)
    assert sorted(first) == own


def test_files_and_classes_stay_together(order: Callable[[int | None], list[str]]) -> None:
    for seed in SEEDS:
        ids = order(seed)
        assert len(blocks(ids, 1)) == len(FILES)
        assert len(blocks(ids, 2)) == 2 * len(FILES)


@pytest.mark.skipif(shutil.which("go") is None, reason="this machine has no Go")
def test_go_shuffles_by_its_own_flag_whatever_the_command_says(tmp_path: Path) -> None:
    recipe = Recipe("go", (), ("go", "test", "-shuffle=off", "./..."), "test", toolchain="go")
    files = {"go.mod": "module example.com/m\n\ngo 1.19\n", "p/p_test.go": GO}
    orders = []
    for number, seed in enumerate((None, 1, 2, 3, 1)):
        place = tmp_path / str(number)
        place.mkdir()
        ran = run_plan(place, recipe, files, (), go_environment(place, str(tmp_path / "cache")), seed)
        assert ran.state is RunState.COMPLETE, ran.output
        orders.append(tuple(result.node_id for result in ran.results))

    assert orders[0] == tuple(sorted(orders[0]))
    assert orders[1] == orders[4]
    assert len(set(orders)) > 2


def test_where_the_runner_cannot_shuffle_a_seed_changes_nothing() -> None:
    able = {"python", "unittest", "go"}
    for kind, words in (("jest", ("npx", "jest")), ("junit", ("x",)), ("script", ("python", "t.py")), ("python", ())):
        recipe = Recipe(kind, (), words, "test", junit="o.xml")
        assert ecosystems.shuffles(recipe) == (kind in able)
        if kind not in able:
            assert ecosystems.plan(recipe, (), "ab12", 7) == ecosystems.plan(recipe, (), "ab12")
