"""`Checks` in memory: what a test says of commits and pull requests, and what was asked."""

from dataclasses import dataclass, field

from fakes_github import WEB

from bot.errors import GitHubError, NotFoundError
from bot.pipeline.ports.checks import CommitChecks, CommitStatus, Distance, PullHead, Suggestion, Suite, WorkflowRun


def suite(suite_id: int = 9, status: str = "completed", conclusion: str = "failure", runs: int = 1) -> Suite:
    """A suite of GitHub Actions, last heard of at second 1,000."""
    return Suite(suite_id, "github-actions", status, conclusion if status == "completed" else "", runs, 1000.0)


def workflow(status: str, name: str = "tests") -> WorkflowRun:
    return WorkflowRun(3, name, status, 1000.0)


def status(state: str, context: str = "ci/old") -> CommitStatus:
    return CommitStatus(context, state, "", 1000.0)


@dataclass
class FakeChecks:
    """One repository's; `failure` is what every method raises."""

    commits: dict[str, CommitChecks] = field(default_factory=dict)
    pulls: dict[int, PullHead] = field(default_factory=dict)
    distances: dict[tuple[str, str], Distance] = field(default_factory=dict)
    suggested: dict[tuple[int, str, str], tuple[Suggestion, ...]] = field(default_factory=dict)
    in_diff: bool = True
    failure: GitHubError | None = None
    asked: list[str] = field(default_factory=list)

    def of_commit(self, sha: str) -> CommitChecks:
        self._enter("of_commit")
        return self.commits.get(sha, CommitChecks())

    def pull_request(self, number: int) -> PullHead:
        self._enter("pull_request")
        if number not in self.pulls:
            raise NotFoundError(f"GitHub knows no pull request {number}", "Check that it still exists.")
        return self.pulls[number]

    def distance(self, base: str, head: str) -> Distance:
        self._enter("distance")
        return self.distances.get((base, head), Distance(1, 0, base))

    def suggest(self, number: int, sha: str, marker: str, suggestions: tuple[Suggestion, ...]) -> str:
        self._enter("suggest")
        if not self.in_diff:
            return ""
        self.suggested.setdefault((number, sha, marker), suggestions)
        return f"{WEB}/pull/{number}#pullrequestreview-1"

    def _enter(self, method: str) -> None:
        self.asked.append(method)
        if self.failure:
            raise self.failure
