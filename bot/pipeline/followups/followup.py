"""Going on with one of our own pull requests: what people ask for becomes another commit on its branch."""

from contextlib import suppress
from dataclasses import dataclass

from bot.errors import GitHubError, RegreenError
from bot.jobs import FollowUp, JobOutcome, State, subject
from bot.pipeline import targets
from bot.pipeline.admission import Case, Refusal
from bot.pipeline.admission.repository import closed, lacking, misruled
from bot.pipeline.aim import Aim, Writing
from bot.pipeline.conclude import Ended
from bot.pipeline.followups.answering import Answering
from bot.pipeline.followups.goneon import GoneOn
from bot.pipeline.followups.syncing import Synced, sync, wants_base, wants_no_more
from bot.pipeline.followups.threads import Wish, wish
from bot.pipeline.governance.policyfile import House
from bot.pipeline.logs.logged import mend_logged
from bot.pipeline.mend import Terms
from bot.pipeline.ports.checks import PullHead
from bot.pipeline.ports.job import FixSettings, Ports
from bot.pipeline.prepare import fetched
from bot.pipeline.red.elsewhere import Elsewhere, UntestableError
from bot.pipeline.reports import labels, review
from bot.pipeline.reports.markdown import code, marker
from bot.pipeline.reports.status import StatusBoard, refused
from bot.pipeline.reports.trailers import trailers
from bot.pipeline.spending.budgets import granted
from bot.pipeline.spending.purse import Purse
from bot.pipeline.steps import Steps
from bot.pipeline.texts import Answered, Why
from bot.policy import RepoPolicy
from bot.repair.types import Baseline, BudgetLimits


@dataclass(frozen=True, slots=True)
class FollowingUp:
    """One follow-up, from the review to the commit and the answers."""

    job: FollowUp
    ports: Ports
    settings: FixSettings
    board: StatusBoard
    steps: Steps
    purse: Purse

    def whole(self, house: House) -> Ended:
        """Go on, or say why not. Raises what its parts raise, once every thread has been told."""
        started = self.ports.clock.now()
        with self.steps.step("admit"):
            pull = self._admitted(house)
            if isinstance(pull, Refusal):
                return self._refused(pull)
            asked = self._wish(house.policy)
            answering, language = Answering(self.job, self.ports, asked, house.policy.language), house.policy.language
            if not asked.asks and not self.job.asked:
                answering.nothing_done(Answered.NOTHING_ASKED.say(language))
                outcome = JobOutcome(State.GREEN, Answered.NOTHING_ASKED_TITLE.say(language))
                return outcome, Answered.NOTHING_ASKED_TEXT.say(language)
            budget = granted(self.purse, self.ports, self.settings, house.policy)
            if isinstance(budget, Refusal):
                answering.nothing_done(budget.reason)
                return self._refused(budget)
            labels.began(self.ports.labels, self.job)
            self.board.working(Answered.READING.say(language))
        try:
            return self._worked(pull, asked, house.policy, budget, answering, started)
        except RegreenError as error:
            cause = error.cause.partition("\n")[0]
            answering.nothing_done(Answered.COULD_NOT_FINISH.say(language, cause=cause))
            raise

    def _admitted(self, house: House) -> PullHead | Refusal:
        case = Case(self.job, self.ports.github, house, self.ports.checks)
        refusal = closed(case) or misruled(case) or lacking(case)
        if refusal:
            return refusal
        number = self.job.pull_request
        ours = self.ports.github.pull_requests(marker("subject", subject(self.job)))
        if all(pull.number != number for pull in ours):
            return case.refused(Why.NOT_OURS, number=number)
        pull = self.ports.checks.pull_request(number)
        if not pull.is_open:
            return case.refused(Why.PULL_CLOSED, number=number)
        if pull.fork or self.ports.github.branch_head(pull.head_branch) is None:
            return case.refused(Why.HEAD_GONE, branch=code(pull.head_branch))
        return pull

    def _wish(self, policy: RepoPolicy) -> Wish:
        number, github = self.job.pull_request, self.ports.github
        facts = self.ports.threads.review(number, self.job.review) if self.job.review else None
        known: dict[str, bool] = {}

        def may_write(login: str) -> bool:
            if login not in known:
                known[login] = github.permission(login).may_write
            return known[login]

        found = wish(self.job, facts, self.ports.threads.remarks(number), policy, may_write)
        threads = [{"thread": one.thread, "path": one.path, "left_out": one.left_out} for one in found.threads]
        self.ports.journal.append("asked", {"sender": found.sender, "body": found.body, "threads": threads})
        return found

    def _worked(
        self,
        pull: PullHead,
        asked: Wish,
        policy: RepoPolicy,
        budget: BudgetLimits,
        answering: Answering,
        started: float,
    ) -> Ended:
        trailer = trailers(policy, self.ports.branches, self.job.sender)
        with self.steps.step("sync"):
            wanted = wants_base(asked, pull.base_branch) or policy.update_stale_base
            synced = sync(self.ports, pull, policy.language, wanted=wanted, trailers=trailer)
        base = fetched(self.ports, self.steps, self.job.repository, synced.head, policy.given)
        wants = asked.asks and not wants_no_more(asked, pull.base_branch)
        terms = Terms(
            budget,
            policy.protected,
            self.settings.facts,
            self._writing(policy) if wants else None,
            self._tell,
            asked.spots if wants else None,
        )
        red = _Red(self.ports, self.job.repository, policy, synced, asked.text)
        about = (asked.title, asked.text)
        mended = mend_logged(base, about, red.choose, self.ports.loop, self.steps, terms)
        return GoneOn(
            self.job,
            self.ports,
            self.steps,
            pull,
            synced,
            mended,
            answering,
            trailer,
            started,
            self.purse.told(policy.language),
            self.settings.public_url,
        ).ended()

    def _writing(self, policy: RepoPolicy) -> Writing | None:
        """How a test is written for words that no red test shows; none where people want to see it before a fix."""
        if policy.review_tests or self.ports.models.tester is None:
            return None
        return Writing(f"pull_{self.job.pull_request}", bearing=_nothing, otherwise=_nothing)

    def _refused(self, refusal: Refusal) -> Ended:
        return refused(refusal.reason, refusal.remedy, self.board.language)

    def _tell(self, aim: Aim, baseline: Baseline) -> None:
        # a status in between is a courtesy: without it the run goes on
        with suppress(GitHubError):
            self.board.working(review.working(aim, len(baseline.passing), self.board.language))


def _nothing(baseline: Baseline) -> tuple[str, ...]:
    """Where no test can be written, the words are gone by without one: other red tests are not theirs."""
    del baseline
    return ()


@dataclass(frozen=True, slots=True)
class _Red:
    """What is red on the branch's head, and whose fault that is."""

    ports: Ports
    repository: str
    policy: RepoPolicy
    synced: Synced
    said: str

    def choose(self, baseline: Baseline) -> tuple[str, ...]:
        """The ids that people name; else those that do not fail where the branch left its base."""
        named = targets.named(baseline.failing_ids, self.said)
        if named or not baseline.failing:
            return named
        elsewhere = Elsewhere(self.ports, self.repository, self.policy.given)
        try:
            seen = elsewhere.seen(self.synced.parted, baseline.failing_ids)
        except UntestableError as error:
            self.ports.journal.append("base_untested", {"cause": str(error)})
            return baseline.failing_ids
        return tuple(node_id for node_id in baseline.failing_ids if seen[node_id].passed or not seen[node_id].failed)
