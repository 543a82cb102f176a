"""A git server with one repository, a work tree to push from, and our mirrors of it."""

import base64
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from git_server import GitServer
from pydantic import SecretStr

from bot.adapters.git import MirrorSources
from bot.adapters.git_process import Bounds

TOKEN = "ghs_madeUpToken0123456789"
ENCODED = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
REPOSITORY = "Owner/some.repo"


def git(directory: Path, *arguments: str, given: bytes = b"") -> str:
    """Plain git, as a person has it, without this machine's configuration."""
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}
    names = ("-c", "user.name=n", "-c", "user.email=e@x", "-c", "init.defaultBranch=main")
    command = ["git", "-C", str(directory), *names, *arguments]
    return (
        subprocess.run(command, input=given, capture_output=True, check=True, env=environment).stdout.decode().strip()
    )


@dataclass
class Forge:
    """A server with one repository, whose work tree is `work`, and our mirrors of it."""

    server: GitServer
    work: Path
    mirrors: Path
    bounds: Bounds = field(default_factory=lambda: Bounds(seconds=60))
    token: str = TOKEN

    @property
    def sources(self) -> MirrorSources:
        return MirrorSources(
            self.mirrors, lambda name: f"{self.server.url}/{name}.git", lambda _: SecretStr(self.token), self.bounds
        )

    @property
    def served(self) -> Path:
        """The repository that the server has."""
        return self.server.root / f"{REPOSITORY}.git"

    @property
    def mirror(self) -> Path:
        return self.mirrors / "owner+some.repo.git"

    def push(self, branch: str = "main") -> str:
        """Commit the work tree."""
        git(self.work, "add", "-A")
        return self.push_index(branch)

    def push_index(self, branch: str = "main") -> str:
        """Commit what is staged."""
        git(self.work, "commit", "-q", "--allow-empty", "-m", "c")
        git(self.work, "push", "-qf", str(self.served), f"HEAD:{branch}")
        return git(self.work, "rev-parse", "HEAD")

    def push_tree(self, *entries: bytes) -> str:
        """Commit a tree of these `mktree` lines, which nothing checks."""
        tree = git(self.work, "mktree", "-z", "--missing", given=b"".join(entry + b"\0" for entry in entries))
        commit = git(self.work, "commit-tree", tree, "-m", "c")
        git(self.work, "push", "-qf", str(self.served), f"{commit}:refs/heads/evil")
        return commit

    def blob(self, data: bytes) -> str:
        """Store a blob."""
        return git(self.work, "hash-object", "-w", "--stdin", given=data)


@contextmanager
def forge_at(directory: Path) -> Iterator[Forge]:
    """A forge below a directory, while the block runs."""
    bare, work = directory / "served" / f"{REPOSITORY}.git", directory / "work"
    for made in (bare, work):
        made.mkdir(parents=True)
    git(bare, "init", "-q", "--bare")
    git(work, "init", "-q")
    with GitServer(directory / "served", TOKEN) as server:
        yield Forge(server, work, directory / "mirrors")
