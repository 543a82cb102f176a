"""Finds out from a tree how to set it up and test it: one module an ecosystem, each a `recipe(tree, given)`."""

from sandbox.detect import python
from sandbox.errors import DetectionError
from sandbox.spec import Given, Recipe, Tree

_ECOSYSTEMS = (python.recipe,)


NOTHING_GIVEN = Given()


def detect(tree: Tree, given: Given = NOTHING_GIVEN) -> Recipe:
    """The recipe of the first ecosystem that knows the tree; what is given replaces what would be detected.

    Raises `DetectionError` where none does, or where a manifest cannot be read.
    """
    for recipe in _ECOSYSTEMS:
        try:
            found = recipe(tree, given)
        except (ValueError, RecursionError) as error:
            raise DetectionError(
                f"The project's manifests hold a value that cannot be read: {str(error)[:200]}", "Correct the value."
            ) from error
        if found is not None:
            return found
    raise DetectionError(
        "There is no Python project here (pyproject.toml, setup.py, requirements.txt) and no file named like a test",
        "Add tests that pytest finds (test_*.py), or name the test command.",
    )
