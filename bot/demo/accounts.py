"""Who there is, and what they hold: people, Apps, installations and tokens. Changed only under the state's lock."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum


@dataclass(slots=True)
class User:
    """A person, or an App's bot user (`kind` is User or Bot)."""

    id: int
    login: str
    kind: str = "User"


@dataclass(slots=True)
class App:
    """A GitHub App. `permissions` are what an installation grants, name → read or write."""

    id: int
    slug: str
    name: str
    owner: User
    bot: User
    created: datetime
    public_key: str = ""
    permissions: dict[str, str] = field(default_factory=dict)
    events: tuple[str, ...] = ()


@dataclass(slots=True)
class Installation:
    """The App on one account. `repositories` are full names."""

    id: int
    account: User
    created: datetime
    repositories: set[str] = field(default_factory=set)
    permissions: dict[str, str] = field(default_factory=dict)
    suspended: datetime | None = None
    suspended_by: User | None = None


class Kind(StrEnum):
    """Whom a credential stands for."""

    APP = "app"
    INSTALLATION = "installation"
    USER = "user"


@dataclass(frozen=True, slots=True)
class Token:
    """An issued token. `repositories` and `permissions` narrow an installation's; a person's never expires."""

    kind: Kind
    user: User
    expires: datetime | None = None
    installation: int | None = None
    repositories: frozenset[str] = frozenset()
    permissions: tuple[tuple[str, str], ...] = ()

    def expired_at(self, moment: datetime) -> "Token":
        """The same token with another end."""
        return replace(self, expires=moment)
