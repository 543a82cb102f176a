"""Acts as effects. Each may be done again after a crash: what was done already changes nothing more."""

from contextlib import suppress
from dataclasses import dataclass
from typing import assert_never

from bot.acts import Act, Answer, Cancel, CheckPolicy, Greet, Hold, Leave, What
from bot.errors import CredentialsError, ForbiddenError, NotFoundError
from bot.jobs import subject
from bot.pipeline.governance import policyfile
from bot.pipeline.intake import answers
from bot.pipeline.intake.presence import Presence
from bot.pipeline.intake.queueing import NotYetError
from bot.pipeline.intake.site import SiteFor
from bot.pipeline.intake.stopping import Stopping
from bot.pipeline.ports.store import Holds, Run, Runs
from bot.pipeline.reports.cut import fitted
from bot.pipeline.reports.markdown import marker
from bot.pipeline.spending.statement import Statement, nothing

MOST_RUNS = 50
"""Runs of a subject that an answer is made from."""
MOST_GREETED = 20
"""Repositories whose labels are made at once; in others a label is made where it is first put on."""


@dataclass(frozen=True, slots=True)
class Acting:
    """Does what events ask for that is no job."""

    runs: Runs
    holds: Holds
    presence: Presence
    stopping: Stopping
    site_for: SiteFor
    statement: Statement = nothing

    def do(self, act: Act) -> str:
        """Do it, and say in a line what came of it.

        Raises `NotYetError` when it has to be done again soon, `GitHubUnavailableError`, `StoreError`.
        """
        match act:
            case Cancel():
                return self._cancel(act)
            case Answer():
                return self._answer(act)
            case Hold():
                return self._hold(act)
            case Greet():
                return self._greet(act)
            case Leave():
                return self._leave(act)
            case CheckPolicy():
                return self._check_policy(act)
            case _:
                assert_never(act)

    def cut_short(self, act: Cancel) -> tuple[str, ...]:
        """Cancel what the act stops, and no more: what is to be said of it waits for the act's turn.

        Returns the ids of those runs. Raises `StoreError`.
        """
        known = self.runs.of_subject(act.repository, act.about, MOST_RUNS)
        under_way = tuple(run for run in known if run.outcome is None)
        found = self.stopping.begun_before(under_way, act.at)
        with suppress(NotYetError):
            self.stopping.stop(found, act.why)
        return tuple(run.identity for run in found)

    def tell_of(self, identities: tuple[str, ...]) -> None:
        """Tell of runs that were cut short: now, or later at the places where no later run tells its own.

        Raises `NotYetError` while a step of one is under way, `GitHubUnavailableError`, `StoreError`.
        """
        for identity in identities:
            job = self.stopping.engine.job(identity)
            newest = self.runs.of_subject(job.repository, subject(job), 1) if job else ()
            if newest and newest[0].identity == identity:
                self.stopping.stop(newest, "")
                self.stopping.tell(identity)
            else:
                self.stopping.leave_word(identity)

    def leave_word(self, identities: tuple[str, ...]) -> None:
        """Tell of runs that were cut short later. Raises `StoreError`."""
        for identity in identities:
            self.stopping.leave_word(identity)

    def _cancel(self, act: Cancel) -> str:
        known = self.runs.of_subject(act.repository, act.about, MOST_RUNS)
        under_way = _to_stop(known)
        found = self.stopping.begun_before(under_way, act.at)
        count = self.stopping.stop(found, act.why)
        if act.closed:
            # now that no run about it can end any more and say that it is open
            self.runs.pull_closed(act.repository, act.closed)
        for run in found:
            self.stopping.tell(run.identity)
        if act.asked:
            self._say(
                act, answers.STOPPED if count else answers.NOTHING_TO_STOP if found == under_way else answers.LATE
            )
        return f"stopped: {act.why}" if count else "nothing to stop"

    def _answer(self, act: Answer) -> str:
        by = self.holds.held(act.repository, act.about)
        match act.what:
            case What.STATUS:
                text = answers.status(self.runs.of_subject(act.repository, act.about, MOST_RUNS), by)
                text = "\n\n".join(filter(None, (text, self.statement(act))))
            case What.EXPLAIN:
                text = answers.explain(self.runs.of_subject(act.repository, act.about, MOST_RUNS))
            case What.PAUSED:
                text = answers.held(by or act.sender)
            case What.HELP:
                text = answers.HELP
            case _:
                assert_never(act.what)
        self._say(act, text)
        return f"answered: {act.what}"

    def _hold(self, act: Hold) -> str:
        if act.paused:
            self.holds.hold(act.repository, act.about, act.sender, act.at.at)
        else:
            self.holds.release(act.repository, act.about, act.at.at)
        by = self.holds.held(act.repository, act.about)
        if bool(by) != act.paused:
            return "a later pause or resume came first, and stands"
        self._say(act, answers.held(by))
        return "paused" if act.paused else "resumed"

    def _greet(self, act: Greet) -> str:
        if not self.presence.enter(act.installation_id, act.repositories):
            return "the installation is not there any more"
        for repository in act.repositories[:MOST_GREETED]:
            site = self.site_for(repository, act.installation_id)
            site.write("labels", lambda _: site.labels.make())  # noqa: B023 - called at once
        return "greeted"

    def _leave(self, act: Leave) -> str:
        if act.how == "archived" and not any(self._archived(one, act) for one in act.repositories):
            return "the repository is not archived any more"
        taken_out = act.how == "removed"
        left = self.presence.leave(act.installation_id, act.repositories, act.why, taken_out=taken_out)
        if left is None:
            return f"the {'repository' if act.repositories else 'installation'} is there again"
        found = self.runs.active(act.installation_id, left)
        try:
            count = self.stopping.stop(found, act.why)
        finally:
            for run in found:
                # The App may not write there now: it says so once it may again.
                self.stopping.leave_word(run.identity)
        return f"left, {count} jobs stopped: {act.why}"

    def _archived(self, repository: str, act: Leave) -> bool:
        try:
            return self.site_for(repository, act.installation_id).github.repository().archived
        except CredentialsError:
            raise
        except (NotFoundError, ForbiddenError):
            # what cannot be seen any more is left
            return True

    def _check_policy(self, act: CheckPolicy) -> str:
        site = self.site_for(act.repository, act.installation_id)
        github, sha = site.github, act.head_sha
        site.write("the policy file", lambda _: policyfile.show(github, sha, site.house(sha)))
        return "the policy file was checked"

    def _say(self, act: Cancel | Answer | Hold, text: str) -> None:
        """One comment for each command, whoever asks again for the same effect; none where there is no place for it."""
        if not act.number:
            return
        mark = marker("answer", str(act.comment_id) if act.comment_id else f"{act.about}-{type(act).__name__}".lower())
        site = self.site_for(act.repository, act.installation_id)
        site.write("an answer", lambda _: site.github.put_comment(act.number, mark, fitted(f"{mark}\n{text}")))


def _to_stop(known: tuple[Run, ...]) -> tuple[Run, ...]:
    """What has not ended; after a crash, the newest that was stopped already and may not have been told yet."""
    under_way = tuple(run for run in known if run.outcome is None)
    return under_way or known[:1]
