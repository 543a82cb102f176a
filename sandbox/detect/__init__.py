"""Finds out from a tree how to set it up and test it: one module an ecosystem, each a `recipe(tree, test_command)`."""

from sandbox.detect import python
from sandbox.errors import DetectionError
from sandbox.spec import Recipe, Tree

_ECOSYSTEMS = (python.recipe,)


def detect(tree: Tree, test_command: tuple[str, ...] = ()) -> Recipe:
    """The recipe of the first ecosystem that knows the tree; an explicit `test_command` replaces the detected one.

    Raises `DetectionError` where none does, or where a manifest cannot be read.
    """
    for recipe in _ECOSYSTEMS:
        try:
            found = recipe(tree, test_command)
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
