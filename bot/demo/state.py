"""The stand-in's state as scenarios and tests see it: seed it, act as people do, order faults, count requests."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from bot.demo import actions, code_actions
from bot.demo.accounts import Kind
from bot.demo.actions import Actor
from bot.demo.faults import Fault, Faults
from bot.demo.records import Comment, Issue, Repository
from bot.demo.state_ci import Ci
from bot.demo.state_owners import Owners
from bot.demo.state_reviews import Reviewing
from bot.demo.store import ACTIONS_APP_ID, APP_PERMISSIONS, AppConfig

__all__ = ["ACTIONS_APP_ID", "APP_PERMISSIONS", "AppConfig", "FileContent", "State"]

FileContent = str | bytes | tuple[str, bytes] | None
"""A file's text or bytes, or (mode, bytes) with git's mode such as 100755; `None` deletes the file."""


class State(Ci, Reviewing, Owners):
    """Every method takes the lock, so that a scenario may act while requests are answered."""

    def __init__(self, directory: Path, web: str, app: AppConfig, *, log_host: str) -> None:
        """An empty GitHub on `web`, whose job logs stand on `log_host`; its clock is the machine's until replaced."""
        super().__init__(directory, web, app, log_host=log_host)
        self.faults = Faults()

    def add_repository(
        self,
        full_name: str,
        files: Mapping[str, FileContent] | None = None,
        *,
        private: bool = False,
        default_branch: str = "main",
        collaborators: Mapping[str, str] | None = None,
        installed: bool = True,
    ) -> Repository:
        """A repository with one commit of `files`. `collaborators` maps login → level and makes missing users."""
        with self.lock:
            repository = self.make_repository(full_name, private=private, default_branch=default_branch)
            for login, level in (collaborators or {}).items():
                repository.collaborators[self.add_user(login).login] = level
            if files:
                self.commit(full_name, default_branch, files, "Initial commit")
            if installed:
                self.install(repository)
            return repository

    def commit(
        self, full_name: str, branch: str, files: Mapping[str, FileContent], message: str, author: str = ""
    ) -> str:
        """Push one commit as a person (the owner by default) and return its id; the branch is made where missing."""
        with self.lock:
            repository = self.repository(full_name)
            git = repository.git
            who = self.user(author) if author else repository.owner
            tip = git.refs().get(f"refs/heads/{branch}") or git.refs().get(f"refs/heads/{repository.default_branch}")
            tree = git.write_tree(tip, [_change(git.write_blob, path, content) for path, content in files.items()])
            person = code_actions.signature(self, who)
            sha = git.write_commit(tree, [tip] if tip else [], message, (person, person))
            code_actions.move_branch(self, repository, Actor(who), f"refs/heads/{branch}", sha)
            return sha

    def delete_branch(self, full_name: str, branch: str, by: str = "") -> None:
        """Delete a branch as a person."""
        with self.lock:
            repository = self.repository(full_name)
            who = self.user(by) if by else repository.owner
            code_actions.move_branch(self, repository, Actor(who), f"refs/heads/{branch}", None)

    def open_issue(
        self, full_name: str, title: str, body: str = "", *, by: str = "", labels: Sequence[str] = ()
    ) -> Issue:
        """File an issue as a person, the owner by default."""
        with self.lock:
            repository = self.repository(full_name)
            actor = Actor(self.user(by) if by else repository.owner)
            issue = actions.open_issue(self, repository, actor, title, body)
            actions.add_labels(self, repository, issue, actor, labels)
            return issue

    def add_label(self, full_name: str, number: int, label: str, *, by: str = "") -> None:
        """Put a label on an issue or pull request as a person."""
        with self.lock:
            repository = self.repository(full_name)
            actor = Actor(self.user(by) if by else repository.owner)
            actions.add_labels(self, repository, self.issue(repository, number), actor, [label])

    def remove_label(self, full_name: str, number: int, label: str, *, by: str = "") -> None:
        """Take a label off an issue or pull request as a person."""
        with self.lock:
            repository = self.repository(full_name)
            actor = Actor(self.user(by) if by else repository.owner)
            actions.remove_label(self, repository, self.issue(repository, number), actor, label)

    def edit(self, full_name: str, number: int, *, by: str = "", **changes: str) -> None:
        """Change `title`, `body` or `state` of an issue or pull request as a person."""
        with self.lock:
            repository = self.repository(full_name)
            actor = Actor(self.user(by) if by else repository.owner)
            actions.edit_issue(self, repository, self.issue(repository, number), actor, dict(changes))

    def edit_comment(self, full_name: str, identity: int, body: str, *, by: str = "") -> None:
        """Change a comment's text as a person."""
        with self.lock:
            repository = self.repository(full_name)
            actor = Actor(self.user(by) if by else repository.owner)
            actions.edit_comment(self, repository, actions.find_comment(repository, identity), actor, body)

    def comment(self, full_name: str, number: int, body: str, *, by: str = "") -> Comment:
        """Comment as a person."""
        with self.lock:
            repository = self.repository(full_name)
            actor = Actor(self.user(by) if by else repository.owner)
            return actions.add_comment(self, repository, self.issue(repository, number), actor, body)

    def close(self, full_name: str, number: int, *, by: str = "") -> None:
        """Close an issue or pull request as a person."""
        with self.lock:
            repository = self.repository(full_name)
            actor = Actor(self.user(by) if by else repository.owner)
            actions.edit_issue(self, repository, self.issue(repository, number), actor, {"state": "closed"})

    def assign(self, full_name: str, number: int, *logins: str, by: str = "") -> None:
        """Assign people to an issue or pull request as a person."""
        with self.lock:
            repository = self.repository(full_name)
            actor = Actor(self.user(by) if by else repository.owner)
            actions.assign(self, repository, self.issue(repository, number), actor, logins)

    def issues(self, full_name: str) -> list[Issue]:
        """The issues that are no pull requests, oldest first."""
        with self.lock:
            return [issue for issue in self.repository(full_name).issues.values() if issue.pull is None]

    def pulls(self, full_name: str) -> list[Issue]:
        """The pull requests, oldest first."""
        with self.lock:
            return [issue for issue in self.repository(full_name).issues.values() if issue.pull is not None]

    def inject(self, fault: Fault) -> None:
        """Order a fault for the next matching requests, of REST and of git."""
        self.faults.add(fault)

    def count(self, method: str, path: str) -> int:
        """How many requests so far had this method (* for any) and a path that the expression is found in."""
        return sum(method in {"*", one.method} and bool(re.search(path, one.path)) for one in tuple(self.requests))

    def expire_tokens(self) -> None:
        """Make every installation token's hour be over, without moving the clock."""
        with self.lock:
            past = self.now() - timedelta(seconds=1)
            for value, token in self.tokens.items():
                if token.kind is Kind.INSTALLATION:
                    self.tokens[value] = token.expired_at(past)


def _change(write: Callable[[bytes], str], path: str, content: FileContent) -> tuple[str, str, str | None]:
    if content is None:
        return "100644", path, None
    mode, data = content if isinstance(content, tuple) else ("100644", content)
    return mode, path, write(data.encode() if isinstance(data, str) else data)
