"""Attack 17: patches that would write outside of the tree, into git's own files, or onto what judges them."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from fakes_workspace import BASE, ScriptedWorkspace

from bot.adapters.local import LocalTrees
from bot.adapters.workspace import overlay
from bot.errors import EditError, RegreenError
from bot.pipeline.given import read_patch
from bot.repair.editing.edits import apply
from bot.repair.gate import judge, refuse
from bot.repair.measuring.baseline import measure
from bot.repair.protection import protect
from bot.repair.types import FileChange, Patch
from sandbox.containers.archive import pack
from sandbox.errors import TreeTooLargeError
from sandbox.spec import File, Outcome, Tree

pytestmark = pytest.mark.attack(17, "hostile patches")

TEST = "tests/test_app.py::test_it"
TREE: Tree = {
    "app.py": File(b"x = 1\n"),
    "tests/test_app.py": File(b"def test_it(): pass\n"),
    "run.sh": File(b"#!/bin/sh\n", 0o100755),
    "out": File(b"/etc", 0o120000),
    "up": File(b"../..", 0o120000),
    "inner": File(b"app.py", 0o120000),
}
FILES = {path: file.data for path, file in TREE.items() if file.mode != 0o120000}

CLIMBING = ["../x.py", "a/../../x.py", "/etc/cron.d/x", "./x.py", "a//x.py", "..", ".", "", "~/../x.py\0"]
GITS_OWN = [
    ".git/config", ".git/hooks/post-checkout", ".GIT/config", "sub/.Git/config", ".git", ".git./config",
    ".git /config", ".git. . /config", "git~1/config", "GIT~1/config", ".git::$INDEX_ALLOCATION/config",
    ".g\u200cit/config", ".gi\ufefft/config", ".git\\config", "a\\..\\..\\x.py", ".gitmodules", ".gitattributes",
]  # fmt: skip
ODD = ["x\0.py", "x\n.py", "x\x1b[2J.py", "x\u202e.py", "\udcff.py", "n" * 300 + ".py", "d/" * 600 + "x.py"]
THROUGH = ["app.py/x.py", "tests/test_app.py/x", "tests"]


@pytest.mark.parametrize("path", [*CLIMBING, *GITS_OWN, *ODD, *THROUGH])
def test_the_gate_refuses_the_path_before_anything_runs(path: str) -> None:
    workspace = ScriptedWorkspace(FILES, lambda _: {TEST: Outcome.FAILED})
    judged = judge(workspace, BASE, Patch((FileChange(path, b"x = 2\n"),)))
    assert judged.refused
    assert all(patch.changes == () for patch, _ in workspace.calls)


@pytest.mark.parametrize("path", [*CLIMBING, *GITS_OWN[:5], "out/cron.d/x", "up/x.py", "inner", "out"])
def test_nothing_is_written_into_a_local_directory(tmp_path: Path, path: str) -> None:
    root = tmp_path / "around" / "repo"
    unpacked(root)
    trees = LocalTrees(root)
    assert trees.snapshot["up"].mode == 0o120000
    before = listing(tmp_path)
    with pytest.raises(EditError):
        trees.apply(Patch((FileChange("app.py", b"x = 2\n"), FileChange(path, b"x"))))
    assert listing(tmp_path) == before


@pytest.mark.parametrize("path", ["../x.py", "/etc/x", "a\0b", "out/x", "up/x.py", "app.py/x"])
def test_nothing_that_leaves_the_tree_is_sent_into_a_container(path: str) -> None:
    with pytest.raises((TreeTooLargeError, RegreenError)):
        pack({"repo": overlay(TREE, Patch((FileChange(path, b"x"),)))})


@pytest.mark.parametrize("path", ["inner", "out", "up"])
def test_a_symlink_is_neither_replaced_nor_written_through(path: str) -> None:
    with pytest.raises(RegreenError, match="symlink"):
        overlay(TREE, Patch((FileChange(path, b"x"),)))
    with pytest.raises(EditError):
        apply(f"{path}\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE", "stop", FILES, known=TREE.keys())


@pytest.mark.parametrize(
    "diff",
    [
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n",
        "diff --git a/s b/s\nnew file mode 160000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+Subproject commit 1234\n",
        "diff --git a/app.py b/x.py\nsimilarity index 100%\nrename from app.py\nrename to x.py\n",
        "diff --git a/app.py b/app.py\nold mode 100644\nnew mode 100755\n",
        "diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n",
        "diff --git a/b b/b\nnew file mode 100644\nGIT binary patch\nliteral 1\nIc$@\n",
        '--- /dev/null\n+++ "b/\\056\\056/x"\n@@ -0,0 +1 @@\n+x\n',
    ],
    ids=["symlink", "submodule", "rename", "mode", "executable", "binary", "quoted"],
)
def test_a_diff_adds_no_link_no_submodule_and_changes_no_mode(diff: str) -> None:
    with pytest.raises(EditError):
        read_patch(diff.encode(), FILES)


@pytest.mark.parametrize("path", ["../x", ".git/config", "/etc/x"])
def test_a_diff_whose_path_leaves_the_tree_is_refused_by_the_gate(path: str) -> None:
    patch = read_patch(f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n".encode(), FILES)
    assert refuse(patch, {}, FILES.keys())


def test_an_executable_stays_one_and_nothing_else_becomes_one() -> None:
    changes = (FileChange("run.sh", b"#!/bin/sh\nexit\n"), FileChange("app.py", b"#!"), FileChange("new.py", b"#!"))
    modes = {path: file.mode for path, file in overlay(TREE, Patch(changes)).items()}
    assert (modes["run.sh"], modes["app.py"], modes["new.py"]) == (0o100755, 0o100644, 0o100644)


@dataclass(frozen=True)
class Linked:
    """A link of the tree and the file that a patch would change in the link's stead."""

    link: str
    target: str
    file: str


@pytest.mark.parametrize(
    "case",
    [
        Linked("tests/test_app.py", "../checks/app.py", "checks/app.py"),
        Linked("tests/test_app.py", "/repo/checks/app.py", "checks/app.py"),
        Linked("tests/test_app.py", "../../repo/checks/app.py", "checks/app.py"),
        Linked("tests", "checks", "checks/test_app.py"),
        Linked("tests", "./checks/", "checks/helper.py"),
        Linked("pkg/tests/test_app.py", "../../checks/app.py", "checks/app.py"),
        Linked("pkg/tests", "../checks", "checks/data.py"),
        Linked("conftest.py", "checks/setup_tests.py", "checks/setup_tests.py"),
        Linked("pytest.ini", "etc/run.ini", "etc/run.ini"),
        Linked("requirements.txt", "etc/pins", "etc/pins"),
    ],
    ids=lambda case: f"{case.link} to {case.target}",
)
def test_the_target_of_a_symlinked_test_is_as_protected_as_the_test(case: Linked) -> None:
    workspace = ScriptedWorkspace({"app.py": b"x = 1\n", case.file: b"y = 1\n"}, lambda _: {TEST: Outcome.FAILED})
    assert not judge(workspace, BASE, Patch((FileChange(case.file, b"y = 2\n"),))).refused or "/test_" in case.file
    workspace.symlinks = {case.link: case.target}
    judged = judge(workspace, BASE, Patch((FileChange(case.file, b"y = 2\n"),)))
    assert judged.refused
    assert "is protected" in judged.reason


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("tests/app.py", "../app.py"),
        ("tests/test_app.py", "/etc/passwd"),
        ("tests/test_app.py", "test_app.py"),
        ("tests", ".."),
        ("tests", "/"),
        ("a", "a/a/a"),
    ],
)
def test_a_link_to_the_code_under_test_out_of_the_tree_or_in_circles_protects_nothing_more(
    link: str, target: str
) -> None:
    workspace = ScriptedWorkspace({"app.py": b"x = 1\n"}, lambda _: {TEST: Outcome.FAILED})
    workspace.symlinks = {link: target}
    found = protect(workspace, BASE, workspace.paths(BASE), measure(workspace, BASE))
    assert found.fault("app.py") is None


def test_git_apply_would_have_taken_the_link_that_leaves_the_tree(tmp_path: Path) -> None:
    """What the diff above is refused for: plain git makes that link."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    diff = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n"
    diff = diff.replace("+/etc/passwd\n", "+/etc/passwd\n\\ No newline at end of file\n")
    subprocess.run(["git", "-C", tmp_path, "apply", "-"], input=diff.encode(), check=True)
    assert (tmp_path / "l").readlink() == Path("/etc/passwd")


def unpacked(root: Path) -> None:
    for path, file in TREE.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if file.mode == 0o120000:
            place.symlink_to(os.fsdecode(file.data))
        else:
            place.write_bytes(file.data)
    shutil.copymode("/bin/sh", root / "run.sh")


def listing(root: Path) -> dict[str, bytes]:
    found = (path for path in root.rglob("*") if path.is_file() or path.is_symlink())
    return {str(path): b"" if path.is_symlink() else path.read_bytes() for path in found}
