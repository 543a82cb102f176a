"""Two worlds around the port `GitHub` with the same levers: the fake in memory, and the stand-in over HTTP."""

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from fakes_github import FakeComment, FakeGitHub
from pydantic import SecretStr

from bot.adapters.github import InstallationTokens, Pace, RestGitHub
from bot.demo import code_actions
from bot.demo.actions import Actor
from bot.demo.stand_in import StandIn
from bot.demo.state import AppConfig
from bot.pipeline.ports.github import FailedJob, GitHub, IssueFacts, NewPullRequest, Permission
from sandbox.spec import File, Tree

BOT = "regreen[bot]"


class World(Protocol):
    """One repository whose default branch is main, and what people do there."""

    @property
    def github(self) -> GitHub: ...
    def open_issue(self, *labels: str) -> int: ...
    def close(self, number: int) -> None: ...
    def comment(self, issue: int, body: str, by: str) -> None: ...
    def comments(self, issue: int) -> list[FakeComment]: ...
    def push(self, branch: str, files: Mapping[str, File]) -> str: ...
    def tree(self, commit: str) -> Tree: ...
    def grant(self, login: str, level: Permission) -> None: ...
    def open_pull(self, new: NewPullRequest, by: str) -> int: ...
    def pulls(self) -> list[tuple[str, str, bool]]:
        """Author, body, draft."""
        ...

    def reviewers(self, number: int) -> list[str]:
        """Who was asked to review a pull request."""
        ...

    def checks(self, sha: str) -> list[tuple[str, str, str]]:
        """External id, state, title."""
        ...

    def annotations(self, sha: str) -> list[tuple[str, int, int, str]]:
        """Path, first line, last line and text of those on the App's check runs."""
        ...

    def suite(self, sha: str, jobs: tuple[FailedJob, ...]) -> int: ...


class FakeWorld:
    """Around `FakeGitHub`."""

    def __init__(self) -> None:
        self.github = self.fake = FakeGitHub(BOT)
        self._numbers = itertools.count(1)

    def open_issue(self, *labels: str) -> int:
        number = next(self._numbers)
        self.fake.issues[number] = IssueFacts(is_open=True, labels=labels)
        return number

    def close(self, number: int) -> None:
        if number in self.fake.issues:
            self.fake.issues[number] = replace(self.fake.issues[number], is_open=False)
        self.fake.close_pull(number)

    def comment(self, issue: int, body: str, by: str) -> None:
        self.fake.comments[issue].append(FakeComment(by, body))

    def comments(self, issue: int) -> list[FakeComment]:
        return self.fake.comments[issue]

    def push(self, branch: str, files: Mapping[str, File]) -> str:
        tip = self.fake.branches.get(branch) or self.fake.branches["main"]
        self.fake.branches.setdefault(branch, tip)
        return self.fake.add_commit(branch, "push", {**self.fake.commits[tip].tree, **files})

    def tree(self, commit: str) -> Tree:
        return self.fake.commits[commit].tree

    def grant(self, login: str, level: Permission) -> None:
        self.fake.permissions[login] = level

    def open_pull(self, new: NewPullRequest, by: str) -> int:
        return self.fake.add_pull(by, new).number

    def pulls(self) -> list[tuple[str, str, bool]]:
        return [(pull.author, pull.new.body, pull.new.draft) for pull in self.fake.pulls]

    def reviewers(self, number: int) -> list[str]:
        return self.fake.reviewers[number]

    def annotations(self, sha: str) -> list[tuple[str, int, int, str]]:
        found = [one for check in self.fake.checks if check.head_sha == sha for one in check.annotations]
        return [(one.path, one.start_line, one.end_line, one.message) for one in found]

    def checks(self, sha: str) -> list[tuple[str, str, str]]:
        return [(c.external_id, c.state.value, c.title) for c in self.fake.checks if c.head_sha == sha]

    def suite(self, sha: str, jobs: tuple[FailedJob, ...]) -> int:
        assert sha in self.fake.commits
        suite = 1 + len(self.fake.jobs)
        self.fake.jobs[suite] = tuple(job for job in jobs if job.conclusion == "failure")
        return suite


@dataclass(frozen=True, slots=True)
class Keys:
    """A key pair, PEM."""

    private: str
    public: str

    @classmethod
    def make(cls) -> "Keys":
        """A new one."""
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return cls(private.decode(), public.decode())


class StandInWorld:
    """Around a stand-in that runs already; each world is a repository of its own. Waits are counted, not slept."""

    _numbers = itertools.count(1)

    def __init__(self, stand_in: StandIn, keys: Keys) -> None:
        self.stand_in, self.state = stand_in, stand_in.state
        self.full_name = f"owner/r{next(self._numbers)}"
        self.repository = self.state.add_repository(self.full_name, {"README": "r"})
        self.installation = self.state.install(self.repository).id
        self.waits: list[float] = []
        self.pace = Pace(0.0, backoff=0.01, sleep=self.waits.append)
        self.tokens = InstallationTokens(self.state.app.id, SecretStr(keys.private), stand_in.api_url, backoff=0.01)
        self.github = RestGitHub(self.tokens, self.installation, self.full_name, bot_login=BOT, pace=self.pace)

    @staticmethod
    def config(keys: Keys) -> AppConfig:
        """The App as the stand-in must know it."""
        return AppConfig(keys.public)

    def open_issue(self, *labels: str) -> int:
        return self.state.open_issue(self.full_name, "title", labels=labels).number

    def close(self, number: int) -> None:
        self.state.close(self.full_name, number)

    def comment(self, issue: int, body: str, by: str) -> None:
        self.state.add_user(by)
        self.state.comment(self.full_name, issue, body, by=by)

    def comments(self, issue: int) -> list[FakeComment]:
        return [FakeComment(c.author.login, c.body) for c in self.repository.issues[issue].comments]

    def push(self, branch: str, files: Mapping[str, File]) -> str:
        contents = {path: (f"{file.mode:o}", file.data) for path, file in files.items()}
        return self.state.commit(self.full_name, branch, contents, "push")

    def tree(self, commit: str) -> Tree:
        git = self.repository.git
        entries = git.entries(commit, recursive=True)
        return {e.path: File(git.blob(e.sha), int(e.mode, 8)) for e in entries if e.type == "blob"}

    def grant(self, login: str, level: Permission) -> None:
        self.repository.collaborators[self.state.add_user(login).login] = level.value

    def open_pull(self, new: NewPullRequest, by: str) -> int:
        made = code_actions.NewPull(new.head, new.base, new.title, new.body, new.draft)
        with self.state.lock:
            return code_actions.open_pull(self.state, self.repository, Actor(self.state.add_user(by)), made).number

    def pulls(self) -> list[tuple[str, str, bool]]:
        found = self.state.pulls(self.full_name)
        return [(p.author.login, p.body or "", p.pull.draft) for p in found if p.pull is not None]

    def reviewers(self, number: int) -> list[str]:
        pull = self.repository.issues[number].pull
        return list(pull.reviewers) if pull else []

    def annotations(self, sha: str) -> list[tuple[str, int, int, str]]:
        runs = [run for run in self.repository.runs.values() if run.head_sha == sha and run.app is self.state.app]
        found = [one for run in runs for one in run.annotations]
        return [(one["path"], one["start_line"], one["end_line"], one["message"]) for one in found]

    def checks(self, sha: str) -> list[tuple[str, str, str]]:
        runs = [run for run in self.repository.runs.values() if run.head_sha == sha and run.app is self.state.app]
        return [(r.external_id or "", r.conclusion or r.status, r.output.get("title") or "") for r in runs]

    def suite(self, sha: str, jobs: tuple[FailedJob, ...]) -> int:
        listed = [(job.name, job.conclusion, job.log) for job in jobs]
        return self.state.complete_suite(self.full_name, sha, "failure", listed).id


@contextmanager
def over_rest(request: pytest.FixtureRequest) -> Iterator[tuple[StandIn, Keys]]:
    """The stand-in and its keys for one case, in which it must see nothing that GitHub's description refuses."""
    stand_in: StandIn = request.getfixturevalue("stand_in")
    seen = len(stand_in.violations)
    yield stand_in, request.getfixturevalue("keys")
    assert stand_in.violations[seen:] == []
