"""`LocalTrees` on real directories; git is asked only to say what it would have listed."""

import os
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bot.adapters.git_tree import MOST_FILES, check_bounds
from bot.adapters.local import LocalTrees
from bot.adapters.local_write import put
from bot.errors import EditError, FetchError, TreeError
from bot.repair.types import FileChange, Patch
from sandbox.spec import File

SLOW = 20.0
"""Seconds: a backtracking matcher takes hours."""
Make = Callable[[Mapping[str, str]], Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def build(files: Mapping[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / "repo" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path / "repo"

    return build


def write(name: str, content: bytes | None) -> Patch:
    return Patch((FileChange(name, content),))


def test_reads_bytes_and_modes_and_keeps_symlinks_as_symlinks(make: Make) -> None:
    root = make({"a.py": "x", "bin/run": "#!/bin/sh", "secret-is-elsewhere/b": "b"})
    (root / "latin").write_bytes(b"\xe9\r\n")
    (root / "bin/run").chmod(0o755)
    (root / "out").symlink_to("/etc/passwd")
    (root / "up").symlink_to("..")
    os.mkfifo(root / "pipe")
    tree = LocalTrees(root).snapshot
    assert tree["a.py"] == File(b"x")
    assert tree["latin"].data == b"\xe9\r\n"
    assert tree["bin/run"].mode == 0o100755
    assert tree["out"] == File(b"/etc/passwd", 0o120000)
    assert tree["up"] == File(b"..", 0o120000)
    assert "pipe" not in tree


@pytest.mark.parametrize("more", ["", "*x*y*z*w*\n"], ids=["few stars", "many stars"])
def test_leaves_out_what_git_leaves_out(make: Make, more: str) -> None:
    root = make(
        {
            ".gitignore": f"{more}*.log\n/build/\n!keep.log\nfoo/*\n!foo/bar\n# note\n\n"
            "deep/**/*.tmp\ndoc?/[ab]*\nall/**\n",
            "deep/x/y.tmp": "", "deep/z.tmp": "", "a/deep/z.tmp": "", "other/z.tmp": "", "docs/a.md": "",
            "docs/c.md": "", "all/x": "", "all/y/z": "",
            "sub/.gitignore": "!special.log\nlocal\n",
            "a.log": "", "keep.log": "", "sub/special.log": "", "sub/other.log": "", "sub/local": "", "local": "",
            "build/x": "", "sub/build/x": "", "foo/baz": "", "foo/bar/x": "", "src/a.py": "",
        }
    )  # fmt: skip
    subprocess.run(["git", "init", "-q", root], check=True)
    (root / ".git/info/exclude").write_text("excluded\n")
    (root / "excluded").write_text("")
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "-o", "--exclude-standard"], capture_output=True, text=True, check=True
    )
    assert sorted(LocalTrees(root).snapshot) == sorted(listed.stdout.split())


def test_no_pattern_of_a_strangers_ignore_file_makes_one_wait(make: Make) -> None:
    root = make({".gitignore": "*a" * 30 + "*b\n" + "**/a/" * 20 + "b\n", "a" * 200: "", "a/" * 60 + "c": ""})
    started = time.process_time()
    assert len(LocalTrees(root).snapshot) == 3
    assert time.process_time() - started < SLOW


def test_leaves_out_environments_and_caches_that_nobody_ignored(make: Make) -> None:
    root = make({"a.py": "", "odd/pyvenv.cfg": "", "odd/bin/x": "", "node_modules/x": "", "p/__pycache__/a.pyc": ""})
    assert set(LocalTrees(root).snapshot) == {"a.py"}


def test_a_commit_names_the_content(make: Make) -> None:
    root = make({"a.py": "x"})
    first, again = LocalTrees(root), LocalTrees(root)
    assert first.commit == again.commit
    assert first.tree("any/name", first.commit) == {"a.py": File(b"x")}
    (root / "a.py").chmod(0o755)
    assert LocalTrees(root).commit != first.commit
    with pytest.raises(FetchError, match="not what lies in"):
        first.fetch("any/name", "0" * 64)


def test_bounds_and_missing_directories_are_tree_errors(tmp_path: Path) -> None:
    with pytest.raises(TreeError, match="no directory"):
        _ = LocalTrees(tmp_path / "none").snapshot
    with (tmp_path / "big").open("wb") as file:
        file.truncate((512 << 20) + 1)
    with pytest.raises(TreeError, match="too large"):
        _ = LocalTrees(tmp_path).snapshot
    with pytest.raises(TreeError, match="too large"):
        check_bounds(MOST_FILES + 1, 0)


def test_apply_writes_replaces_and_deletes_and_keeps_modes(make: Make) -> None:
    root = make({"a.sh": "old", "gone": "x"})
    (root / "a.sh").chmod(0o750)
    changes = (FileChange("a.sh", b"n\xe9w"), FileChange("gone", None), FileChange("new/deep.py", b"y"))
    LocalTrees(root).apply(Patch(changes))
    assert (root / "a.sh").read_bytes() == b"n\xe9w"
    assert (root / "a.sh").stat().st_mode & 0o777 == 0o750
    assert not (root / "gone").exists()
    assert (root / "new/deep.py").read_bytes() == b"y"
    assert not [path for path in root.rglob(".*") if path.is_file()]


@pytest.mark.parametrize("path", ["../out", "/abs", "a/../../out", ".git/config", "a//b", ".GIT/hooks/x"])
def test_apply_refuses_paths_that_leave_the_tree(make: Make, path: str) -> None:
    root = make({"a/x": "x"})
    with pytest.raises(EditError, match="outside of the tree"):
        LocalTrees(root).apply(write(path, b"x"))


def test_apply_refuses_symlinks_on_the_way_and_at_the_end(make: Make, tmp_path: Path) -> None:
    root = make({"a": "x"})
    (tmp_path / "outside").mkdir()
    (root / "dir").symlink_to(tmp_path / "outside")
    (root / "file").symlink_to("a")
    for name in ("dir/x", "file", "a/below"):
        with pytest.raises(EditError):
            LocalTrees(root).apply(write(name, b"y"))
    assert list((tmp_path / "outside").iterdir()) == []
    assert (root / "a").read_text() == "x"


def test_apply_refuses_the_whole_patch_when_one_file_changed_since_it_was_read(make: Make) -> None:
    root = make({"a": "1", "b": "1"})
    trees = LocalTrees(root)
    assert trees.commit
    (root / "b").write_text("somebody's work")
    (root / "new").write_text("somebody's too")
    with pytest.raises(EditError, match="changed since"):
        trees.apply(Patch((FileChange("a", b"2"), FileChange("b", b"2"))))
    with pytest.raises(EditError, match="changed since"):
        trees.apply(write("new", b"2"))
    assert (root / "a").read_text() == "1"
    assert (root / "b").read_text() == "somebody's work"


def test_apply_writes_nothing_when_one_file_cannot_be_written(make: Make) -> None:
    root = make({"a": "1", "b": "1"})
    with pytest.raises(EditError, match="cannot be written"):
        LocalTrees(root).apply(Patch((FileChange("a", b"2"), FileChange("z" * 300, b"2"))))
    assert (root / "a").read_text() == "1"
    assert sorted(path.name for path in root.iterdir()) == ["a", "b"]


def test_what_was_already_written_is_put_back_when_a_later_file_fails(make: Make) -> None:
    root = make({"a": "1", "b": "1", "staged": "2"})
    before = LocalTrees(root).snapshot
    with pytest.raises(OSError, match="No such file"):
        put(root, before, {root / "a": root / "staged", root / "b": None, root / "c": root / "missing"})
    assert (root / "a").read_text() == "1"
    assert (root / "b").read_text() == "1"
