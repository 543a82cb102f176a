"""How a follow-up ends: a commit on the branch, or the reason why there is none, and the texts that say so."""

from contextlib import suppress
from dataclasses import dataclass, replace

from bot.errors import BranchMovedError, GitHubError
from bot.jobs import FollowUp, JobOutcome, State, subject
from bot.pipeline.conclude import Ended
from bot.pipeline.followups import replies
from bot.pipeline.followups.answering import Answering
from bot.pipeline.followups.replies import Made
from bot.pipeline.followups.revised import revised
from bot.pipeline.followups.syncing import Synced
from bot.pipeline.mend import Mended
from bot.pipeline.ports.checks import PullHead
from bot.pipeline.ports.github import NewCommit, PullRequest
from bot.pipeline.ports.job import Ports
from bot.pipeline.reports import checkrun, review
from bot.pipeline.reports.cut import fitted
from bot.pipeline.reports.diff import of_attempts
from bot.pipeline.reports.markdown import block, code, marker
from bot.pipeline.reports.remarked import remarked
from bot.pipeline.reports.report import Beside, Spent, lacking, matrix, pull_request_body, stopped, unsolved_comment
from bot.pipeline.reports.status import failed
from bot.pipeline.reports.titles import pull_request_title
from bot.pipeline.steps import Steps
from bot.pipeline.texts import Answered, Shown
from bot.policy import Language
from bot.repair.reproduction.additions import merged
from bot.repair.types import Attempt, Origin, RepairResult, StopReason

SHORT = 12
MAX_PATCH = 50_000


@dataclass(frozen=True, slots=True)
class GoneOn:
    """What a follow-up came to. `trailer` ends the commit's message; `together` is as in `report.Spent`."""

    job: FollowUp
    ports: Ports
    steps: Steps
    pull: PullHead
    synced: Synced
    mended: Mended
    answering: Answering
    trailer: str
    started: float
    together: str
    public_url: str = ""

    @property
    def language(self) -> Language:
        """The language of all that is said."""
        return self.answering.language

    def ended(self) -> Ended:
        """Push what was found, tell every thread, and say how it ended."""
        outcome, text = self._concluded()
        note = f"\n\n{self.synced.note}" if self.synced.note else ""
        return outcome, f"{text}{note}"

    def _concluded(self) -> Ended:
        result, unmet = self.mended.result, self.mended.base.recipe.unmet
        if result is None:
            return self._nothing_tried()
        diffs = of_attempts(self.ports.workspace, self.mended.base, result.attempts)
        if result.solution is None or result.solution.proposal is None:
            self.answering.nothing_done(f"{stopped(result.stop, self.language)} ({result.stop})")
            notes = self._written(published=False) + remarked(self.mended.remarks, self.language)
            text = unsolved_comment(result, self._spent(), diffs, Beside(self.language, unmet, notes))
            headline = Answered.NO_CHANGE_TITLE.say(self.language, stop=result.stop)
            return self._outcome(State.UNSOLVED, headline, stop=result.stop), text
        return self._pushed(result, result.solution, diffs)

    def _nothing_tried(self) -> Ended:
        baseline, language = self.mended.baseline, self.language
        lack = lacking(self.mended.base.recipe.unmet, language)
        count, base = len(baseline.passing), code(self.pull.base_branch)
        passing = Answered.PASS_HERE.say(language, count=count)
        seen = Answered.RED_TOO.say(language, count=count, base=base) if baseline.failing else passing
        if self.synced.merged:
            self.answering.nothing_done(Answered.BASE_MERGED.say(language))
            headline = Answered.BASE_MERGED_TITLE.say(language)
            return self._outcome(State.PUBLISHED, headline), f"{Answered.DONE.say(language, what=seen)}{lack}"
        if self.answering.wish.asks and (self.mended.unshown or not baseline.passing):
            reason = (Answered.NO_MODEL if self.mended.unshown else Answered.NO_GUARD).say(language)
            self.answering.nothing_done(reason)
            headline = Answered.NOT_DONE.say(language, reason=reason)
            text = Answered.NOT_DONE_TEXT.say(language, reason=reason)
            return self._outcome(State.UNSOLVED, headline), f"{text}{lack}"
        self.answering.nothing_done(Answered.NOTHING_FOUND.say(language))
        headline = Answered.NOTHING_TO_DO_TITLE.say(language, what=passing)
        return self._outcome(State.GREEN, headline), f"{Answered.NOTHING_TO_DO.say(language, what=seen)}{lack}"

    def _pushed(self, result: RepairResult, solution: Attempt, diffs: dict[int, str]) -> Ended:
        try:
            with self.steps.step("publish"):
                sha = self.ports.branches.advance(self._commit(solution))
        except BranchMovedError as error:
            return self._handed_over(error, result, diffs[solution.number])
        except GitHubError as error:
            cause = Answered.NOT_PUSHED_CAUSE.say(self.language, cause=error.cause)
            self.answering.nothing_done(cause)
            refused, text = failed(error, cause, error.remedy, self.language)
            shown = f"{Answered.THE_CHANGE.say(self.language)}\n\n{block(diffs[solution.number], 'diff', MAX_PATCH)}"
            return self._outcome(State.FAILED, refused.headline, stop=result.stop), f"{text}\n\n{shown}"
        made = self._made(sha, solution)
        self._revise(result, made)
        head = PullRequest(self.pull.number, "", self.pull.head_branch, is_open=True, merged=False)
        measured = checkrun.Measured(
            result,
            solution,
            diffs[solution.number],
            self.public_url,
            unshown=self.mended.unshown,
            language=self.language,
        )
        checkrun.put(self.job, self.ports.github, head, measured)
        self.answering.done(made)
        headline = Answered.PUSHED_TITLE.say(self.language, commit=sha[:SHORT], number=self.pull.number)
        outcome = self._outcome(State.PUBLISHED, headline, stop=result.stop)
        return replace(outcome, pull_request=self.pull.number), self._report(result, made, diffs)

    def _commit(self, solution: Attempt) -> NewCommit:
        if solution.proposal is None:
            msg = "only an attempt with a proposal can be pushed"
            raise ValueError(msg)
        title, patch, found = (
            pull_request_title(self.job, solution, self.language),
            solution.proposal.patch,
            self.mended.found,
        )
        whole = merged(patch, found.additions) if found else patch
        written = tuple(found.additions.paths) if found else ()
        return NewCommit(self.pull.head_branch, self.synced.head, f"{title}{self.trailer}", whole, written)

    def _made(self, sha: str, solution: Attempt) -> Made:
        proposal, change = solution.proposal, solution.comparison
        return Made(
            sha,
            proposal.patch.paths if proposal else (),
            proposal.explanation.strip() if proposal else "",
            len(change.fixed),
            len(self.mended.baseline.passing),
            self.mended.unshown,
            low_trust=proposal is not None and proposal.origin is Origin.MUTATION,
            test=self.mended.found.test.path if self.mended.found and self.mended.found.test else "",
        )

    def _written(self, *, published: bool) -> str:
        found = self.mended.found
        if found is None or found.test is None:
            return ""
        return review.about(
            found, found.test, review.Told(self.language, source=Shown.ABOUT_REVIEW), published=published
        )

    def _handed_over(self, error: BranchMovedError, result: RepairResult, diff: str) -> Ended:
        """Somebody pushed meanwhile: their commits stay as they are, and they get the patch."""
        mark = marker("patch", f"{subject(self.job)}/{self.answering.key}")
        language, commit = self.language, self.synced.head[:SHORT]
        said = Answered.NOT_PUSHED.say(language, cause=error.cause, commit=commit)
        text, where = f"{said}\n\n{block(diff, 'diff', MAX_PATCH)}", Answered.IN_COMMENT
        try:
            whole = fitted(f"{mark}\n{text}", language=language)
            url = self.ports.github.put_comment(self.job.pull_request, mark, whole)
            text = Answered.PATCH_THERE.say(language, cause=error.cause, url=url)
        except GitHubError as refused:
            self.ports.journal.append("not_commented", {"cause": refused.cause})
            where = Answered.IN_STATUS
        self.answering.nothing_done(where.say(language))
        headline = Answered.NOT_PUSHED_TITLE.say(language, cause=error.cause)
        return self._outcome(State.FAILED, headline, stop=result.stop), text

    def _revise(self, result: RepairResult, made: Made) -> None:
        """Bring the pull request's own text up to date: a courtesy, without which the commit stands."""
        commit, language = made.sha[:SHORT], self.language
        said = {"person": code(self.job.sender), "shown": replies.shown(made, language)}
        line = f"- {Answered.LINE.say(language, commit=commit, **said)}"
        head = Answered.AS_OF.say(language, commit=commit, head=self.synced.head[:SHORT])
        with suppress(GitHubError):
            body = self.ports.threads.text(self.pull.number)
            new = revised(body, f"{head}\n\n{matrix(result, language)}", line, commit, language)
            self.ports.threads.rewrite(self.pull.number, new)

    def _report(self, result: RepairResult, made: Made, diffs: dict[int, str]) -> str:
        language, number = self.language, self.pull.number
        note = replies.partly_shown_note(language)
        if made.unshown:
            note = replies.unshown_note(made.passing, language, tried=self.mended.found is not None)
        notes = f"{note}\n{self._written(published=True)}{remarked(self.mended.remarks, language)}"
        beside = Beside(language, self.mended.base.recipe.unmet, notes)
        body = pull_request_body(self.job, result, self._spent(), diffs, beside).partition("\n")[2]
        what = Answered.NO_TEST_SHOWS.say(language)
        if not made.unshown:
            what = Answered.NOTHING_BROKE.say(language, tests=replies.tests(made, language))
        done = Answered.REPORTED.say(language, commit=made.sha[:SHORT], number=number, what=what)
        return f"{done}\n\n{body}"

    def _spent(self) -> Spent:
        usage = self.mended.usage
        steps = tuple(self.steps.seconds.items())
        seconds = self.ports.clock.now() - self.started
        head = self.ports.journal.head
        return Spent(
            self.mended.proposer, steps, usage.tokens, usage.dollars, usage.estimated, seconds, head, self.together
        )

    def _outcome(self, state: State, headline: str, stop: StopReason | str = "") -> JobOutcome:
        usage = self.mended.usage
        seconds = self.ports.clock.now() - self.started
        return JobOutcome(state, headline[:300], stop, tokens=usage.tokens, dollars=usage.dollars, seconds=seconds)
