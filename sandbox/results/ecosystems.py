"""From a recipe's ecosystem to the module that starts its tests and reads their results."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sandbox.errors import DetectionError
from sandbox.results import go, junit, node, pytest, script, unittest
from sandbox.results.plan import Plan
from sandbox.spec import Recipe, RunResult, TestRun

PYTHON = "python"
SCRIPT = "script"


@dataclass(frozen=True, slots=True)
class _Ecosystem:
    """How tests are started, with recipe, node ids, nonce and seed; and what the end of their run proves."""

    plan: Callable[[Recipe, tuple[str, ...], str, int | None], Plan]
    parse: Callable[[Recipe, RunResult, str], TestRun]
    shuffles: bool = False


def _of(plan: Callable[[Recipe, tuple[str, ...], str], Plan], parse: Callable[[RunResult, str], TestRun]) -> _Ecosystem:
    """Of a runner that keeps its own order."""
    return _Ecosystem(
        lambda recipe, node_ids, nonce, _: plan(recipe, node_ids, nonce), lambda _, result, nonce: parse(result, nonce)
    )


def _shuffling(
    plan: Callable[[Recipe, tuple[str, ...], str, int | None], Plan], parse: Callable[[RunResult, str], TestRun]
) -> _Ecosystem:
    return _Ecosystem(plan, lambda _, result, nonce: parse(result, nonce), shuffles=True)


_ECOSYSTEMS: Mapping[str, _Ecosystem] = {
    PYTHON: _shuffling(pytest.plan, pytest.parse),
    SCRIPT: _Ecosystem(lambda recipe, *_: script.plan(recipe), lambda recipe, result, _: script.parse(recipe, result)),
    "unittest": _shuffling(unittest.plan, unittest.parse),
    "go": _shuffling(go.plan, go.parse),
    "junit": _of(junit.plan, junit.parse),
    **dict.fromkeys(node.KINDS, _of(node.plan, node.parse)),
}


def plan(recipe: Recipe, node_ids: tuple[str, ...], nonce: str, seed: int | None = None) -> Plan:
    """How to run these tests, all of them where there are no node ids. Raises `DetectionError`.

    With a seed they run in the random order that it stands for, where `shuffles` says that they can.
    """
    return _known(recipe).plan(recipe, node_ids, nonce, seed)


def shuffles(recipe: Recipe) -> bool:
    """Whether these tests can run in random order: pytest's, unittest's and Go's can. Raises `DetectionError`."""
    return _known(recipe).shuffles


def parse(recipe: Recipe, result: RunResult, nonce: str) -> TestRun:
    """What the run proves. Raises `DetectionError`."""
    return _known(recipe).parse(recipe, result, nonce)


def _known(recipe: Recipe) -> _Ecosystem:
    found = _ECOSYSTEMS.get(recipe.ecosystem)
    if found is None:
        raise DetectionError(
            f"No way to run tests of the ecosystem {recipe.ecosystem!r} is known", "Name a test command for pytest."
        )
    return found
