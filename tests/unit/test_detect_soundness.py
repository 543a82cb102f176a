"""What no command line can hold is refused where it is read, whichever manifest said it."""

import pytest

from sandbox.containers.protocol import command
from sandbox.detect import candidates, soundness
from sandbox.errors import DetectionError
from sandbox.spec import File, Given, Recipe, RunSpec, Tree

TESTED: Tree = {"requirements.txt": File(b""), "tests/test_a.py": File(b"def test_a(): pass\n")}


def node(script: bytes) -> Tree:
    return {
        "package.json": File(b'{"name":"x","scripts":{"test":"node --test ' + script + b'"}}'),
        "a.test.js": File(b""),
    }


def workflow(value: bytes) -> Tree:
    steps = b'    - run: "pip install pytest"\n    - run: "pytest tests"\n      env: {A: "%s"}\n'
    text = b"on: push\njobs:\n  t:\n    steps:\n" + steps
    return {**TESTED, ".github/workflows/ci.yml": File(text % value)}


@pytest.mark.parametrize(
    ("tree", "given"),
    [
        (node(rb"a\u0000b"), Given()),
        (node(rb"a\ud800b"), Given()),
        (workflow(rb"a\ud800b"), Given()),
        (TESTED, Given(test_command=("pytest", "a\0b"))),
        (TESTED, Given(test_command=("make",), junit="a\ud800.xml")),
        (TESTED, Given(setup=(("sh", "-c", "\0"),))),
    ],
)
def test_what_cannot_be_run_is_refused(tree: Tree, given: Given) -> None:
    with pytest.raises(DetectionError, match="manifests"):
        candidates(tree, given)


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe("script", (), ("a",) * (soundness.MAX_TEXTS + 1), "s"),
        Recipe("script", (), ("a" * soundness.MAX_TEXT,) * 65, "s"),
        Recipe("script", (), (), "s", environment=(("A", "\ud800"),)),
        Recipe("script", (), (), "s", closing_line="\0"),
    ],
)
def test_every_text_counts(recipe: Recipe) -> None:
    with pytest.raises(DetectionError):
        soundness.require(recipe)


def test_what_is_let_through_can_be_sent() -> None:
    recipe = Recipe("script", (), ("cat", "\udcff", "ä", "'\n"), "s")
    soundness.require(recipe)
    assert b"\xff" in command(RunSpec("r", "i", recipe.test_command))
