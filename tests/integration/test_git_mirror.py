"""`MirrorSources` against git over real HTTP behind a token."""

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes_forge import ENCODED, REPOSITORY, TOKEN, Forge, forge_at, git
from git_server import GitServer

from bot.adapters.git import failure
from bot.adapters.git_process import Bounds
from bot.adapters.git_tree import check_path
from bot.errors import BranchMissingError, FetchError, NoRoomError, TreeError
from sandbox.spec import File


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[Forge]:
    with forge_at(tmp_path) as running:
        yield running


def test_brings_every_byte_and_mode_without_filters_attributes_or_submodules(forge: Forge) -> None:
    (forge.work / "a.py").write_bytes(b"$Format:%H$\r\n\xff")
    (forge.work / "run").write_bytes(b"#!")
    (forge.work / "run").chmod(0o755)
    (forge.work / "link").symlink_to("/etc/passwd")
    (forge.work / "hidden").write_bytes(b"x")
    (forge.work / "big.bin").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    (forge.work / ".gitattributes").write_bytes(
        b"a.py export-subst text eol=crlf\nhidden export-ignore\n*.bin filter=lfs diff=lfs\n"
    )
    git(forge.work, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    (forge.work / "sub").mkdir()
    commit = forge.push()
    forge.sources.fetch(REPOSITORY, commit)
    tree = dict(forge.sources.tree(REPOSITORY, commit))
    del tree[".gitattributes"]
    assert tree == {
        "a.py": File(b"$Format:%H$\n\xff"),
        "run": File(b"#!", 0o100755),
        "link": File(b"/etc/passwd", 0o120000),
        "hidden": File(b"x"),
        "big.bin": File(b"version https://git-lfs.github.com/spec/v1\n"),
    }
    assert not (forge.mirror / "a.py").exists()


def test_fetches_a_commit_once_and_without_its_history(forge: Forge) -> None:
    first, second = forge.push(), forge.push()
    forge.sources.fetch(REPOSITORY, second)
    asked = len(forge.server.authorizations)
    forge.sources.fetch(REPOSITORY, second)
    assert len(forge.server.authorizations) == asked
    assert git(forge.mirror, "rev-list", "--all") == second
    forge.sources.fetch(REPOSITORY, first)
    assert forge.sources.tree(REPOSITORY, first) == {}


def test_a_tree_is_read_on_a_machine_that_never_fetched_it(forge: Forge) -> None:
    (forge.work / "a").write_bytes(b"1")
    commit = forge.push()
    assert forge.sources.tree(REPOSITORY, commit) == {"a": File(b"1")}
    asked = len(forge.server.authorizations)
    assert forge.sources.tree(REPOSITORY, commit) == {"a": File(b"1")}
    assert len(forge.server.authorizations) == asked
    with pytest.raises(BranchMissingError):
        forge.sources.tree(REPOSITORY, "1" * 40)


def test_a_commit_of_a_deleted_branch_is_brought_while_the_server_has_it_and_named_when_not(forge: Forge) -> None:
    forge.push()
    with pytest.raises(BranchMissingError, match="deleted or pushed over"):
        forge.sources.fetch(REPOSITORY, "1" * 40)


@pytest.mark.parametrize("old", [False, True])
def test_a_forks_head_is_found_though_no_branch_here_has_it(forge: Forge, *, old: bool) -> None:
    forge.push()
    (forge.work / "fork.py").write_bytes(b"1\n")
    head = forge.push("refs/pull/12/head")
    forge.server.old = old
    forge.sources.fetch(REPOSITORY, head)
    assert forge.sources.tree(REPOSITORY, head)["fork.py"] == File(b"1\n")


@pytest.mark.parametrize(
    ("repository", "commit"),
    [("../../etc", "1" * 40), ("o/..", "1" * 40), ("o/r", "main"), ("o/r", "--upload-pack=x"), ("-o/r", "1" * 40)],
)
def test_names_that_could_mean_something_else_are_refused(forge: Forge, repository: str, commit: str) -> None:
    with pytest.raises(FetchError):
        forge.sources.fetch(repository, commit)
    assert not forge.mirrors.exists()


def test_the_token_is_in_no_file_no_command_line_and_no_error(forge: Forge) -> None:
    commit = forge.push()
    forge.sources.fetch(REPOSITORY, commit)
    assert forge.server.authorizations[-1] == f"Basic {ENCODED}"
    contents = b"".join(path.read_bytes() for path in forge.mirrors.rglob("*") if path.is_file())
    assert TOKEN.encode() not in contents
    assert ENCODED.encode() not in contents

    forge.server.hang = True
    seen: list[bytes] = []
    watcher = threading.Thread(target=_watch, args=(forge, seen))
    watcher.start()
    forge.bounds = Bounds(seconds=1)
    with pytest.raises(FetchError) as caught:
        forge.sources.fetch(REPOSITORY, "2" * 40)
    watcher.join()
    assert any(b"git-remote-http" in line for line in seen)
    assert not any(TOKEN.encode() in line or ENCODED.encode() in line for line in seen)
    assert TOKEN not in str(caught.value)


def _watch(forge: Forge, seen: list[bytes]) -> None:
    end = time.monotonic() + 10
    while time.monotonic() < end and not any(b"git-remote-http" in line for line in seen):
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                line = path.read_bytes()
                if forge.server.url.encode() in line:
                    seen.append(line)
        time.sleep(0.01)


def test_git_that_hangs_is_stopped_with_its_children(forge: Forge) -> None:
    forge.push()
    forge.server.hang = True
    forge.bounds = Bounds(seconds=0.5)
    with pytest.raises(FetchError, match="took longer"):
        forge.sources.fetch(REPOSITORY, "1" * 40)
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            lines.append(path.read_bytes())
    assert not any(forge.server.url.encode() in line for line in lines)


def test_a_wrong_token_is_an_error_without_a_prompt_and_without_the_token(forge: Forge) -> None:
    commit = forge.push()
    forge.token = "ghs_wrong0123456789"
    with pytest.raises(FetchError, match="may not be read") as caught:
        forge.sources.fetch(REPOSITORY, commit)
    assert "ghs_wrong" not in str(caught.value)


def test_redirects_to_another_host_are_not_followed(forge: Forge, tmp_path: Path) -> None:
    commit = forge.push()
    with GitServer(tmp_path, "other") as other:
        forge.server.redirect = other.url
        with pytest.raises(FetchError):
            forge.sources.fetch(REPOSITORY, commit)
        assert other.authorizations == []


def test_mirrors_that_a_killed_process_left_are_repaired(forge: Forge) -> None:
    forge.push()
    commit = forge.push()
    half = forge.mirrors / "owner+some.repo.git.new-abc"
    half.mkdir(parents=True)
    (half / "config").write_text("[core")
    forge.sources.fetch(REPOSITORY, commit)
    assert not half.exists()

    for left in ("shallow.lock", "config.lock", f"refs/regreen/{commit}.lock", "objects/pack/tmp_pack_x"):
        (forge.mirror / left).write_text("")
    second = forge.push()
    forge.sources.fetch(REPOSITORY, second)

    (forge.mirror / "config").write_text("[core")
    third = forge.push()
    forge.sources.fetch(REPOSITORY, third)
    assert forge.sources.tree(REPOSITORY, third) == {}


def test_a_mirror_that_lost_an_object_is_made_anew(forge: Forge) -> None:
    (forge.work / "a").write_text("1")
    commit = forge.push()
    forge.sources.fetch(REPOSITORY, commit)
    for file in [*forge.mirror.glob("objects/??/*"), *forge.mirror.glob("objects/pack/*.pack")]:
        file.unlink()
    forge.sources.fetch(REPOSITORY, commit)
    assert forge.sources.tree(REPOSITORY, commit)["a"] == File(b"1")


def test_the_machines_own_git_configuration_has_no_say(forge: Forge, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = forge.push()
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'http.proxy'='http://127.0.0.1:1'")
    monkeypatch.setenv("HOME", str(forge.work))
    (forge.work / ".gitconfig").write_text('[url "http://127.0.0.1:1/"]\n\tinsteadOf = http://127.0.0.1')
    forge.sources.fetch(REPOSITORY, commit)


def test_two_at_once_take_turns(forge: Forge) -> None:
    commits = [forge.push(f"b{n}") for n in range(4)]
    errors: list[Exception] = []

    def bring(commit: str) -> None:
        try:
            forge.sources.fetch(REPOSITORY, commit)
        except FetchError as error:
            errors.append(error)

    threads = [threading.Thread(target=bring, args=(commit,)) for commit in commits * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [dict(forge.sources.tree(REPOSITORY, commit)) for commit in commits] == [{}] * 4


def test_a_tree_with_a_path_into_gits_own_directory_is_refused(forge: Forge) -> None:
    blob = git(forge.work, "hash-object", "-w", "--stdin", given=b"x")
    inner = git(forge.work, "mktree", given=f"100644 blob {blob}\tconfig\n".encode())
    tree = git(forge.work, "mktree", given=f"040000 tree {inner}\t.git\n".encode())
    commit = git(forge.work, "commit-tree", tree, "-m", "c")
    git(forge.work, "push", "-q", str(forge.server.root / f"{REPOSITORY}.git"), f"{commit}:refs/heads/evil")
    with pytest.raises(FetchError, match=r"hasDotgit|\.git"):
        forge.sources.fetch(REPOSITORY, commit)


@pytest.mark.parametrize("path", ["../x", "a/.GIT/config", "/abs", "a//b", "a\0b"])
def test_paths_that_leave_the_tree_are_refused_whoever_let_them_in(path: str) -> None:
    with pytest.raises(TreeError):
        check_path(path)


def test_a_full_disk_is_named() -> None:
    error = failure("o/r", "fatal: write error: No space left on device")
    assert isinstance(error, NoRoomError)
    assert "no room" in str(error)
