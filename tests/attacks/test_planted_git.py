"""Attacks 14 and 16: git configuration that runs commands, in a local checkout, in what is fetched, in a mirror."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from docker import APIClient
from fakes_forge import REPOSITORY, Forge, forge_at, git
from fakes_planted import MECHANISMS, nested, plant, shadow, use

from bot.adapters.git_process import Bounds, GitProcess
from bot.adapters.git_tree import read_tree
from bot.adapters.local import LocalTrees
from bot.errors import FetchError, TreeError
from bot.repair.types import FileChange, Patch
from sandbox.detect import detect
from sandbox.spec import File

WATCHED = """
import json, sys
def watch(event, arguments):
    if event == "subprocess.Popen" or event.startswith(("os.exec", "os.system", "os.posix_spawn", "os.spawn", "pty.")):
        print("RAN", json.dumps([event, *arguments[1:3]], default=str), file=sys.stderr, flush=True)
sys.addaudithook(watch)
from bot.cli import main
main()
"""
SOURCE = "def grade(score):\n    return 'pass' if score > 50 else 'fail'\n"
TESTS = "from grades import grade\n\n\ndef test_fifty():\n    assert grade(50) == 'pass'\n"


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """Where whatever runs leaves its mark."""
    (tmp_path / "marks").mkdir()
    return tmp_path / "marks"


@pytest.fixture
def checkout(tmp_path: Path, marks: Path) -> Path:
    """A hostile checkout with one fault, whose git and whose files run something wherever they are believed."""
    root = tmp_path / "checkout"
    root.mkdir()
    (root / "grades.py").write_text(SOURCE)
    (root / "test_grades.py").write_text(TESTS)
    plant(root, marks)
    nested(root / "vendor", marks)
    shadow(root, marks)
    assert list(marks.iterdir()) == []
    return root


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[Forge]:
    with forge_at(tmp_path) as running:
        yield running


def left(marks: Path) -> set[str]:
    return {path.name for path in marks.iterdir()}


def fix(checkout: Path, environ: dict[str, str], *arguments: str) -> tuple[int, str, list[list[Any]]]:
    """`regreen fix .` as a person runs it there; its exit status, its output and the programs that it started."""
    argv = [sys.executable, "-P", "-c", WATCHED, "fix", ".", "--json", *arguments]
    done = subprocess.run(argv, cwd=checkout, env=environ, capture_output=True, text=True, timeout=250, check=False)
    ran = [json.loads(line[4:]) for line in done.stderr.splitlines() if line.startswith("RAN ")]
    return done.returncode, done.stdout, ran


def assert_only_ours(ran: list[list[Any]], checkout: Path) -> None:
    """What ran in the checkout asked for git's version or looked at our own interpreter; the rest ran elsewhere."""
    assert ran
    for _, argv, directory in ran:
        assert directory == "/" or argv == ["git", "version"] or argv[:2] == ["file", "-b"]
        assert str(checkout) not in str(argv)


@pytest.mark.attack(14, "planted git")
def test_plain_git_runs_everything_that_is_planted(checkout: Path, marks: Path) -> None:
    use(checkout)
    assert left(marks) == MECHANISMS


@pytest.mark.attack(14, "planted git")
def test_fix_reads_a_hostile_checkout_without_running_anything_of_it(
    checkout: Path, marks: Path, tmp_path: Path
) -> None:
    environ = {**os.environ, "REGREEN_DATA_DIR": str(tmp_path), "REGREEN_DOCKER_HOST": "unix:///nonexistent.sock"}
    code, output, ran = fix(checkout, environ)
    assert code == 3
    assert json.loads(output)["error"]["kind"].startswith("Engine")
    assert_only_ours(ran, checkout)
    assert left(marks) == set()


@pytest.mark.attack(14, "planted git")
@pytest.mark.engine
@pytest.mark.slow
def test_fix_repairs_a_hostile_checkout_in_containers_only(
    checkout: Path, marks: Path, demo_environ: dict[str, str], client: APIClient
) -> None:
    for name in ("pip", "yaml", "sitecustomize"):
        (checkout / f"{name}.py").unlink()  # inside, they would break the installation, as they may
    before = (checkout / ".git/config").read_bytes()
    code, output, ran = fix(checkout, demo_environ, "--apply")
    for image in client.images(filters={"label": f"regreen.repository=local{checkout}"}):
        client.remove_image(image["Id"])
    assert (code, json.loads(output)["applied"]) == (0, True), output
    assert "score > 50" not in (checkout / "grades.py").read_text()
    assert_only_ours(ran, checkout)
    assert left(marks) == set()
    assert (checkout / ".git/config").read_bytes() == before


@pytest.mark.attack(14, "planted git")
def test_reading_writing_and_detecting_in_process_run_nothing(checkout: Path, marks: Path) -> None:
    trees = LocalTrees(checkout)
    assert not any(path.startswith(".git/") for path in trees.snapshot)
    assert detect(trees.snapshot).test_command
    trees.apply(Patch((FileChange("grades.py", b"# mended\n"), FileChange("a.dirty", b"3\n"))))
    assert (checkout / "a.dirty").read_bytes() == b"3\n"
    assert left(marks) == set()


@pytest.mark.attack(14, "planted git")
def test_a_checkout_whose_git_is_a_file_or_a_link_elsewhere_is_not_followed(tmp_path: Path, checkout: Path) -> None:
    for name in ("file", "link"):
        root = tmp_path / name
        root.mkdir()
        (root / "a.py").write_text("")
    (tmp_path / "file/.git").write_text(f"gitdir: {checkout}/.git\n")
    (tmp_path / "link/.git").symlink_to(checkout / ".git")
    assert [set(LocalTrees(tmp_path / name).snapshot) for name in ("file", "link")] == [{"a.py"}, {"a.py"}]


@pytest.mark.attack(14, "planted git")
def test_what_is_fetched_runs_nothing_and_a_planted_git_directory_is_refused(forge: Forge, marks: Path) -> None:
    (forge.work / "setup.py").write_text(f"open({str(marks / 'setup')!r}, 'w')\n")
    (forge.work / "inner").mkdir()
    plant(forge.work / "inner", marks)
    config = forge.blob((forge.work / "inner/.git/config").read_bytes())
    (forge.work / "inner/.git").rename(forge.work / "inner/dotgit")
    commit = forge.push()
    tree = forge.sources.tree(REPOSITORY, commit)
    assert tree["inner/.gitattributes"].data.startswith(b"*.dirty filter=evil")
    assert detect(tree).test_command
    for name in (b".git", b".GIT", b".git ", b"git~1", ".g\u200cit".encode()):
        inner = git(forge.work, "mktree", given=f"100644 blob {config}\tconfig\n".encode())
        evil = forge.push_tree(f"040000 tree {inner}\t".encode() + name)
        with pytest.raises(FetchError, match=r"[gG]it"):
            forge.sources.fetch(REPOSITORY, evil)
    assert left(marks) == set()


@pytest.mark.attack(14, "planted git")
@pytest.mark.parametrize("name", [b"..", b".", b".git", b".GIT"])
def test_a_tree_that_no_check_of_git_stopped_is_refused_when_it_is_read(forge: Forge, name: bytes) -> None:
    inner = git(forge.work, "mktree", given=f"100644 blob {forge.blob(b'x')}\tconfig\n".encode())
    commit = forge.push_tree(f"040000 tree {inner}\t".encode() + name)
    with pytest.raises(TreeError):
        read_tree(GitProcess(forge.served, Bounds(seconds=60)), commit)


@pytest.mark.attack(14, "planted git")
def test_even_a_mirror_with_hooks_and_a_monitor_runs_nothing(forge: Forge, marks: Path) -> None:
    forge.sources.fetch(REPOSITORY, forge.push())
    with (forge.mirror / "config").open("a") as config:
        config.write(f'[core]\n\tfsmonitor = "touch {marks}/fsmonitor"\n\thooksPath = {forge.mirror}/hooks\n')
        config.write(f'[credential]\n\thelper = "!touch {marks}/helper"\n')
    (forge.mirror / "hooks").mkdir(exist_ok=True)
    for name in ("reference-transaction", "post-index-change", "pre-auto-gc"):
        (forge.mirror / "hooks" / name).write_text(f"#!/bin/sh\ntouch {marks}/{name}\n")
        (forge.mirror / "hooks" / name).chmod(0o755)
    (forge.work / "b").write_text("b")
    assert forge.sources.tree(REPOSITORY, forge.push())["b"] == File(b"b")
    assert left(marks) == set()
    # what they would do to plain git
    git(forge.mirror, "update-ref", "refs/heads/x", git(forge.work, "rev-parse", "HEAD"))
    assert left(marks) == {"reference-transaction"}


@pytest.mark.attack(16, "nested bare repository")
def test_a_bare_repository_among_the_files_is_read_as_plain_files(forge: Forge, marks: Path) -> None:
    nested(forge.work / "docs/x", marks)
    (forge.work / "test_a.py").write_text("def test_a(): pass\n")
    commit = forge.push()
    tree = forge.sources.tree(REPOSITORY, commit)
    assert {"docs/x/HEAD", "docs/x/config", "docs/x/hooks/post-index-change"} <= set(tree)
    assert detect(tree).test_command
    local = LocalTrees(forge.work)
    assert local.snapshot["docs/x/config"].data == tree["docs/x/config"].data
    local.apply(Patch((FileChange("docs/x/file", b"x"),)))
    assert left(marks) == set()
    # and this is what it would have done to whoever runs git there
    (forge.work / "docs/x/objects").mkdir(exist_ok=True)
    (forge.work / "docs/x/refs").mkdir(exist_ok=True)
    subprocess.run(["git", "-C", forge.work / "docs/x", "status"], capture_output=True, check=False)
    assert left(marks) & {"bare-monitor", "bare-hook"}
