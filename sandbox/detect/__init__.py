"""Finds out from a tree how to set it up and test it: one module an ecosystem, each giving the recipes it sees."""

from collections.abc import Callable
from dataclasses import replace

from sandbox.detect import go, junit, node, python, soundness, work
from sandbox.detect.node import others as runners
from sandbox.detect.node.runners import is_client
from sandbox.errors import DetectionError
from sandbox.spec import Given, Recipe, Tree

Ecosystem = Callable[[Tree, Given], tuple[Recipe, ...]]

NOTHING_GIVEN = Given()

_ECOSYSTEMS: tuple[Ecosystem, ...] = (python.recipes, node.recipes, go.recipes)
"""Each gives its recipes best first, none for a tree that is not its own; an earlier one goes first among equals."""


def candidates(tree: Tree, given: Given = NOTHING_GIVEN) -> tuple[Recipe, ...]:
    """Every recipe that may set the tree up, most confident first: where the first cannot be installed, try the next.

    What is given replaces what would be detected. Raises `DetectionError` where there is none, where a manifest
    cannot be read or all of it takes too much work (`work`), or where one asks for what cannot be run (`soundness`).
    """
    try:
        with work.bounded(tree):
            found = _recipes(tree, given)
    except DetectionError:
        raise
    except work.OverworkError as error:
        raise DetectionError(
            "The project's manifests, workflows and scripts ask for more work than is done to find out how it is "
            "tested: they are too large, or refer to themselves",
            "Name the test command and the set-up, or shorten them.",
        ) from error
    except Exception as error:  # Parsers meet hostile text here, and no error of theirs ends a job otherwise.
        raise DetectionError(
            f"The project's manifests hold a value that cannot be read: {type(error).__name__} {str(error)[:200]}",
            "Correct the value.",
        ) from error
    for recipe in found:
        soundness.require(recipe)
    return found


def _recipes(tree: Tree, given: Given) -> tuple[Recipe, ...]:
    if given.junit:
        # Its command may be anything, so that it says nothing of the set-up.
        return (junit.recipe(given, _found(tree, replace(given, test_command=(), junit=""))),)
    found = _found(tree, given)
    if not found:
        raise _nothing(tree, given)
    return found


def _nothing(tree: Tree, given: Given) -> DetectionError:
    say = (
        "`test_command`, and `junit` for the JUnit XML files that it writes (as `junit: reports/*.xml`), in "
        ".github/regreen.yml"
    )
    if found := runners.unread(tree, given):
        return DetectionError(
            f"{found}: only the results of node --test, jest, vitest and mocha are read",
            f"Have the runner write JUnit XML, and name {say}.",
        )
    return DetectionError(
        "There is no Python project here (pyproject.toml, setup.py, requirements.txt) and no file named like a "
        "test, no package.json whose tests run with node --test, jest, vitest or mocha, and no go.mod",
        f"Add tests that pytest finds (test_*.py), or name {say}.",
    )


def _found(tree: Tree, given: Given) -> tuple[Recipe, ...]:
    found: list[Recipe] = []
    for recipes in _asked(given):
        found += recipes(tree, given)
    return tuple(sorted(found, key=lambda recipe: -recipe.confidence))


def _asked(given: Given) -> tuple[Ecosystem, ...]:
    """A given command of one toolchain says whose tree it is."""
    if given.test_command[:1] == ("go",):
        return (go.recipes,)
    return (node.recipes,) if is_client(given.test_command) else _ECOSYSTEMS


def detect(tree: Tree, given: Given = NOTHING_GIVEN) -> Recipe:
    """The best of `candidates`."""
    return candidates(tree, given)[0]
