"""Who calls, and what they may: App JWTs, installation tokens, people's tokens."""

import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import jwt

from bot.demo.accounts import Installation, Kind, Token, User
from bot.demo.actions import Actor
from bot.demo.installation_actions import require_active
from bot.demo.permissions import OPEN_TO_READERS, REQUIRED
from bot.demo.records import Repository
from bot.demo.refusal import RefusalError, forbidden, missing
from bot.demo.store import LEVELS, TOKEN_LIFE, Store

JWT_LIFE = 600
CLOCK_SKEW = 60

TRIAGE = frozenset({"issues", "pull_requests"})


@dataclass(frozen=True, slots=True)
class Caller:
    """Who a request comes from. `token` is `None` for the App itself."""

    kind: Kind
    actor: Actor
    token: Token | None = None

    def permissions(self) -> dict[str, str]:
        """An installation token's permissions."""
        return dict(self.token.permissions) if self.token else {}


def nobody() -> Caller:
    """Somebody who shows no credential."""
    return Caller(Kind.USER, Actor(User(0, "")))


def identify(store: Store, authorization: str) -> Caller:
    """The caller behind an Authorization header. Refuses with 401."""
    scheme, _, credential = authorization.partition(" ")
    if scheme.lower() not in {"bearer", "token"} or not credential:
        raise RefusalError(401, "Requires authentication")
    credential = credential.strip()
    if credential.count(".") == 2:  # noqa: PLR2004 - header.claims.signature
        _check_jwt(store, credential)
        return Caller(Kind.APP, Actor(store.app.bot, via_app=True))
    return caller_of_token(store, credential)


def caller_of_token(store: Store, credential: str) -> Caller:
    """The caller behind an installation's or a person's token. Refuses with 401 when unknown or expired."""
    token = store.tokens.get(credential)
    if token is None or (token.expires is not None and token.expires <= store.clock()):
        raise RefusalError(401, "Bad credentials")
    if token.installation is not None:
        require_active(store.installations[token.installation])
    return Caller(token.kind, Actor(token.user, via_app=token.kind is Kind.INSTALLATION), token)


def _check_jwt(store: Store, credential: str) -> None:
    # The wall clock, not the store's: clients sign with theirs, and a test that moves time must not break that.
    now = time.time()
    try:
        claims = jwt.decode(
            credential,
            store.app.public_key,
            algorithms=["RS256"],
            options={"require": ["iat", "exp", "iss"], "verify_exp": False, "verify_iat": False, "verify_aud": False},
        )
    except jwt.InvalidTokenError as error:
        raise RefusalError(401, "A JSON web token could not be decoded") from error
    if str(claims["iss"]) != str(store.app.id):
        raise RefusalError(401, "Integration not found")
    if claims["iat"] > now + CLOCK_SKEW:
        raise RefusalError(401, "'Issued at' claim ('iat') must be an Integer representing a time in the past")
    if claims["exp"] < now - CLOCK_SKEW:
        raise RefusalError(401, "'Expiration time' claim ('exp') must be a numeric value representing the future time")
    if claims["exp"] > now + JWT_LIFE + CLOCK_SKEW:
        raise RefusalError(401, "'Expiration time' claim ('exp') is too far in the future")


def authorize(caller: Caller, operation: str, repository: Repository | None) -> None:
    """Refuse with 401, 403 or 404 what GitHub would refuse this caller."""
    needed = REQUIRED[operation]
    if needed is None or caller.kind is Kind.APP:
        if needed is not None or caller.kind is not Kind.APP:
            raise RefusalError(401, "A JSON web token could not be decoded")
        return
    if repository is not None:
        demand(caller, needed, repository, open_to_readers=operation in OPEN_TO_READERS)


def demand(caller: Caller, needed: tuple[str, ...], repository: Repository, *, open_to_readers: bool = False) -> None:
    """Refuse with 404 what the caller may not see, with 403 what it may not do there."""
    if caller.kind is Kind.INSTALLATION:
        if caller.token is None or repository.full_name not in caller.token.repositories:
            raise missing()
        if not grants(caller.permissions(), needed):
            raise forbidden()
        _require_writable(repository, needed)
        return
    level = repository.level(caller.actor.user)
    if level == "none":
        raise missing()
    if not open_to_readers and not _level_grants(level, needed):
        raise RefusalError(403, "Must have write access to repository")
    _require_writable(repository, needed)


def _require_writable(repository: Repository, needed: Iterable[str]) -> None:
    if repository.archived and any(one.endswith(":write") for one in needed):
        raise RefusalError(403, "Repository was archived so is read-only.")


def grants(permissions: Mapping[str, str], needed: Iterable[str]) -> bool:
    """Whether one of the needed permissions is there; write includes read."""
    held = {f"{name}:{level}" for name, level in permissions.items()}
    held |= {f"{name}:read" for name, level in permissions.items() if level in {"write", "admin"}}
    return bool(held & set(needed))


def _level_grants(level: str, needed: Iterable[str]) -> bool:
    rank = LEVELS.index(level)
    for permission in needed:
        name, _, how = permission.partition(":")
        least = "read" if how == "read" else "triage" if name in TRIAGE else "write"
        if rank >= LEVELS.index(least):
            return True
    return False


def mint(store: Store, installation: Installation, wanted: Mapping[str, Any]) -> tuple[str, Token]:
    """A new installation token, narrowed as the body of apps/create-installation-access-token asks."""
    require_active(installation)
    repositories = _narrowed(store, installation, wanted)
    permissions = dict(wanted.get("permissions") or installation.permissions)
    for name, level in permissions.items():
        if not grants(installation.permissions, [f"{name}:{level}"]):
            raise RefusalError(422, "The permissions requested are not granted to this installation.")
    permissions.setdefault("metadata", "read")
    token = Token(
        Kind.INSTALLATION,
        store.app.bot,
        store.now() + TOKEN_LIFE,
        installation.id,
        frozenset(repositories),
        tuple(sorted(permissions.items())),
    )
    value = f"ghs_{secrets.token_hex(18)}"
    store.tokens[value] = token
    return value, token


def _narrowed(store: Store, installation: Installation, wanted: Mapping[str, Any]) -> set[str]:
    names, identities = wanted.get("repositories"), wanted.get("repository_ids")
    if names is None and identities is None:
        return set(installation.repositories)
    full = {f"{installation.account.login}/{name}" for name in names or ()}
    known = {repository.id: repository.full_name for repository in store.repositories.values()}
    full |= {known.get(identity, str(identity)) for identity in identities or ()}
    if not full or not full <= installation.repositories:
        message = (
            "There is at least one repository that does not exist or is not accessible to the parent installation."
        )
        raise RefusalError(422, message)
    return full
