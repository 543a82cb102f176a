"""What a delivery leads to, with all that has to be looked up for it: asks, and changes nothing anywhere."""

from dataclasses import dataclass, replace

from bot import policy as policies
from bot.acts import Act, Cancel, Hold
from bot.errors import CredentialsError, ForbiddenError, NotFoundError, PayloadError
from bot.events import (
    CommitChecked,
    Delivery,
    InRepository,
    IssueEnded,
    IssueLabeled,
    IssueUnlabeled,
    PullRequestClosed,
    PullRequestLabeled,
    moment,
    parse,
)
from bot.jobs import Job, subject
from bot.pipeline.intake.presence import Presence
from bot.pipeline.intake.site import Site, SiteFor
from bot.pipeline.ports.github import IssueFacts
from bot.pipeline.ports.store import Holds
from bot.policy import RepoPolicy
from bot.triggers import Ignore, Known, Operator, asks_policy, decide, needs, prefilter

Decision = Job | Act | Ignore
MAX_FAULTS = 5
"""Faults of a policy file that a reason names."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """Decides deliveries. The cheap comes first: most lead to nothing, and cost no request."""

    site_for: SiteFor
    holds: Holds
    presence: Presence
    operator: Operator

    def decision(self, delivery: Delivery) -> Decision:
        """What the delivery leads to now. Raises `GitHubUnavailableError`, `CredentialsError`, `StoreError`."""
        decision = self._decision(delivery)
        return replace(decision, at=moment(delivery)) if isinstance(decision, Job | Cancel | Hold) else decision

    def _decision(self, delivery: Delivery) -> Decision:
        try:
            event = parse(delivery)
        except PayloadError as error:
            return Ignore(str(error))
        refusal = prefilter(event, self.operator)
        if refusal:
            return refusal
        if not isinstance(event, InRepository):
            return decide(event, delivery.delivery_id, self.operator, Known())
        where, installation = event.repository.full_name, event.repository.installation_id
        try:
            gone = self.presence.gone(installation, where)
            if gone:
                return Ignore(f"the App may not work here: {gone}")
            return self._decided(event, delivery.delivery_id, self.site_for(where, installation))
        except CredentialsError:
            raise
        except (NotFoundError, ForbiddenError) as error:
            return Ignore(f"GitHub does not let the App look: {error.cause}")

    def _decided(self, event: InRepository, delivery_id: str, site: Site) -> Decision:
        known = Known()
        if asks_policy(event):
            policy = _policy(event, site)
            if isinstance(policy, Ignore):
                return policy
            known = Known(policy)
        decision = self._known(event, delivery_id, site, known)
        return decision if isinstance(decision, Ignore) else _outdated(event, decision, site, self._label(known))

    def _known(self, event: InRepository, delivery_id: str, site: Site, known: Known) -> Decision:
        wanted = needs(event, known.policy)
        if wanted.pull:
            known = replace(known, pull=site.pulls.by_number(wanted.pull))
        elif wanted.branch:
            known = replace(known, pull=site.pulls.from_branch(wanted.branch))
        decision = decide(event, delivery_id, self.operator, replace(known, may_write=True))
        if isinstance(decision, Ignore):
            return decision
        paused = isinstance(decision, Job) and bool(self.holds.held(decision.repository, subject(decision)))
        may_write = bool(wanted.permission_of) and site.github.permission(wanted.permission_of).may_write
        return decide(event, delivery_id, self.operator, replace(known, may_write=may_write, paused=paused))

    def _label(self, known: Known) -> str:
        return (known.policy.label or self.operator.label).casefold()


def _policy(event: InRepository, site: Site) -> RepoPolicy | Ignore:
    data = site.github.file(policies.PATH, event.repository.default_branch)
    found = policies.examine(data, site.offered)
    if isinstance(found, RepoPolicy):
        return found
    if isinstance(event, CommitChecked):
        return Ignore(f"{policies.PATH} cannot be used: {'; '.join(map(str, found[:MAX_FAULTS]))}")
    # Somebody asked: their job starts with what holds all the same, meets the same faults, and tells them.
    return policies.kept(data)


def _outdated(event: InRepository, decision: Job | Act, site: Site, label: str) -> Decision:
    """The decision, unless the issue or pull request is no longer as the event says.

    Deliveries come late, twice and in any order: what is so now counts, whichever of them says it last.
    """
    match event:
        case IssueLabeled() | PullRequestLabeled(removed=False):
            return _unless(_not_wanted(_now(event, site), label), decision)
        case IssueUnlabeled() | PullRequestLabeled():
            now = _now(event, site)
            return _unless("the label is on again" if now and _wanted(now, label) else "", decision)
        case IssueEnded() | PullRequestClosed():
            now = _now(event, site)
            return _unless("it is open again" if now and now.is_open else "", decision)
        case _:
            return decision


def _unless(reason: str, decision: Job | Act) -> Decision:
    # A person who is to be answered is, whatever became of the label.
    return Ignore(reason) if reason and isinstance(decision, Job | Cancel) else decision


def _now(
    event: IssueLabeled | IssueUnlabeled | IssueEnded | PullRequestLabeled | PullRequestClosed, site: Site
) -> IssueFacts | None:
    number = event.pull.number if isinstance(event, PullRequestLabeled | PullRequestClosed) else event.number
    try:
        return site.github.issue(number)
    except NotFoundError:
        return None


def _not_wanted(now: IssueFacts | None, label: str) -> str:
    if now is None:
        return "the issue is not there any more"
    if not now.is_open:
        return "it was closed meanwhile"
    return "" if _wanted(now, label) else "the label was taken off meanwhile"


def _wanted(now: IssueFacts, label: str) -> bool:
    return now.is_open and label in {one.casefold() for one in now.labels}
