"""What the payloads' fields may be: bounded, of the documented type, and free of what a reader cannot see."""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from bot.events.types import MAX_BODY, MAX_TITLE, PullRequest, Repository
from bot.own_pulls import mark_of
from bot.visible import without_invisible

MAX_ID = 2**63 - 1
MAX_LISTED = 100

_BAD_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/.]|[/.]$|\.lock$|/\.")
_NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}/(?:[A-Za-z0-9_-]|\.[A-Za-z0-9_-]|\.\.[A-Za-z0-9._-])[A-Za-z0-9._-]{0,99}$"


def storable(value: object) -> object:
    """GitHub stores neither NUL nor lone surrogates; whatever carries them is made storable, not refused."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return value
    return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def cut(limit: int) -> BeforeValidator:
    """At most `limit` characters, as they are."""

    def shortened(value: object) -> object:
        text = storable(value)
        return text[:limit] if isinstance(text, str) else text

    return BeforeValidator(shortened)


def _listed(value: object) -> object:
    return value[:MAX_LISTED] if isinstance(value, list) else value


def _ref(value: str) -> str:
    if _BAD_REF.search(value):
        message = "no branch name that git accepts"
        raise ValueError(message)
    return value


def _empty(value: object) -> object:
    return "" if value is None else value


Id = Annotated[int, Field(ge=1, le=MAX_ID)]
FullName = Annotated[str, StringConstraints(pattern=_NAME, max_length=200)]
Login = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,100}(?:\[bot\])?$")]
Sha = Annotated[str, StringConstraints(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]
Ref = Annotated[str, StringConstraints(min_length=1, max_length=250), AfterValidator(_ref)]
Branch = Annotated[str, StringConstraints(max_length=250), BeforeValidator(_empty)]
"""A branch as GitHub names it beside a commit: perhaps none, perhaps a fork's."""
Word = Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,50}$")]
Verdict = Annotated[str, StringConstraints(pattern=r"^(?:[a-z_]{1,50})?$"), BeforeValidator(_empty)]
Title = Annotated[str, cut(MAX_TITLE), AfterValidator(without_invisible)]
Raw = Annotated[str, cut(MAX_BODY)]


class Payload(BaseModel):
    """Lenient about keys that are not used, strict about types of those that are."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", hide_input_in_errors=True)


class InstallationField(Payload):
    """`installation`, as every delivery to an App has it."""

    id: Id


class RepositoryField(Payload):
    """`repository`."""

    id: Id
    full_name: FullName
    default_branch: Ref


class SenderField(Payload):
    """Whoever caused the event: a person, a bot or an organisation."""

    login: Login
    type: Annotated[str, StringConstraints(max_length=50)]


class UserField(Payload):
    """Somebody who wrote something; GitHub leaves out whoever left it."""

    login: Login


class LabelField(Payload):
    """`label`."""

    name: Annotated[str, BeforeValidator(storable), StringConstraints(min_length=1, max_length=200)]


class _Identified(Payload):
    id: Id


class _Base(Payload):
    repo: _Identified


class NumberField(Payload):
    """One of the pull requests of a check; its base may be in a repository that this one was forked from."""

    number: Id
    base: _Base


NumberedPulls = Annotated[tuple[NumberField, ...], Field(strict=False), BeforeValidator(_listed)]


def of_repository(listed: tuple[NumberField, ...], repository: int) -> tuple[int, ...]:
    """The numbers of those pull requests that are this repository's."""
    return tuple(one.number for one in listed if one.base.repo.id == repository)


class AppField(Payload):
    """The App that made a check."""

    id: Id | None = None


class Bound(Payload):
    """What the payload of every event in a repository has."""

    repository: RepositoryField
    installation: InstallationField
    sender: SenderField | None = None

    @property
    def login(self) -> str:
        """Whoever caused the event; empty where GitHub names nobody, who then may do nothing."""
        return self.sender.login if self.sender else ""

    @property
    def is_bot(self) -> bool:
        """Whether that was no person."""
        return self.sender is not None and self.sender.type != "User"

    def where(self) -> Repository:
        """The repository as an event has it."""
        seen = self.repository
        return Repository(seen.full_name, seen.id, seen.default_branch, self.installation.id)


class _End(Payload):
    ref: Branch
    sha: Sha
    repo: _Identified | None = None


class PullRequestField(Payload):
    """`pull_request`."""

    number: Id
    state: Word
    user: UserField | None = None
    body: Raw = ""
    head: _End
    base: _End
    merged: bool | None = None

    def seen(self) -> PullRequest:
        """The pull request as an event has it; a head whose repository is gone is a fork's."""
        head, base = self.head, self.base
        return PullRequest(
            number=self.number,
            author=author(self.user),
            mark=mark_of(self.body),
            head_branch=head.ref,
            head_sha=head.sha,
            base_branch=base.ref,
            is_open=self.state == "open",
            is_fork=head.repo is None or base.repo is None or head.repo.id != base.repo.id,
        )


def app_id(app: AppField | None) -> int:
    """The App's number, 0 where GitHub names none."""
    return (app.id if app else None) or 0


def author(user: UserField | None) -> str:
    """The login, empty for somebody who left GitHub."""
    return user.login if user else ""
