"""What operators ask of runs: cancelled as `/regreen stop` does, retried as `/regreen retry` does, answered in a line.

Any number of workers may do this at once, and again after a crash: a run is cancelled once, and a retry has the id of
its wish.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import assert_never

import structlog

from bot.errors import CredentialsError, GitHubError, GitHubUnavailableError, NotFoundError, StoreError
from bot.jobs import FixCheck, FixIssue, FollowUp, Job, State, subject
from bot.moments import Moment
from bot.pipeline.intake import answers
from bot.pipeline.intake.acts import MOST_RUNS, Acting
from bot.pipeline.intake.queueing import Intake, NotYetError
from bot.pipeline.intake.site import Site
from bot.pipeline.ports.store import Asked, Wish, Wishes

MOST = 20
"""Wishes of one look."""
FIRST_WAIT, LONGEST_WAIT = 2.0, 60.0
GIVEN_UP_SECONDS = 3600.0
WHY = "an operator of this Regreen stopped it"
UNKNOWN = "No such run is known, or what it was to do is not kept any more."

_log = structlog.get_logger(__name__)


class _NotDoneError(Exception):
    """Ends a wish without its fulfilment; the text says why."""


@dataclass(frozen=True, slots=True)
class Wishing:
    """Call `look` now and then. `now` gives seconds since the epoch."""

    wishes: Wishes
    acting: Acting
    intake: Intake
    now: Callable[[], float]
    _waits: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Of each wish that could not be fulfilled yet, when to try again, and how long it waits then."""

    def look(self) -> int:
        """See to what is open, oldest first; returns how many came to their end. Raises `StoreError`.

        A wish about a run waits for an older one about the same.
        """
        seen_to, held_up = 0, set[str]()
        waiting = self.wishes.open(MOST)
        # others may have seen to some
        for gone in self._waits.keys() - {wish.number for wish in waiting}:
            del self._waits[gone]
        for wish in waiting:
            if wish.identity in held_up:
                continue
            if self._see_to(wish):
                seen_to += 1
            else:
                held_up.add(wish.identity)
        return seen_to

    def _see_to(self, wish: Wish) -> bool:
        after, pause = self._waits.get(wish.number, (0.0, FIRST_WAIT))
        # a clock that was put back makes nobody wait longer
        if self.now() < after <= self.now() + LONGEST_WAIT:
            return False
        try:
            said = self._fulfilled(wish)
        except NotYetError as later:
            self._wait(wish, later.seconds, pause)
            return False
        except (GitHubUnavailableError, CredentialsError) as error:
            if self.now() - wish.at < GIVEN_UP_SECONDS:
                self._wait(wish, pause, pause * 2)
                return False
            said = f"Given up: {error.cause}."
        except _NotDoneError as error:
            said = str(error)
        except GitHubError as error:
            said = f"GitHub does not let the App do it: {error.cause}."
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - one wish must not hold up all others
            _log.exception("wish_fault", wish=wish.number)
            said = f"A fault in Regreen kept it from being done: {type(error).__name__}."
        self.wishes.done(wish.number, said)
        self._waits.pop(wish.number, None)
        _log.info("wish_done", wish=wish.number, what=wish.what.value, job=wish.identity, said=said)
        return True

    def _wait(self, wish: Wish, seconds: float, then: float) -> None:
        self._waits[wish.number] = self.now() + seconds, min(then, LONGEST_WAIT)

    def _fulfilled(self, wish: Wish) -> str:
        job = self.acting.stopping.engine.job(wish.identity)
        if job is None:
            raise _NotDoneError(UNKNOWN)
        match wish.what:
            case Asked.CANCEL:
                return self._cancel(wish.identity, job)
            case Asked.RETRY:
                return self._retry(wish, job)
            case _:
                assert_never(wish.what)

    def _cancel(self, identity: str, job: Job) -> str:
        known = self.acting.runs.of_subject(job.repository, subject(job), MOST_RUNS)
        run = next((one for one in known if one.identity == identity), None)
        if run is None:
            raise _NotDoneError(UNKNOWN)
        if not self.acting.stopping.stop((run,), WHY):
            return "It had ended before."
        try:
            self.acting.stopping.tell(identity)
        except (GitHubUnavailableError, CredentialsError):
            self.acting.stopping.leave_word(identity)
        outcome = self.acting.runs.outcome(identity)
        stopped = outcome is not None and outcome.state is State.CANCELLED
        return "It was cancelled." if stopped else "It had ended before."

    def _retry(self, wish: Wish, job: Job) -> str:
        again = self._begun_again(wish, job)
        taken = self.intake.take(again)
        return f"Queued as {taken.identity}." if taken.identity else f"Not queued: {taken.said}."

    def _begun_again(self, wish: Wish, job: Job) -> Job:
        fresh = replace(job, delivery_id=f"wish-{wish.number}", asked=True, at=Moment(received=wish.at))
        about = subject(job)
        (newest, *_) = self.acting.runs.of_subject(job.repository, about, 1) or (None,)
        # after a crash its own run may be there, and may even have ended
        begun = newest is not None and newest.identity.endswith(f":{fresh.delivery_id}")
        if newest and newest.outcome is None and not begun:
            raise _NotDoneError(f"The run {newest.identity} is queued or works already.")
        pull = self.acting.runs.in_the_way(wish.identity)
        if pull is not None and not begun:
            raise _NotDoneError(answers.standing(pull))
        if self.acting.holds.held(job.repository, about):
            raise _NotDoneError("It is paused: `/regreen resume` on GitHub lets it begin again.")
        gone = self.acting.presence.gone(job.installation_id, job.repository)
        if gone:
            raise _NotDoneError(f"The App may not work there: {gone}.")
        site = self.acting.stopping.site_for(job.repository, job.installation_id)
        if not site.house().policy.enabled:
            raise _NotDoneError("The repository's policy file switches the bot off.")
        return _as_it_is_now(fresh, site)


def _as_it_is_now(job: Job, site: Site) -> Job:
    match job:
        case FixIssue():
            _require_open(site, job.issue)
            return job
        case FollowUp():
            _require_open(site, job.pull_request)
            # with a review's id it would be the run that there was
            return replace(job, review=0)
        case FixCheck(pull_request=number) if number:
            pull = site.pulls.by_number(number)
            if pull is None or not pull.is_open:
                raise _NotDoneError(f"The pull request #{number} is not open any more.")
            return _at_head(job, pull.head_sha)
        case FixCheck():
            head = site.github.branch_head(job.branch)
            if head is None:
                raise _NotDoneError("The branch is not there any more.")
            return _at_head(job, head)
        case _:
            assert_never(job)


def _at_head(job: FixCheck, head: str) -> FixCheck:
    return job if head == job.head_sha else replace(job, head_sha=head, suite_id=0)


def _require_open(site: Site, number: int) -> None:
    try:
        is_open = site.github.issue(number).is_open
    except NotFoundError:
        is_open = False
    if not is_open:
        raise _NotDoneError(f"#{number} is not open any more.")
