"""Records → what the templates show. Rendered Markdown is marked safe here, and only here."""

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from bot.demo import check_actions
from bot.demo.git_store import FileChange
from bot.demo.markdown import render
from bot.demo.records import CheckRun, Comment, Issue, Repository
from bot.demo.state import State
from bot.demo.store import MissingError

LONGEST_LOG = 200_000
LINE_CLASSES = {"+": "added", "-": "removed", "@": "hunk"}


@dataclass(frozen=True, slots=True)
class Views:
    """Builds the templates' contexts; callers hold the state's lock."""

    state: State

    def repository(self, one: Repository) -> dict[str, Any]:
        """A repository's head line."""
        issues = list(one.issues.values())
        return {
            "name": one.full_name,
            "path": f"/{one.full_name}",
            "private": one.private,
            "open_issues": sum(i.state == "open" and i.pull is None for i in issues),
            "open_pulls": sum(i.state == "open" and i.pull is not None for i in issues),
            "clone": f"{self.state.web}/{one.full_name}.git",
        }

    def address(self, repository: Repository, issue: Issue) -> str:
        """The path of an issue's or pull request's page."""
        return f"/{repository.full_name}/{'pull' if issue.pull else 'issues'}/{issue.number}"

    def row(self, repository: Repository, issue: Issue) -> dict[str, Any]:
        """An issue in a list."""
        return {
            "number": issue.number,
            "title": issue.title,
            "path": self.address(repository, issue),
            "author": issue.author.login,
            "created": issue.created,
            "labels": self._labels(repository, issue),
            "comments": len(issue.comments),
            "badge": _badge(issue),
        }

    def issue(self, repository: Repository, issue: Issue) -> dict[str, Any]:
        """An issue's page."""
        names = [label.name for label in repository.labels.values()]
        offered = [name for name in dict.fromkeys([*names, self.state.app.slug]) if name not in issue.labels]
        return self.row(repository, issue) | {
            "state": issue.state,
            "via_app": issue.via_app,
            "body": self._markdown(repository, issue.body),
            "offered": offered,
            "comments": [self._comment(repository, comment) for comment in issue.comments],
            "reactions": [one.content for one in issue.reactions],
        }

    def pull(self, repository: Repository, issue: Issue) -> dict[str, Any] | None:
        """What a pull request's page shows beside the issue's; `None` for an issue."""
        if issue.pull is None:
            return None
        git, pull = repository.git, issue.pull
        base = git.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha
        runs = [run for run in repository.runs.values() if run.head_sha == pull.head_sha]
        return {
            "head": pull.head,
            "base": pull.base,
            "mergeable": git.merges_cleanly(pull.base_sha, pull.head_sha),
            "commits": [self._commit_row(repository, sha) for sha in git.between(base, pull.head_sha)],
            "files": [_file(change) for change in git.changes(base, pull.head_sha)],
            "runs": [self._run_row(repository, run) for run in runs],
        }

    def commit(self, repository: Repository, sha: str) -> dict[str, Any]:
        """A commit's page. Raises `MissingError`."""
        git = repository.git
        if git.type(sha) != "commit":
            raise MissingError("There is no such commit")
        parents = git.commit(sha).parents
        changes = git.changes(parents[0], sha) if parents else []
        runs = [self._run_row(repository, run) for run in repository.runs.values() if run.head_sha == sha]
        row = self._commit_row(repository, sha)
        return row | {"files": [_file(change) for change in changes], "runs": runs}

    def run(self, repository: Repository, run: CheckRun) -> dict[str, Any]:
        """A check run's page, with the end of its log."""
        branch = check_actions.branch_at(repository, run.head_sha)
        return self._run_row(repository, run) | {
            "sha": run.head_sha,
            "branch": branch or "",
            "title": run.output.get("title") or "",
            "summary": self._markdown(repository, run.output.get("summary")),
            "text": self._markdown(repository, run.output.get("text")),
            "log": (run.log or "")[-LONGEST_LOG:],
        }

    def _labels(self, repository: Repository, issue: Issue) -> list[dict[str, str]]:
        labels = (repository.labels[name.lower()] for name in issue.labels)
        return [{"name": one.name, "color": one.color} for one in labels]

    def _comment(self, repository: Repository, one: Comment) -> dict[str, Any]:
        return {
            "id": one.id,
            "author": one.author.login,
            "bot": one.author.kind == "Bot",
            "created": one.created,
            "edited": one.updated > one.created,
            "body": self._markdown(repository, one.body),
        }

    def _commit_row(self, repository: Repository, sha: str) -> dict[str, Any]:
        commit = repository.git.commit(sha)
        subject, _, rest = commit.message.partition("\n")
        place = f"/{repository.full_name}/commit/{sha}"
        return {"sha": sha, "subject": subject, "rest": rest.strip(), "author": commit.author.name, "path": place}

    def _run_row(self, repository: Repository, run: CheckRun) -> dict[str, Any]:
        return {
            "name": run.name,
            "app": run.app.name,
            "status": run.status,
            "outcome": run.conclusion or run.status,
            "path": f"/{repository.full_name}/runs/{run.id}",
            "headline": run.output.get("title") or "",
        }

    def _markdown(self, repository: Repository, text: str | None) -> Markup:
        return Markup(render(text, f"/{repository.full_name}"))  # noqa: S704 - sanitised by nh3 in `render`


def _badge(issue: Issue) -> str:
    if issue.state == "closed":
        return "closed"
    return "draft" if issue.pull and issue.pull.draft else "open"


def _file(change: FileChange) -> dict[str, Any]:
    lines = (change.patch or "").splitlines()
    return {
        "path": change.path,
        "previous": change.previous,
        "status": change.status,
        "additions": change.additions,
        "deletions": change.deletions,
        "lines": [(LINE_CLASSES.get(line[:1], "same"), line) for line in lines],
        "binary": change.patch is None,
    }
