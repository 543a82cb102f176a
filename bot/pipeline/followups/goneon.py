"""How a follow-up ends: a commit on the branch, or the reason why there is none, and the texts that say so."""

from contextlib import suppress
from dataclasses import dataclass, replace

from bot.errors import BranchMovedError, GitHubError
from bot.jobs import FollowUp, JobOutcome, State, subject
from bot.pipeline.conclude import Ended
from bot.pipeline.followups import replies
from bot.pipeline.followups.answering import Answering
from bot.pipeline.followups.replies import Made
from bot.pipeline.followups.revised import AS_OF, revised
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
from bot.pipeline.reports.report import STOPS, Spent, lacking, matrix, pull_request_body, unsolved_comment
from bot.pipeline.reports.status import failed
from bot.pipeline.reports.titles import pull_request_title
from bot.pipeline.steps import Steps
from bot.repair.reproduction.additions import merged
from bot.repair.types import Attempt, Origin, RepairResult, StopReason

SHORT = 12
MAX_PATCH = 50_000
NO_MODEL = "nothing is red, and there is no model here that could make a change from words alone"
NO_GUARD = "no test passes here that would show whether a change breaks anything"


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
            self.answering.nothing_done(f"{STOPS[result.stop]} ({result.stop})")
            notes = self._written(published=False) + remarked(self.mended.remarks)
            text = unsolved_comment(result, self._spent(), diffs, unmet, notes)
            return self._outcome(State.UNSOLVED, f"No change: {result.stop}", stop=result.stop), text
        return self._pushed(result, result.solution, diffs)

    def _nothing_tried(self) -> Ended:
        baseline = self.mended.baseline
        asks = self.answering.wish.asks
        lack = lacking(self.mended.base.recipe.unmet)
        passing = f"{len(baseline.passing)} tests pass here"
        red = f", and what is red fails on {code(self.pull.base_branch)} too" if baseline.failing else ""
        if self.synced.merged:
            self.answering.nothing_done("the base was merged, and there was nothing else to do")
            return self._outcome(State.PUBLISHED, "Merged the base"), f"**Done**: {passing}{red}.{lack}"
        reason = ""
        if asks and (self.mended.unshown or not baseline.passing):
            reason = NO_MODEL if self.mended.unshown else NO_GUARD
        if reason:
            self.answering.nothing_done(reason)
            return self._outcome(State.UNSOLVED, f"Not done: {reason}"), f"**Not done**: {reason}.{lack}"
        self.answering.nothing_done("nothing was found to do")
        return self._outcome(State.GREEN, f"Nothing to do: {passing}"), f"**Nothing to do**: {passing}{red}.{lack}"

    def _pushed(self, result: RepairResult, solution: Attempt, diffs: dict[int, str]) -> Ended:
        try:
            with self.steps.step("publish"):
                sha = self.ports.branches.advance(self._commit(solution))
        except BranchMovedError as error:
            return self._handed_over(error, result, diffs[solution.number])
        except GitHubError as error:
            self.answering.nothing_done(f"a change was found but could not be pushed: {error.cause}")
            refused, text = failed(error, f"a change was found but not pushed: {error.cause}", error.remedy)
            shown = block(diffs[solution.number], "diff", MAX_PATCH)
            return self._outcome(State.FAILED, refused.headline, stop=result.stop), f"{text}\n\nThe change:\n\n{shown}"
        made = self._made(sha, solution)
        self._revise(result, made)
        head = PullRequest(self.pull.number, "", self.pull.head_branch, is_open=True, merged=False)
        measured = checkrun.Measured(
            result, solution, diffs[solution.number], self.public_url, unshown=self.mended.unshown
        )
        checkrun.put(self.job, self.ports.github, head, measured)
        self.answering.done(made)
        outcome = self._outcome(State.PUBLISHED, f"Pushed {sha[:SHORT]} to #{self.pull.number}", stop=result.stop)
        return replace(outcome, pull_request=self.pull.number), self._report(result, made, diffs)

    def _commit(self, solution: Attempt) -> NewCommit:
        if solution.proposal is None:
            msg = "only an attempt with a proposal can be pushed"
            raise ValueError(msg)
        title, patch, found = pull_request_title(self.job, solution), solution.proposal.patch, self.mended.found
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
        return review.about(found, found.test, "", published=published, source="the review")

    def _handed_over(self, error: BranchMovedError, result: RepairResult, diff: str) -> Ended:
        """Somebody pushed meanwhile: their commits stay as they are, and they get the patch."""
        mark = marker("patch", f"{subject(self.job)}/{self.answering.key}")
        text = (
            f"**Not pushed**: {error.cause}. This is the change, against {self.synced.head[:SHORT]}, where it passed: "
            f"apply it on top of them if it is still wanted, or ask again.\n\n{block(diff, 'diff', MAX_PATCH)}"
        )
        where = "a comment"
        try:
            url = self.ports.github.put_comment(self.job.pull_request, mark, fitted(f"{mark}\n{text}"))
            text = f"**Not pushed**: {error.cause}. [The patch is in a comment]({url})."
        except GitHubError as refused:
            self.ports.journal.append("not_commented", {"cause": refused.cause})
            where = "the status comment"
        self.answering.nothing_done(
            f"the branch got other commits meanwhile, and they are left alone; the patch is in {where}"
        )
        return self._outcome(State.FAILED, f"Not pushed: {error.cause}", stop=result.stop), text

    def _revise(self, result: RepairResult, made: Made) -> None:
        """Bring the pull request's own text up to date: a courtesy, without which the commit stands."""
        shown = replies.shown(made)
        line = f"- {made.sha[:SHORT]}, for what {code(self.job.sender)} asked: {shown}"
        as_of = f"{AS_OF}{made.sha[:SHORT]}, against {self.synced.head[:SHORT]}:\n\n{matrix(result)}"
        with suppress(GitHubError):
            body = self.ports.threads.text(self.pull.number)
            new = revised(body, as_of, line, made.sha[:SHORT])
            self.ports.threads.rewrite(self.pull.number, new)

    def _report(self, result: RepairResult, made: Made, diffs: dict[int, str]) -> str:
        note = replies.partly_shown_note()
        if made.unshown:
            note = replies.unshown_note(made.passing, tried=self.mended.found is not None)
        notes = f"{note}\n{self._written(published=True)}{remarked(self.mended.remarks)}"
        body = pull_request_body(
            self.job, result, self._spent(), diffs, self.mended.base.recipe.unmet, notes
        ).partition("\n")[2]
        what = "no test shows it" if made.unshown else f"{replies.tests(made)}; nothing broke"
        return f"**Done**: {made.sha[:SHORT]} on #{self.pull.number}; {what}.\n\n{body}"

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
