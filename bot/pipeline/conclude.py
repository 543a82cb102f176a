"""How a job ends, from what mending came to: the one final state, and the text that says it."""

from dataclasses import dataclass, field, replace

from bot.errors import GitHubError
from bot.jobs import FixCheck, Job, JobOutcome, State
from bot.pipeline.admission import Admission, Way
from bot.pipeline.mend import Mended
from bot.pipeline.ports.github import PullRequest
from bot.pipeline.ports.job import Ports
from bot.pipeline.publish import publish
from bot.pipeline.red import RedCheck, left_alone, without_fix
from bot.pipeline.red.outlets import Fix, Out, brought_up, push, suggest
from bot.pipeline.reports import checkrun, review
from bot.pipeline.reports.diff import of_attempts
from bot.pipeline.reports.markdown import block
from bot.pipeline.reports.remarked import remarked
from bot.pipeline.reports.report import Beside, Spent, cost, lacking, pull_request_body, unsolved_comment
from bot.pipeline.reports.status import failed
from bot.pipeline.reports.trailers import trailers
from bot.pipeline.reports.unstable import flaky_tests
from bot.pipeline.steps import Steps
from bot.pipeline.texts import Report, Shown, Text
from bot.policy import Language, RepoPolicy
from bot.repair.reproduction.additions import merged
from bot.repair.types import Attempt, Baseline, RepairResult, StopReason

Ended = tuple[JobOutcome, str]


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a job came to. `named` are the red ids that the issue names; `approved_by` who approved the test, if so."""

    job: Job
    ports: Ports
    steps: Steps
    admission: Admission
    mended: Mended
    named: tuple[str, ...]
    approved_by: str
    started: float
    draft: bool
    spent_together: str = ""
    red: RedCheck | None = None
    public_url: str = ""
    policy: RepoPolicy = field(default_factory=RepoPolicy)

    @property
    def language(self) -> Language:
        """The language of all that is said."""
        return self.policy.language

    def ended(self) -> Ended:
        """Publish what was found. Raises `StoreError` where a test that is to be shown cannot be kept."""
        unmet = self.mended.base.recipe.unmet
        result = self.mended.result
        if result is None:
            outcome, text = self._without_targets()
            return outcome, f"{text}{lacking(unmet, self.language)}"
        diffs = of_attempts(self.ports.workspace, self.mended.base, result.attempts)
        if result.solution is None:
            beside = Beside(self.language, unmet, self._notes(published=False))
            headline = Report.NO_FIX_TITLE.say(self.language, stop=result.stop)
            outcome = self._outcome(State.UNSOLVED, headline, stop=result.stop)
            return outcome, unsolved_comment(result, self._spent(), diffs, beside)
        beside = Beside(self.language, unmet, self._notes(published=True))
        body = pull_request_body(self.job, result, self._spent(), diffs, beside)
        return self._published(result, result.solution, body, diffs)

    def _published(self, result: RepairResult, solution: Attempt, body: str, diffs: dict[int, str]) -> Ended:
        try:
            with self.steps.step("publish"):
                whole = self._with_additions(solution)
                ending = trailers(self.policy, self.ports.branches, self.job.sender)
                written = self.mended.found.additions.paths if self.mended.found else ()
                out = self._put_out(
                    Fix(whole, body, diffs[solution.number], ending, tuple(written), self.language), result
                )
        except GitHubError as error:
            cause = Report.UNPUBLISHED.say(self.language, cause=error.cause)
            refused, text = failed(error, cause, error.remedy, self.language)
            outcome = self._outcome(State.FAILED, refused.headline, stop=result.stop)
            shown = f"{Report.THE_FIX.say(self.language)}\n\n{block(diffs[solution.number], 'diff', 50_000)}"
            return outcome, f"{text}\n\n{shown}"
        outcome = self._outcome(State.PUBLISHED, out.headline, stop=result.stop)
        return replace(outcome, pull_request=out.number, url=out.url), out.text

    def _put_out(self, fix: Fix, result: RepairResult) -> Out:
        """Put the fix where the admission says. Raises `GitHubError`."""
        admission, job = self.admission, self.job
        measured = checkrun.Measured(result, fix.solution, fix.diff, self.public_url, language=self.language)
        if isinstance(job, FixCheck) and admission.against is not None and admission.way is not Way.PULL_REQUEST:
            if admission.way is Way.SUGGEST:
                return suggest(job, self.ports, admission.against, fix, self.mended.base)
            out = push(job, self.ports, admission.against, fix)
            pull = PullRequest(out.number, out.url, admission.base_branch, is_open=True, merged=False)
            checkrun.put(job, self.ports.github, pull, measured)
            return out
        draft = self.draft or bool(self.mended.remarks.flags)
        page = checkrun.run_page(self.public_url, job)
        pull = publish(job, self.ports.github, admission, fix, draft=draft, page=page)
        checkrun.put(job, self.ports.github, pull, measured)
        self._ask_reviewers(pull.number)
        language, fixed = self.language, len(fix.solution.comparison.fixed)
        text = (Text.DONE_ONE if fixed == 1 else Text.DONE).say(language, number=pull.number, fixed=fixed)
        return Out(pull.number, pull.url, Text.DONE_TITLE.say(language, number=pull.number), text)

    def _ask_reviewers(self, pull_request: int) -> None:
        """Ask whom the policy names. The pull request is there already: who cannot be asked is noted, no more."""
        if not self.policy.reviewers:
            return
        try:
            refused = self.ports.github.ask_review(pull_request, self.policy.reviewers)
        except GitHubError as error:
            self.ports.journal.append("reviewers_not_asked", {"cause": error.cause})
        else:
            if refused:
                self.ports.journal.append("reviewers_not_asked", {"refused": list(refused)})

    def _with_additions(self, solution: Attempt) -> Attempt:
        found, proposal = self.mended.found, solution.proposal
        if found is None or proposal is None:
            return solution
        return replace(solution, proposal=replace(proposal, patch=merged(proposal.patch, found.additions)))

    def _without_targets(self) -> Ended:
        baseline, found, language = self.mended.baseline, self.mended.found, self.language
        if self.red is not None:
            ending = without_fix(self.red, baseline, brought_up(self.red), self.language)
            return self._outcome(ending.state, ending.headline), ending.text
        if found is None:
            return self._nothing_red(baseline)
        if found.test is not None:
            self.ports.reviews.keep(found.test)
            took = Report.SO_FAR.say(language, cost=cost(self._spent(), language))
            headline = Shown.TO_APPROVE_TITLE.say(language, test=found.test.short)
            text = f"{review.for_review(found, found.test, language)}\n\n{took}"
            return self._outcome(State.TEST_SHOWN, headline), text
        text = review.not_shown(found, len(baseline.failing), language, approved=bool(self.approved_by))
        text += f"\n\n{Report.TOOK.say(language, cost=cost(self._spent(), language))}"
        return self._outcome(State.NOT_REPRODUCED, Shown.NOT_REPRODUCED_TITLE.say(language)), text

    def _nothing_red(self, baseline: Baseline) -> Ended:
        language = self.language
        passing = Text.ALL_PASS.say(language, count=len(baseline.passing), runs=baseline.runs)
        text = f"{Text.NOTHING_YET.say(language, passing=passing)} {Text.ADD_A_TEST.say(language)}"
        flaky = flaky_tests(baseline, language)
        text += f"\n\n{flaky}" if flaky else ""
        return self._outcome(State.GREEN, Text.NOTHING_YET_TITLE.say(language, passing=passing)), text

    def _notes(self, *, published: bool) -> str:
        return self._come_by(published=published) + remarked(self.mended.remarks, self.language)

    def _come_by(self, *, published: bool) -> str:
        """How the targets were come by."""
        found, result = self.mended.found, self.mended.result
        if found is not None and found.test is not None:
            return review.about(found, found.test, review.Told(self.language, self.approved_by), published=published)
        if self.red is not None:
            return left_alone(self.red.findings, self.red.against, self.language)
        if self.named or result is None:
            return ""
        return review.unnamed(found, len(self.mended.baseline.failing), self.language)

    def _spent(self) -> Spent:
        usage = self.mended.usage
        steps = tuple(self.steps.seconds.items())
        return Spent(
            self.mended.proposer,
            steps,
            usage.tokens,
            usage.dollars,
            usage.estimated,
            self.ports.clock.now() - self.started,
            self.ports.journal.head,
            self.spent_together,
        )

    def _outcome(self, state: State, headline: str, stop: StopReason | str = "") -> JobOutcome:
        usage = self.mended.usage
        seconds = self.ports.clock.now() - self.started
        return JobOutcome(state, headline, stop, tokens=usage.tokens, dollars=usage.dollars, seconds=seconds)
