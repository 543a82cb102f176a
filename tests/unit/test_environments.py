from pathlib import Path

import pytest
from fakes_engine import BASE, ScriptedEngine

from bot.adapters.environments import DockerEnvironments
from bot.errors import EngineDownError, NoRoomError, RegreenError, SetUpError, TreeError
from sandbox.errors import (
    DetectionError,
    DiskFullError,
    EngineUnavailableError,
    ImageMissingError,
    InstallFailedError,
    SandboxError,
    TreeTooLargeError,
)
from sandbox.images import EnvironmentImages, InstallSettings
from sandbox.spec import File, Tree

TREE: Tree = {"test_a.py": File(b"def test_a(): pass\n")}


class ScriptedTrees:
    """One tree for every commit, or an error."""

    def __init__(self, tree: Tree, error: SandboxError | None = None) -> None:
        self.files = tree
        self.error = error

    def tree(self, repository: str, commit: str) -> Tree:
        assert (repository, commit) == ("o/r", "c0ffee")
        if self.error is not None:
            raise self.error
        return self.files


def environments(engine: ScriptedEngine, trees: ScriptedTrees, directory: Path) -> DockerEnvironments:
    return DockerEnvironments(EnvironmentImages(engine, BASE, InstallSettings(), data_dir=directory), trees)


def test_a_prepared_base_is_portable_and_its_image_is_there_for_the_workspace(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    prepared = environments(engine, ScriptedTrees(TREE), tmp_path)
    base = prepared.prepare("o/r", "c0ffee", ("pytest", "-q"))
    assert (base.repository, base.commit, base.recipe.test_command) == ("o/r", "c0ffee", ("pytest", "-q"))
    assert engine.image(prepared.image(base)) is not None
    assert len(engine.specs) == 1


def test_the_workspace_gets_an_image_on_a_machine_that_never_prepared_it(tmp_path: Path) -> None:
    base = environments(ScriptedEngine(), ScriptedTrees(TREE), tmp_path).prepare("o/r", "c0ffee", ())
    elsewhere = ScriptedEngine()
    assert elsewhere.image(environments(elsewhere, ScriptedTrees(TREE), tmp_path).image(base)) is not None


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (DetectionError, SetUpError),
        (InstallFailedError, SetUpError),
        (DiskFullError, NoRoomError),
        (EngineUnavailableError, EngineDownError),
        (ImageMissingError, EngineDownError),
        (TreeTooLargeError, TreeError),
    ],
)
def test_the_sandboxs_errors_keep_cause_and_remedy_in_the_bots_terms(
    tmp_path: Path, raised: type[SandboxError], expected: type[RegreenError]
) -> None:
    trees = ScriptedTrees(TREE, raised("It broke", "Mend it."))
    with pytest.raises(expected) as caught:
        environments(ScriptedEngine(), trees, tmp_path).prepare("o/r", "c0ffee", ())
    assert (caught.value.cause, caught.value.remedy) == ("It broke", "Mend it.")


def test_a_tree_that_nobody_knows_how_to_test_is_a_set_up_error(tmp_path: Path) -> None:
    with pytest.raises(SetUpError, match="no file named like a test"):
        environments(ScriptedEngine(), ScriptedTrees({}), tmp_path).prepare("o/r", "c0ffee", ())
