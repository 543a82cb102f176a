"""A small repository with one bug, and what hostile code makes of its suite."""

from collections.abc import Mapping

from bot.adapters.workspace import DockerWorkspace
from bot.repair.gate import Judgement, before_of, judge, refuse
from bot.repair.measuring.baseline import measure
from bot.repair.protection import protect
from bot.repair.types import WHOLE_SUITE, Base, FileChange, Patch
from sandbox.spec import File, Recipe, RunState, TestRun, Tree

BASE = Base("owner/name", "c0ffee", Recipe("python", (), ("python3", "-m", "pytest", "-q"), "test"))
TARGET = "tests/test_calc.py::test_add"
FIXED = b"def add(a, b):\n    return a + b\n\ndef sub(a, b):\n    return a - b\n"
TREE: Tree = {
    "calc.py": File(FIXED.replace(b"a + b", b"a - b")),
    "tests/test_calc.py": File(
        b"import calc\n\ndef test_add():\n    assert calc.add(1, 2) == 3\n\n"
        b"def test_sub():\n    assert calc.sub(3, 2) == 1\n"
    ),
}


def changed(files: Mapping[str, bytes | None]) -> Patch:
    """A patch with these whole files; `None` deletes."""
    return Patch(tuple(FileChange(path, content) for path, content in sorted(files.items())))


def runs(workspace: DockerWorkspace, files: Mapping[str, Mapping[str, str]]) -> dict[str, TestRun]:
    """What each set of hostile files makes of the suite, without a gate."""
    patches = tuple(changed({path: text.encode() for path, text in of.items()}) for of in files.values())
    return dict(zip(files, workspace.evaluate(BASE, patches, WHOLE_SUITE), strict=True))


def green(run: TestRun) -> bool:
    """Whether a run would count as a pass of the test that must fail."""
    return run.state is RunState.COMPLETE and all(result.node_id != TARGET for result in run.red)


def judged(workspace: DockerWorkspace, files: Mapping[str, bytes | None]) -> Judgement:
    """The real gate's answer."""
    return judge(workspace, BASE, changed(files), (TARGET,))


def accepted(workspace: DockerWorkspace, patches: Mapping[str, Mapping[str, bytes | None]]) -> set[str]:
    """The patches that the gate would run: what `judge` does before it runs one, over one baseline."""
    known = workspace.paths(BASE)
    paths = frozenset(known)
    protection = protect(workspace, BASE, known, measure(workspace, BASE), ())
    changes = {name: changed(files) for name, files in patches.items()}
    return {
        name
        for name, patch in changes.items()
        if not refuse(patch, before_of(workspace, BASE, patch, paths), paths, protection)
    }
