"""The port `GitHub` over REST."""

from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import quote

from github.CheckRun import CheckRun
from github.ContentFile import ContentFile
from github.IssueComment import IssueComment
from github.NamedUser import NamedUser
from github.PullRequest import PullRequest as RestPullRequest

from bot.adapters.github import commits, jobs, needs
from bot.adapters.github.closing import closing
from bot.adapters.github.levels import Levels
from bot.adapters.github.pace import Pace
from bot.adapters.github.reviewers import ask_review
from bot.adapters.github.session import CHECK, CODE, COMMENT, ISSUES, METADATA, OPENING, PULLS, Session
from bot.adapters.github.tokens import InstallationTokens
from bot.errors import GitHubError, NotFoundError
from bot.own_pulls import is_of, mark_of
from bot.pipeline.ports.github import (
    Annotation,
    CheckReport,
    CheckState,
    FailedJob,
    IssueFacts,
    NewCommit,
    NewPullRequest,
    OtherPull,
    Permission,
    PullRequest,
    RepositoryFacts,
)
from bot.pipeline.reports.markdown import is_marked

MOST_ANNOTATIONS = 50
MOST_FILE_BYTES = 1 << 20
MOST_OWN_PULLS = 1_000
LEVELS = frozenset(level.value for level in Permission)


class RestGitHub:
    """One repository. Whose a comment or pull request is, is told by its author: markers alone prove nothing."""

    def __init__(
        self,
        tokens: InstallationTokens,
        installation_id: int,
        repository: str,
        *,
        bot_login: str,
        pace: Pace,
        levels: Levels | None = None,
    ) -> None:
        """Send nothing yet. `repository` is owner/name, `bot_login` the App's login with `[bot]`.

        `levels` are remembered for all adapters that share them; without, only here.
        """
        self._installation_id = installation_id
        self._levels = levels or Levels()
        self._session = Session(tokens, installation_id, repository, pace)
        self._bot_login = bot_login
        self._edits = pace.edits

    def repository(self) -> RepositoryFacts:
        """The repository's facts."""

        def facts() -> RepositoryFacts:
            found = self._session.repository(METADATA)
            found.update()
            return RepositoryFacts(found.default_branch, found.archived, found.disabled, found.fork, found.private)

        return self._session.read("reading the repository", facts)

    def permission(self, login: str) -> Permission:
        """A person's permission level, at most a minute old; `NONE` for somebody who is no collaborator."""
        return self._levels.of(self._installation_id, self._session.full_name, login, lambda: self._permission(login))

    def _permission(self, login: str) -> Permission:
        repository = self._session.repository(METADATA)
        url = f"{repository.url}/collaborators/{quote(login, safe='')}/permission"
        try:
            _, answer = self._session.read(
                "asking for a person's permission", lambda: repository.requester.requestJsonAndCheck("GET", url)
            )
        except NotFoundError:
            return Permission.NONE
        return _level(answer)

    def file(self, path: str, ref: str) -> bytes | None:
        """One file of a commit or branch, at most 1 MiB, `None` where there is none."""
        repository = self._session.repository(CODE)
        try:
            found = self._session.read(f"reading {path}", lambda: repository.get_contents(path, ref))
        except NotFoundError:
            return None
        return None if isinstance(found, list) else _content(found)

    def issue(self, number: int) -> IssueFacts:
        """An issue as it is now."""

        def facts() -> IssueFacts:
            found = self._session.repository(ISSUES).get_issue(number)
            assignees = tuple(person.login for person in found.assignees)
            return IssueFacts(found.state == "open", tuple(label.name for label in found.labels), assignees)

        return self._session.read(f"reading issue {number}", facts)

    def closing(self, issue: int) -> tuple[OtherPull, ...]:
        """Open pull requests, not the App's, that say they close the issue; among the 300 that changed last."""
        return closing(self._session, issue, self._bot_login)

    def lacking(self) -> tuple[str, ...]:
        """The permissions that the App needs and this installation does not grant, as `contents: write`."""
        return tuple(f"{one.name}: {one.level.word}" for one in needs.lacking(self._session.granted()))

    def branch_head(self, branch: str) -> str | None:
        """The commit that a branch points to, `None` where the branch is gone."""
        return commits.branch_head(self._session, branch)

    def put_comment(self, issue: int, marker: str, body: str, *, soon: bool = False) -> str:
        """Write the App's one comment that carries `marker`, or edit it in place; returns its web address."""
        text = body if is_marked(body, marker) else f"{marker}\n{body}"
        there = self._comment(issue, marker)
        if there is None:
            target = self._session.repository(COMMENT).get_issue(issue)
            return self._session.write(
                "writing the comment", lambda: target.create_comment(text), lambda: self._comment(issue, marker)
            ).html_url
        self._edits.put(
            there.html_url,
            there.updated_at.timestamp(),
            lambda: self._session.write("editing the comment", lambda: there.edit(text)),
            soon=soon,
            stands=there.body == text,
        )
        return there.html_url

    def put_check(self, report: CheckReport) -> str:
        """Create or edit the App's check run with this `external_id`; returns its web address."""
        there = self._check(report)
        running = report.state is CheckState.IN_PROGRESS
        output: dict[str, Any] = {"title": report.title, "summary": report.summary}
        # GitHub appends what an edit brings: those that are there already stay the only ones
        if report.annotations and (there is None or there.output.annotations_count == 0):
            output["annotations"] = [_annotation(one) for one in report.annotations[:MOST_ANNOTATIONS]]
        fields: dict[str, Any] = {"status": "in_progress" if running else "completed", "output": output}
        fields["actions"] = [
            {"label": one.label, "description": one.description, "identifier": one.name} for one in report.buttons
        ]
        if report.details_url:
            fields["details_url"] = report.details_url
        if not running:
            fields["conclusion"] = report.state.value
        if there is not None:
            self._session.write("editing the check run", lambda: there.edit(**fields))
            return there.html_url
        repository = self._session.repository(CHECK)
        return self._session.write(
            "creating the check run",
            lambda: repository.create_check_run(report.name, report.head_sha, external_id=report.external_id, **fields),
            lambda: self._check(report),
        ).html_url

    def failed_jobs(self, suite_id: int) -> tuple[FailedJob, ...]:
        """The failed check runs of a suite, at most 10, each log capped to its last 200,000 characters."""
        return jobs.failed_jobs(self._session, suite_id)

    def pull_requests(self, marker: str) -> tuple[PullRequest, ...]:
        """The App's own pull requests for the subject that `marker` names, open or closed, newest first."""
        repository, pulls = self._session.repository(ISSUES), self._session.repository(PULLS)
        author = NamedUser(repository.requester, {}, {"login": self._bot_login})

        def found() -> tuple[PullRequest, ...]:
            # Filtered by author at GitHub: a busy repository's own pull requests are thousands of pages.
            issues = repository.get_issues(state="all", creator=author, sort="created", direction="desc")
            own = (
                pulls.get_pull(issue.number)
                for issue in islice(issues, MOST_OWN_PULLS)
                # Where people took the marker out, the pull request has to be seen, with its branch.
                if issue.pull_request is not None and mark_of(issue.body) in {"", marker}
            )
            return tuple(_pull_request(pull) for pull in own if self._is_of(pull, marker))

        return self._session.read("listing our pull requests", found)

    def commit(self, new: NewCommit) -> str:
        """Make the commit through the Git Data API and point the branch at it; returns its id."""
        return commits.commit(self._session, new)

    def open_pull_request(self, new: NewPullRequest, marker: str) -> PullRequest:
        """Open the pull request, or return the open one of ours for the subject that `marker` names."""
        for there in self.pull_requests(marker):
            if there.is_open:
                return there
        body = new.body if mark_of(new.body) == marker else f"{marker}\n{new.body}"
        repository = self._session.repository(OPENING)
        try:
            made = self._session.write(
                "opening the pull request",
                lambda: _pull_request(
                    repository.create_pull(new.base, new.head, title=new.title, body=body, draft=new.draft)
                ),
                lambda: self._open_from(new, marker),
            )
        except GitHubError as error:
            # 422, the only plain refusal here, also says that there is one already, which the list may show late.
            there_now = self._open_from(new, marker) if type(error) is GitHubError else None
            if there_now is None:
                raise
            return there_now
        return made

    def ask_review(self, pull_request: int, reviewers: tuple[str, ...]) -> tuple[str, ...]:
        """Ask people, or teams as `organisation/team`, to review one of our pull requests; returns who could not be."""
        return ask_review(self._session, pull_request, reviewers)

    def _open_from(self, new: NewPullRequest, marker: str) -> PullRequest | None:
        repository = self._session.repository(PULLS)
        head = f"{self._session.full_name.partition('/')[0]}:{new.head}"
        found: list[RestPullRequest] = self._session.read(
            "looking for the pull request", lambda: list(repository.get_pulls(state="open", head=head, base=new.base))
        )
        return next((_pull_request(pull) for pull in found if self._is_of(pull, marker)), None)

    def _is_of(self, pull: RestPullRequest, marker: str) -> bool:
        # A fork that was deleted is no repository any more.
        here = pull.head.repo is not None and pull.head.repo.id == pull.base.repo.id
        return self._ours(pull.user) and is_of(marker, mark_of(pull.body), pull.head.ref if here else "")

    def _comment(self, issue: int, marker: str) -> IssueComment | None:
        target = self._session.repository(COMMENT).get_issue(issue)

        def own() -> Iterator[IssueComment]:
            return (c for c in target.get_comments() if self._ours(c.user) and is_marked(c.body, marker))

        return self._session.read("reading the comments", lambda: next(own(), None))

    def _check(self, report: CheckReport) -> CheckRun | None:
        commit = self._session.repository(CHECK).get_commit(report.head_sha)

        def own() -> Iterator[CheckRun]:
            runs = commit.get_check_runs(check_name=report.name, filter="all")
            return (run for run in runs if run.app.id == self._session.app_id and run.external_id == report.external_id)

        return self._session.read("reading the check runs", lambda: next(own(), None))

    def _ours(self, user: NamedUser | Any) -> bool:
        # No person can register a login with brackets.
        return user is not None and user.login == self._bot_login


def _pull_request(pull: RestPullRequest) -> PullRequest:
    return PullRequest(
        pull.number, pull.html_url, pull.head.ref, is_open=pull.state == "open", merged=pull.merged_at is not None
    )


def _annotation(one: Annotation) -> dict[str, Any]:
    return {
        "path": one.path,
        "start_line": one.start_line,
        "end_line": one.end_line,
        "annotation_level": one.level.value,
        "message": one.message,
    }


def _content(found: ContentFile) -> bytes | None:
    if found.type != "file":
        return None
    if found.encoding != "base64" or found.size > MOST_FILE_BYTES:
        raise GitHubError(f"{found.path} is larger than 1 MiB", "Make the file smaller.")
    return found.decoded_content


def _level(answer: Any) -> Permission:
    # The role tells maintain and triage apart; one that an organisation invented counts as what it is built on.
    for name in (answer.get("role_name"), answer.get("permission")):
        if name in LEVELS:
            return Permission(name)
    return Permission.NONE
