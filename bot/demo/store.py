"""The stand-in's memory: records, lookups and ids. What happens to them stands in `actions`."""

import itertools
import secrets
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.demo.accounts import App, Installation, Kind, Token, User
from bot.demo.git_store import GitStore
from bot.demo.records import Issue, Repository, RequestEntry, Violation
from bot.demo.webhooks import Webhooks

if TYPE_CHECKING:
    from collections.abc import Callable

ACTIONS_APP_ID = 15368
TOKEN_LIFE = timedelta(hours=1)
APP_PERMISSIONS = {
    "metadata": "read",
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
    "checks": "write",
    "actions": "read",
    "statuses": "read",
}
APP_EVENTS = (
    "check_run",
    "check_suite",
    "issue_comment",
    "issues",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "push",
    "repository",
    "status",
    "workflow_run",
)
LEVELS = ("none", "read", "triage", "write", "maintain", "admin")


@dataclass(frozen=True, slots=True)
class AppConfig:
    """The App as its owner registered it. `public_key` is PEM; `permissions` name → read or write."""

    public_key: str
    id: int = 1
    slug: str = "regreen"
    permissions: dict[str, str] = field(default_factory=lambda: dict(APP_PERMISSIONS))
    events: tuple[str, ...] = APP_EVENTS


class MissingError(LookupError):
    """No such record; REST answers 404."""


class Store:
    """Everything that the stand-in knows. Change it only while holding `lock`."""

    def __init__(self, directory: Path, web: str, app: AppConfig, *, log_host: str) -> None:
        """`web` is what people and git see, `log_host` another host for job logs, both without a slash at the end."""
        self.lock = threading.RLock()
        self.directory = directory
        self.web = web
        self.api = f"{web}/api/v3"
        self.log_host = log_host
        self.clock: Callable[[], datetime] = lambda: datetime.now(UTC)
        self.hooks = Webhooks(app.id, self.now)
        self.users: dict[str, User] = {}
        self.repositories: dict[str, Repository] = {}
        self.installations: dict[int, Installation] = {}
        self.tokens: dict[str, Token] = {}
        self.requests: list[RequestEntry] = []
        self.violations: list[Violation] = []
        self.log_links: dict[str, int] = {}
        self.manifest_codes: dict[str, dict[str, str]] = {}
        self._ids = itertools.count(1001)
        self.apps = {app.id: self._app(app), ACTIONS_APP_ID: self._actions()}
        self.app = self.apps[app.id]

    def next_id(self) -> int:
        """A new id; all kinds of records share one row."""
        return next(self._ids)

    def now(self) -> datetime:
        """The stand-in's time, in whole seconds, as GitHub writes it."""
        return self.clock().astimezone(UTC).replace(microsecond=0)

    def user(self, login: str) -> User:
        """The user with this login, whatever its case. Raises `MissingError`."""
        if found := self.users.get(login.lower()):
            return found
        raise MissingError(f"There is no user {login}")

    def add_user(self, login: str, kind: str = "User") -> User:
        """The user with this login, made where missing."""
        return self.users.setdefault(login.lower(), User(self.next_id(), login, kind))

    def repository(self, full_name: str) -> Repository:
        """The repository owner/name. Raises `MissingError`."""
        if found := self.repositories.get(full_name.lower()):
            return found
        raise MissingError(f"There is no repository {full_name}")

    def issue(self, repository: Repository, number: int) -> Issue:
        """The issue or pull request with this number. Raises `MissingError`."""
        if found := repository.issues.get(number):
            return found
        raise MissingError(f"{repository.full_name} has no issue {number}")

    def installation_of(self, repository: Repository) -> Installation | None:
        """The App's installation that covers a repository."""
        covering = (i for i in self.installations.values() if repository.full_name in i.repositories)
        return next(covering, None)

    def make_repository(self, full_name: str, *, private: bool, default_branch: str) -> Repository:
        """An empty repository, with its bare git repository on disk."""
        owner, _, name = full_name.partition("/")
        git = GitStore(self.directory / "git" / owner / f"{name}.git")
        git.create(default_branch)
        repository = Repository(
            self.next_id(), self.add_user(owner), name, git, self.now(), private=private, default_branch=default_branch
        )
        self.repositories[full_name.lower()] = repository
        return repository

    def install(self, repository: Repository) -> Installation:
        """Cover the repository by the App's installation on its owner's account."""
        mine = (i for i in self.installations.values() if i.account.login == repository.owner.login)
        installation = next(mine, None)
        if installation is None:
            permissions = dict(self.app.permissions)
            installation = Installation(self.next_id(), repository.owner, self.now(), permissions=permissions)
            self.installations[installation.id] = installation
        installation.repositories.add(repository.full_name)
        return installation

    def issue_user_token(self, login: str) -> str:
        """A token that acts as this person, with their level in each repository."""
        value = f"ghp_{secrets.token_hex(18)}"
        self.tokens[value] = Token(Kind.USER, self.user(login))
        return value

    def emit(self, event: str, action: str, repository: Repository, payload: dict[str, Any]) -> None:
        """Send a webhook, where the App is installed and listens to the event."""
        installation = self.installation_of(repository)
        if installation is not None and installation.suspended is None and event in self.app.events:
            self.hooks.send(event, action, (installation.id, repository.id), payload)

    def _app(self, config: AppConfig) -> App:
        bot = self.add_user(f"{config.slug}[bot]", "Bot")
        owner = self.add_user(f"{config.slug}-owner", "Organization")
        return App(
            id=config.id,
            slug=config.slug,
            name=config.slug.capitalize(),
            owner=owner,
            bot=bot,
            created=self.now(),
            public_key=config.public_key,
            permissions=config.permissions,
            events=config.events,
        )

    def _actions(self) -> App:
        bot, owner = self.add_user("github-actions[bot]", "Bot"), self.add_user("github", "Organization")
        return App(ACTIONS_APP_ID, "github-actions", "GitHub Actions", owner, bot, self.now())
