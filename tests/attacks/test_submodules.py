"""Attacks 15 and 18: submodules, LFS pointers and attributes, whose addresses and filters run or reach something."""

import os
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes_forge import REPOSITORY, Forge, forge_at, git
from git_server import GitServer
from pydantic import SecretStr

from bot.adapters.git import MirrorSources
from bot.adapters.local import LocalTrees
from bot.errors import FetchError
from sandbox.containers.archive import pack
from sandbox.detect import detect
from sandbox.spec import File

OTHER = "1" * 40
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12345\n".encode()


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[Forge]:
    with forge_at(tmp_path) as running:
        (running.work / "test_a.py").write_text("def test_a(): pass\n")
        yield running


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    (tmp_path / "marks").mkdir()
    return tmp_path / "marks"


def submodule(url: str, name: str = "sub", path: str = "sub") -> bytes:
    return f'[submodule "{name}"]\n\tpath = {path}\n\turl = {url}\n'.encode()


HOSTILE = {
    "ext": submodule("ext::sh -c touch% MARK"),
    "file": submodule("file:///etc"),
    "path": submodule("/etc"),
    "climbing": submodule("../../../../etc"),
    "upload-pack": submodule("--upload-pack=touch MARK"),
    "dash": submodule("-u./payload"),
    "ssh": submodule("ssh://-oProxyCommand=touch%20MARK/x"),
    "newline": submodule('"https://x.invalid/\\nHost: y"'),
    "CR in the path": submodule("https://x.invalid/x", path='"sub\r"'),
    "name that climbs": submodule("https://x.invalid/x", name="../../hooks"),
    "path that climbs": submodule("https://x.invalid/x", path="../../hooks"),
    "path into git": submodule("https://x.invalid/x", path=".git/hooks"),
    "path with a dash": submodule("https://x.invalid/x", path="--upload-pack=touch"),
    "update command": submodule("https://x.invalid/x") + b"\tupdate = !touch MARK\n",
    "no text": b"\0\xff[submodule",
}


@pytest.mark.attack(15, "submodules")
@pytest.mark.parametrize("modules", HOSTILE.values(), ids=HOSTILE)
def test_a_submodule_is_neither_fetched_nor_run_whatever_it_is_called(
    forge: Forge, marks: Path, modules: bytes
) -> None:
    commit = pushed(forge, modules.replace(b"MARK", os.fsencode(marks / "ran")))
    asked = len(forge.server.authorizations)
    try:
        forge.sources.fetch(REPOSITORY, commit)
    except FetchError as error:
        assert "gitmodules" in error.cause  # noqa: PT017 - either end is right: refused by name, or not followed
    else:
        tree = forge.sources.tree(REPOSITORY, commit)
        assert set(tree) == {".gitmodules", "test_a.py"}
        said(tree, "submodule")
        assert len(forge.server.authorizations) > asked
    assert list(marks.iterdir()) == []
    assert not (forge.mirror / "modules").exists()
    assert {path.name for path in forge.mirrors.iterdir()} == {forge.mirror.name, "owner+some.repo.lock"}


@pytest.mark.attack(15, "submodules")
def test_plain_git_that_follows_submodules_runs_the_command(forge: Forge, marks: Path, tmp_path: Path) -> None:
    pushed(forge, HOSTILE["ext"].replace(b"MARK", os.fsencode(marks / "ran")))
    command = ["git", "-c", "protocol.ext.allow=always", "clone", "-q", "-b", "main", "--recurse-submodules"]
    subprocess.run([*command, forge.served, tmp_path / "clone"], capture_output=True, check=False)
    assert [path.name for path in marks.iterdir()] == ["ran"]


@pytest.mark.attack(15, "submodules")
@pytest.mark.parametrize("hidden", ["ext::sh -c touch% MARK", "file:///", "git://x.invalid/x", "ssh://x/y", "/"])
def test_no_protocol_but_http_is_spoken_even_where_an_address_asks_for_it(
    forge: Forge, marks: Path, hidden: str
) -> None:
    url = hidden.replace("MARK", str(marks / "ran"))
    sources = MirrorSources(forge.mirrors, lambda _: url, lambda _: SecretStr(""), forge.bounds)
    with pytest.raises(FetchError, match="not allowed"):
        sources.fetch(REPOSITORY, OTHER)
    assert list(marks.iterdir()) == []


@pytest.mark.attack(18, "attributes and LFS")
def test_every_byte_is_the_blobs_whatever_attributes_say(forge: Forge, marks: Path) -> None:
    blobs = {
        "a.py": b"# $Format:%H%n%an$ $Id$\nx = 1\n",
        "b.txt": "caf\u00e9\n".encode(),
        "c.crlf": b"one\r\ntwo\n",
        "d.bin": POINTER,
        "hidden.py": b"x = 2\n",
    }
    attributes = (
        b"a.py export-subst ident eol=crlf text\nb.txt working-tree-encoding=UTF-16\nc.crlf text eol=lf\n"
        b"d.bin filter=lfs diff=lfs merge=lfs -text\nhidden.py export-ignore\n* filter=evil\n"
    )
    entries = [f"100644 blob {forge.blob(data)}\t{name}".encode() for name, data in blobs.items()]
    entries += [f"100644 blob {forge.blob(attributes)}\t.gitattributes".encode()]
    commit = forge.push_tree(*sorted(entries, key=lambda entry: entry.partition(b"\t")[2]))
    tree = forge.sources.tree(REPOSITORY, commit)
    assert {path: file.data for path, file in tree.items()} == {**blobs, ".gitattributes": attributes}
    packed = b"".join(pack({"repo": tree}))
    assert all(data in packed for data in blobs.values())
    # and a local directory is read the same, where git archive or a checkout would change it
    for name, data in {**blobs, ".gitattributes": attributes}.items():
        (forge.work / name).write_bytes(data)
    git(forge.work, "config", "filter.evil.clean", f"touch {marks}/clean; cat")
    local = LocalTrees(forge.work).snapshot
    assert {path: local[path].data for path in blobs} == blobs
    assert list(marks.iterdir()) == []


@pytest.mark.attack(18, "attributes and LFS")
def test_git_archive_would_have_changed_the_bytes_and_left_files_out(forge: Forge, tmp_path: Path) -> None:
    (forge.work / "a.py").write_bytes(b"# $Format:%H$\n")
    (forge.work / "hidden.py").write_bytes(b"x\n")
    (forge.work / ".gitattributes").write_bytes(b"a.py export-subst\nhidden.py export-ignore\n")
    commit = forge.push()
    git(forge.work, "archive", "-o", str(tmp_path / "out.tar"), commit)
    with tarfile.open(tmp_path / "out.tar") as archive:
        assert "hidden.py" not in archive.getnames()
        assert archive.extractfile("a.py").read() == f"# {commit}\n".encode()  # type: ignore[union-attr] # a file
    tree = forge.sources.tree(REPOSITORY, commit)
    assert (tree["a.py"], tree["hidden.py"]) == (File(b"# $Format:%H$\n"), File(b"x\n"))


@pytest.mark.attack(18, "attributes and LFS")
def test_an_lfs_pointer_stays_one_its_server_is_never_asked_and_the_recipe_says_so(
    forge: Forge, tmp_path: Path, marks: Path
) -> None:
    (tmp_path / "other").mkdir()
    with GitServer(tmp_path / "other", "other") as elsewhere:
        (forge.work / ".lfsconfig").write_text(
            f'[lfs]\n\turl = {elsewhere.url}/lfs\n[lfs "customtransfer.evil"]\n\tpath = touch\n\targs = {marks}/ran\n'
        )
        (forge.work / ".gitattributes").write_bytes(b"*.bin filter=lfs diff=lfs merge=lfs -text\n")
        (forge.work / "model.bin").write_bytes(POINTER)
        commit = forge.push()
        tree = forge.sources.tree(REPOSITORY, commit)
        assert elsewhere.authorizations == []
        assert tree["model.bin"] == File(POINTER)
        said(tree, "LFS")
    assert not any("/lfs" in path.name for path in forge.mirror.rglob("*"))
    assert list(marks.iterdir()) == []


def said(tree: object, word: str) -> None:
    """The recipe of the tree names what is missing, so that nobody takes the checkout for a whole one."""
    unmet = detect(tree).unmet  # type: ignore[arg-type] # a tree, as the caller has it
    assert any(word in sentence for sentence in unmet), unmet


def pushed(forge: Forge, modules: bytes) -> str:
    (forge.work / ".gitmodules").write_bytes(modules)
    git(forge.work, "add", "-A")
    git(forge.work, "update-index", "--add", "--cacheinfo", f"160000,{OTHER},sub")
    return forge.push_index()
