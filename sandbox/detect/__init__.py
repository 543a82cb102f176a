"""Finds out from a tree how to set it up and test it: one module an ecosystem, each giving the recipes it sees."""

from collections.abc import Callable

from sandbox.detect import python
from sandbox.errors import DetectionError
from sandbox.spec import Given, Recipe, Tree

Ecosystem = Callable[[Tree, Given], tuple[Recipe, ...]]

NOTHING_GIVEN = Given()

_ECOSYSTEMS: tuple[Ecosystem, ...] = (python.recipes,)
"""Each gives its recipes best first, none for a tree that is not its own; an earlier one goes first among equals."""


def candidates(tree: Tree, given: Given = NOTHING_GIVEN) -> tuple[Recipe, ...]:
    """Every recipe that may set the tree up, most confident first: where the first cannot be installed, try the next.

    What is given replaces what would be detected. Raises `DetectionError` where there is none, or where a manifest
    cannot be read.
    """
    found: list[Recipe] = []
    for recipes in _ECOSYSTEMS:
        try:
            found += recipes(tree, given)
        except (ValueError, RecursionError) as error:
            raise DetectionError(
                f"The project's manifests hold a value that cannot be read: {str(error)[:200]}", "Correct the value."
            ) from error
    if not found:
        raise DetectionError(
            "There is no Python project here (pyproject.toml, setup.py, requirements.txt) and no file named like a "
            "test",
            "Add tests that pytest finds (test_*.py), or name the test command.",
        )
    return tuple(sorted(found, key=lambda recipe: -recipe.confidence))


def detect(tree: Tree, given: Given = NOTHING_GIVEN) -> Recipe:
    """The best of `candidates`."""
    return candidates(tree, given)[0]
