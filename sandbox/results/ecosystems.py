"""From a recipe's ecosystem to the module that starts its tests and reads their results."""

from sandbox.errors import DetectionError
from sandbox.results import pytest, script
from sandbox.results.plan import Plan
from sandbox.spec import Recipe, RunResult, TestRun

PYTHON = "python"
SCRIPT = "script"


def plan(recipe: Recipe, node_ids: tuple[str, ...], nonce: str) -> Plan:
    """How to run these tests, all of them where there are no node ids. Raises `DetectionError`."""
    if _known(recipe) == SCRIPT:
        return script.plan(recipe)
    return pytest.plan(recipe, node_ids, nonce)


def parse(recipe: Recipe, result: RunResult, nonce: str) -> TestRun:
    """What the run proves. Raises `DetectionError`."""
    if _known(recipe) == SCRIPT:
        return script.parse(recipe, result)
    return pytest.parse(result, nonce)


def _known(recipe: Recipe) -> str:
    if recipe.ecosystem not in {PYTHON, SCRIPT}:
        raise DetectionError(
            f"No way to run tests of the ecosystem {recipe.ecosystem!r} is known", "Name a test command for pytest."
        )
    return recipe.ecosystem
