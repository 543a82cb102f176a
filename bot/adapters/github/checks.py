"""The port `Checks` over REST: what CI says of a commit, and how its pull request stands."""

import re
from collections.abc import Callable
from datetime import datetime
from itertools import islice
from typing import TypeVar

from github.CheckSuite import CheckSuite as RestSuite

from bot.adapters.github.commits import branch_head
from bot.adapters.github.pace import Pace
from bot.adapters.github.session import CODE, LOGS, PULLS, RESULTS, REVIEW, Session
from bot.adapters.github.tokens import InstallationTokens, Permissions
from bot.errors import ForbiddenError, GitHubError
from bot.pipeline.ports.checks import CommitChecks, CommitStatus, Distance, PullHead, Suggestion, Suite, WorkflowRun
from bot.pipeline.reports.markdown import is_marked

STATUSES: Permissions = (("statuses", "read"),)
MOST = 100
MOST_TEXT = 200

T = TypeVar("T")


class RestChecks:
    """One repository's checks."""

    def __init__(
        self, tokens: InstallationTokens, installation_id: int, repository: str, *, bot_login: str, pace: Pace
    ) -> None:
        """Send nothing yet. `repository` is owner/name, `bot_login` the App's login with `[bot]`."""
        self._session = Session(tokens, installation_id, repository, pace)
        self._bot_login = bot_login

    def of_commit(self, sha: str) -> CommitChecks:
        """The commit's suites, workflow runs and statuses, at most 100 of each."""
        return CommitChecks(
            self._allowed("listing the check suites", lambda: self._suites(sha)),
            self._allowed("listing the workflow runs", lambda: self._runs(sha)),
            self._allowed("listing the commit's statuses", lambda: self._statuses(sha)),
        )

    def pull_request(self, number: int) -> PullHead:
        """Anybody's pull request."""

        def found() -> PullHead:
            pull = self._session.repository(PULLS).get_pull(number)
            pull.update()
            # GitHub notes a base's commit when the head moves, and leaves it as the base goes on.
            base = branch_head(self._session, pull.base.ref) or pull.base.sha
            # A fork that was deleted is no repository any more.
            fork = pull.head.repo is None or pull.head.repo.full_name != pull.base.repo.full_name
            return PullHead(
                pull.number,
                pull.head.ref,
                pull.head.sha,
                pull.base.ref,
                base,
                fork=fork,
                is_open=pull.state == "open",
                author=pull.user.login if pull.user else "",
                merge_sha=(pull.merge_commit_sha or "") if pull.mergeable else "",
            )

        return self._session.read(f"reading pull request {number}", found)

    def distance(self, base: str, head: str) -> Distance:
        """How a commit or branch lies to another."""

        def found() -> Distance:
            # One commit a page: nobody reads them, and there may be thousands.
            compared = self._session.repository(CODE).compare(base, head, comparison_commits_per_page=1)
            return Distance(compared.ahead_by, compared.behind_by, compared.merge_base_commit.sha)

        return self._session.read(f"comparing {head} with {base}", found)

    def suggest(self, number: int, sha: str, marker: str, suggestions: tuple[Suggestion, ...]) -> str:
        """Write them as one review that neither approves nor asks for changes."""
        there = self._review(number, marker)
        if there:
            return there
        repository = self._session.repository(REVIEW)
        given = {
            "commit_id": sha,
            "event": "COMMENT",
            "body": f"{marker}\nA fix of the red checks, line by line. Each can be committed by itself; it takes all.",
            "comments": [_remark(one) for one in suggestions],
        }

        def write() -> str:
            _, answer = repository.requester.requestJsonAndCheck(
                "POST", f"{repository.url}/pulls/{number}/reviews", input=given
            )
            return str(answer["html_url"])

        try:
            return self._session.write("writing suggestions", write, lambda: self._review(number, marker) or None)
        except GitHubError as error:
            # 422, the only plain refusal here: a line is not in the pull request's diff.
            if type(error) is not GitHubError:
                raise
            return ""

    def _review(self, number: int, marker: str) -> str:
        """The address of our review that carries the marker."""

        def found() -> str:
            reviews = self._session.repository(PULLS).get_pull(number).get_reviews()
            ours = (one for one in reviews if one.user is not None and one.user.login == self._bot_login)
            return next((one.html_url for one in ours if is_marked(one.body, marker)), "")

        return self._session.read("reading the reviews", found)

    def _suites(self, sha: str) -> tuple[Suite, ...]:
        commit = self._session.repository(RESULTS).get_commit(sha)
        found = islice((one for one in commit.get_check_suites() if not self._ours(one)), MOST)
        return tuple(
            Suite(
                one.id,
                one.app.slug if one.app else "",
                one.status or "",
                one.conclusion or "",
                one.latest_check_runs_count or 0,
                _seconds(one.updated_at),
            )
            for one in found
        )

    def _ours(self, suite: RestSuite) -> bool:
        return bool(suite.app) and suite.app.id == self._session.app_id

    def _runs(self, sha: str) -> tuple[WorkflowRun, ...]:
        found = self._session.repository(LOGS).get_workflow_runs(head_sha=sha)
        return tuple(
            WorkflowRun(one.id, (one.name or "")[:MOST_TEXT], one.status or "", _seconds(one.updated_at))
            for one in islice(found, MOST)
        )

    def _statuses(self, sha: str) -> tuple[CommitStatus, ...]:
        repository = self._session.repository(STATUSES)
        # PyGithub asks for 30 a page here and reads one.
        _, answer = repository.requester.requestJsonAndCheck(
            "GET", f"{repository.url}/commits/{sha}/status", parameters={"per_page": MOST}
        )
        return tuple(
            CommitStatus(
                str(one["context"])[:MOST_TEXT],
                str(one["state"]),
                str(one["description"] or "")[:MOST_TEXT],
                datetime.fromisoformat(one["updated_at"]).timestamp(),
            )
            for one in answer["statuses"][:MOST]
        )

    def _allowed(self, doing: str, ask: Callable[[], tuple[T, ...]]) -> tuple[T, ...]:
        try:
            return self._session.read(doing, ask)
        except ForbiddenError:
            return ()


def _remark(one: Suggestion) -> dict[str, str | int]:
    text = "\n".join(one.lines)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    there: dict[str, str | int] = {"path": one.path, "side": "RIGHT", "line": one.end}
    if one.end > one.start:
        there |= {"start_side": "RIGHT", "start_line": one.start}
    return there | {"body": f"{fence}suggestion\n{text}{chr(10) * bool(one.lines)}{fence}"}


def _seconds(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0
