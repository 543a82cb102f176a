"""One bare repository on disk, driven with git's plumbing, so that trees keep their modes and diffs are real."""

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

OBJECT_ID = re.compile(r"[0-9a-f]{40}")
CONFIGURATION = """
[core]
    logAllRefUpdates = false
[http]
    receivepack = true
[uploadpack]
    allowFilter = true
    allowAnySHA1InWant = true
[receive]
    autogc = false
    hideRefs = refs/pull/
[gc]
    auto = 0
"""
SECONDS = 60
PATH = f"/usr/local/bin:{os.defpath}"


class GitError(Exception):
    """Git refused; the text is its own."""


@dataclass(frozen=True, slots=True)
class Person:
    """Author or committer; `date` is anything git parses."""

    name: str
    email: str
    date: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A tree entry. `size` is `None` for what is no blob."""

    mode: str
    type: str
    sha: str
    size: int | None
    path: str


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit as git stores it."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    committer: Person
    message: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a diff; `status` in GitHub's words, `patch` without git's header, `None` for binary files."""

    path: str
    status: str
    sha: str
    additions: int
    deletions: int
    patch: str | None
    previous: str | None = None


class GitStore:
    """Reads and writes one bare repository. Every method raises `GitError` with git's message."""

    def __init__(self, path: Path) -> None:
        """Remember the directory; `create` makes it."""
        self.path = path

    def create(self, default_branch: str) -> None:
        """Make the bare repository."""
        self.path.mkdir(parents=True)
        self.run("init", "--quiet", "--bare", f"--initial-branch={default_branch}")
        with (self.path / "config").open("a") as config:
            config.write(CONFIGURATION)

    def run(self, *arguments: str, given: bytes = b"", environment: Mapping[str, str] | None = None) -> bytes:
        """Run one git command in the repository and return its output."""
        # Neither the operator's git configuration nor a surrounding checkout may reach in.
        base = {"PATH": PATH, "HOME": str(self.path), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
        done = subprocess.run(  # noqa: S603 - fixed program, arguments checked by the callers, no shell
            ["git", *arguments],  # noqa: S607 - looked up on the system path above
            cwd=self.path,
            input=given,
            env=base | {"GIT_DIR": str(self.path)} | dict(environment or {}),
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        if done.returncode:
            raise GitError(done.stderr.decode(errors="replace").strip() or f"git {arguments[0]} failed")
        return done.stdout

    def text(self, *arguments: str) -> str:
        """Run one git command and return its output as stripped text."""
        return self.run(*arguments).decode(errors="replace").strip()

    def resolve(self, revision: str, kind: str = "commit") -> str | None:
        """The object id of a branch, tag, ref or id, `None` where there is none. Only names, no revision syntax."""
        if revision.startswith("-") or re.search(r"[\s~^:?*\[\\]|\.\.|@\{", revision):
            return None
        for name in (f"refs/heads/{revision}", f"refs/tags/{revision}", f"refs/{revision}", revision):
            try:
                return self.text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{{kind}}}")
            except GitError:
                continue
        return None

    def refs(self, prefix: str = "refs/heads/") -> dict[str, str]:
        """Full ref name → object id."""
        lines = self.text("for-each-ref", "--format=%(refname) %(objectname)", prefix).splitlines()
        return dict(line.split(" ", 1) for line in lines)

    def set_ref(self, name: str, sha: str | None) -> None:
        """Create, move or (with `None`) delete a full ref name."""
        if sha is None:
            self.run("update-ref", "-d", name)
        else:
            self.run("update-ref", name, sha)

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether moving `old` to `new` is a fast-forward."""
        return self.merge_base(old, new) == old

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor."""
        try:
            return self.text("merge-base", one, other)
        except GitError:
            return None

    def between(self, base: str, head: str) -> list[str]:
        """Commits that `head` has and `base` has not, oldest first."""
        return self.text("rev-list", "--reverse", f"{base}..{head}").splitlines()

    def history(self, head: str, limit: int = 100) -> list[str]:
        """The newest commits of a branch."""
        return self.text("rev-list", f"--max-count={limit}", head).splitlines()

    def type(self, sha: str) -> str | None:
        """The type of an object, `None` where it is missing."""
        if not OBJECT_ID.fullmatch(sha):
            return None
        try:
            return self.text("cat-file", "-t", sha)
        except GitError:
            return None

    def blob(self, sha: str) -> bytes:
        """A blob's bytes."""
        return self.run("cat-file", "blob", sha)

    def write_blob(self, content: bytes) -> str:
        """Store a blob and return its id."""
        return self.run("hash-object", "-w", "--stdin", given=content).decode().strip()

    def entries(self, tree: str, *, recursive: bool = False, path: str = "") -> list[Entry]:
        """The entries of a tree, or of the one below `path`."""
        flags = ["-r", "-t"] if recursive else []
        listed = self.run("ls-tree", "-z", "--long", *flags, tree, *(["--", path] if path else []))
        return [_entry(line) for line in listed.decode(errors="surrogateescape").split("\0") if line]

    def write_tree(self, base: str | None, changes: Sequence[tuple[str, str, str | None]]) -> str:
        """A tree from `base` with (mode, path, id) put in; the id `None` deletes."""
        with tempfile.TemporaryDirectory() as directory:
            index = {"GIT_INDEX_FILE": str(Path(directory, "index"))}
            if base:
                self.run("read-tree", base, environment=index)
            for mode, path, sha in changes:
                if mode == "040000" and sha:
                    self.run("read-tree", f"--prefix={path}/", sha, environment=index)
            lines = [f"{mode if sha else 0} {sha or '0' * 40}\t{p}" for mode, p, sha in changes if mode != "040000"]
            given = "".join(line + "\0" for line in lines).encode(errors="surrogateescape")
            self.run("update-index", "-z", "--index-info", given=given, environment=index)
            return self.run("write-tree", environment=index).decode().strip()

    def write_commit(self, tree: str, parents: Sequence[str], message: str, people: tuple[Person, Person]) -> str:
        """Store a commit by (author, committer) and return its id."""
        author, committer = people
        environment = {
            **{f"GIT_AUTHOR_{key.upper()}": str(getattr(author, key)) for key in ("name", "email", "date")},
            **{f"GIT_COMMITTER_{key.upper()}": str(getattr(committer, key)) for key in ("name", "email", "date")},
        }
        options = [option for parent in parents for option in ("-p", parent)]
        written = self.run("commit-tree", tree, *options, given=message.encode(), environment=environment)
        return written.decode().strip()

    def commit(self, sha: str) -> Commit:
        """Read a commit."""
        layout = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B"
        parts = self.run("log", "-1", f"--format={layout}", sha).decode(errors="replace").split("\0")
        author, committer = Person(*parts[3:6]), Person(*parts[6:9])
        return Commit(parts[0], parts[1], tuple(parts[2].split()), author, committer, parts[9].rstrip("\n"))

    def merges_cleanly(self, one: str, other: str) -> bool:
        """Whether a merge of the two commits has no conflict."""
        return self.merged_tree(one, other) is not None

    def merged_tree(self, one: str, other: str) -> str | None:
        """The tree of a merge of two commits, `None` where they conflict."""
        try:
            return self.text("merge-tree", "--write-tree", one, other)
        except GitError:
            return None

    def diff(self, base: str, head: str) -> str:
        """The unified diff from one commit to another."""
        return self.run("diff", "--find-renames", base, head).decode(errors="replace")

    def changes(self, base: str, head: str) -> list[FileChange]:
        """The diff by file."""
        raw = self.run("diff", "--find-renames", "--raw", "--no-abbrev", "-z", base, head).decode(errors="replace")
        fields = iter(raw.split("\0"))
        found = []
        for field in fields:
            if not field:
                break
            _, _, _, sha, status = field.split()
            first = next(fields)
            path = next(fields) if status[0] in "RC" else first
            found.append(self._change(base, head, (status, sha, first, path)))
        return found

    def _change(self, base: str, head: str, what: tuple[str, str, str, str]) -> FileChange:
        status, sha, first, path = what
        words = {"A": "added", "D": "removed", "R": "renamed", "C": "copied"}
        paths = [path] if path == first else [first, path]
        text = self.run("diff", "--find-renames", base, head, "--", *paths).decode(errors="replace")
        start = text.find("\n@@ ")
        patch = text[start + 1 :].rstrip("\n") if start >= 0 else None
        lines = patch.splitlines() if patch else []
        if status == "D":
            sha = self.text("rev-parse", f"{base}:{path}")
        return FileChange(
            path=path,
            status=words.get(status[0], "modified"),
            sha=sha,
            additions=sum(line.startswith("+") for line in lines),
            deletions=sum(line.startswith("-") for line in lines),
            patch=patch,
            previous=first if path != first else None,
        )


def _entry(line: str) -> Entry:
    meta, path = line.split("\t", 1)
    mode, kind, sha, size = meta.split()
    return Entry(mode, kind, sha, None if size == "-" else int(size), path)
