"""What happens to branches, pull requests and checks, with the webhooks that follow. Callers hold the store's lock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from bot.demo import shapes_code
from bot.demo.actions import Actor, announce, announce_pull, check_text, new_number
from bot.demo.git_store import OBJECT_ID, Person
from bot.demo.records import App, CheckRun, CheckSuite, Issue, Pull, Repository, User
from bot.demo.refusal import RefusalError, invalid, missing
from bot.demo.store import ACTIONS_APP_ID, Store

ZERO = "0" * 40
BRANCH = "refs/heads/"


@dataclass(frozen=True, slots=True)
class NewPull:
    """What a pull request is made of."""

    head: str
    base: str
    title: str
    body: str | None
    draft: bool


@dataclass(frozen=True, slots=True)
class FinishedJob:
    """A job of a completed suite. Without a log, its download answers 404."""

    name: str
    conclusion: str
    log: str | None


def signature(store: Store, user: User) -> Person:
    """The author that GitHub writes for a user or App, now."""
    address = f"{user.id}+{user.login}@{shapes_code.NOREPLY}"
    return Person(user.login, address, store.now().isoformat())


def move_branch(store: Store, repository: Repository, actor: Actor, name: str, sha: str | None) -> None:
    """Point a full ref name at a commit (`None` deletes it) and tell everybody."""
    old = repository.git.refs(name).get(name)
    repository.git.set_ref(name, sha)
    branch_moved(store, repository, actor, name, (old, sha))


def branch_moved(
    store: Store, repository: Repository, actor: Actor, name: str, moved: tuple[str | None, str | None]
) -> None:
    """Follow a branch from (old, new): pull requests, `push`, and the App's own `check_suite.requested`."""
    old, new = moved
    if not name.startswith(BRANCH) or old == new:
        return
    branch = name.removeprefix(BRANCH)
    _update_pulls(store, repository, actor, branch, new)
    announce(store, ("push", ""), repository, actor.user, _push(store, repository, actor, name, moved))
    if new is not None and store.installation_of(repository):
        suite = suite_for(store, repository, store.app, new, branch)
        _announce_suite(store, "requested", repository, suite, actor.user)


def _update_pulls(store: Store, repository: Repository, actor: Actor, branch: str, new: str | None) -> None:
    for issue in repository.issues.values():
        if issue.pull is None or issue.state != "open" or branch not in {issue.pull.head, issue.pull.base}:
            continue
        if new is None:
            issue.state, issue.closed = "closed", store.now()
            announce_pull(store, "closed", repository, issue, actor.user)
        elif branch == issue.pull.base:
            issue.pull.base_sha = new
        else:
            before, issue.pull.head_sha = issue.pull.head_sha, new
            repository.git.set_ref(f"refs/pull/{issue.number}/head", new)
            announce_pull(store, "synchronize", repository, issue, actor.user, {"before": before, "after": new})


def _push(
    store: Store, repository: Repository, actor: Actor, name: str, moved: tuple[str | None, str | None]
) -> dict[str, Any]:
    old, new = moved
    git = repository.git
    shas = [] if new is None else git.between(old, new) if old else git.history(new, 1)
    commits = [_push_commit(store, repository, sha) for sha in shas[-20:]]
    return {
        "ref": name,
        "before": old or ZERO,
        "after": new or ZERO,
        "created": old is None,
        "deleted": new is None,
        "forced": bool(old and new and not git.is_ancestor(old, new)),
        "base_ref": None,
        "compare": f"{store.web}/{repository.full_name}/compare/{(old or ZERO)[:12]}...{(new or ZERO)[:12]}",
        "commits": commits,
        "head_commit": commits[-1] if commits else None,
        "pusher": {"name": actor.user.login, "email": f"{actor.user.login}@{shapes_code.NOREPLY}"},
    }


def _push_commit(store: Store, repository: Repository, sha: str) -> dict[str, Any]:
    commit = repository.git.commit(sha)
    people = {
        role: {"name": one.name, "email": one.email, "username": (shapes_code.account(store, one) or _nobody()).login}
        for role, one in (("author", commit.author), ("committer", commit.committer))
    }
    changes = repository.git.changes(commit.parents[0], sha) if commit.parents else []
    return {
        "id": sha,
        "tree_id": commit.tree,
        "distinct": True,
        "message": commit.message,
        "timestamp": commit.committer.date,
        "url": f"{store.web}/{repository.full_name}/commit/{sha}",
        **people,
        "added": [change.path for change in changes if change.status == "added"],
        "removed": [change.path for change in changes if change.status == "removed"],
        "modified": [change.path for change in changes if change.status not in {"added", "removed"}],
    }


def _nobody() -> User:
    return User(0, "")


def open_pull(store: Store, repository: Repository, actor: Actor, new: NewPull) -> Issue:
    """Open a pull request from a branch of the same repository. Refuses with 422 as GitHub does."""
    check_text("PullRequest", new.title, new.body)
    owner, _, head = new.head.rpartition(":")
    tips = repository.git.refs()
    head_sha, base_sha = tips.get(BRANCH + head), tips.get(BRANCH + new.base)
    if owner not in {"", repository.owner.login} or head_sha is None:
        raise invalid("PullRequest", "head", "head is invalid", "invalid")
    if base_sha is None:
        raise invalid("PullRequest", "base", "base is invalid", "invalid")
    if not repository.git.between(base_sha, head_sha):
        raise invalid("PullRequest", "head", f"No commits between {new.base} and {head}")
    pulls = ((issue, issue.pull) for issue in repository.issues.values() if issue.state == "open" and issue.pull)
    if any((pull.head, pull.base) == (head, new.base) for _, pull in pulls):
        raise invalid("PullRequest", "head", f"A pull request already exists for {repository.owner.login}:{head}.")
    now, number = store.now(), new_number(repository)
    pull = Pull(head, new.base, head_sha, base_sha, draft=new.draft)
    issue = Issue(store.next_id(), number, new.title, new.body, actor.user, now, now, via_app=actor.via_app, pull=pull)
    repository.issues[number] = issue
    repository.git.set_ref(f"refs/pull/{number}/head", head_sha)
    announce_pull(store, "opened", repository, issue, actor.user)
    return issue


def suite_for(store: Store, repository: Repository, app: App, sha: str, branch: str | None) -> CheckSuite:
    """The App's suite on a commit, made where missing: GitHub keeps one for each App and commit."""
    for suite in repository.suites.values():
        if suite.head_sha == sha and suite.app.id == app.id:
            return suite
    parents = repository.git.commit(sha).parents
    now = store.now()
    suite = CheckSuite(store.next_id(), app, sha, branch, parents[0] if parents else None, now, now)
    repository.suites[suite.id] = suite
    return suite


def branch_at(repository: Repository, sha: str) -> str | None:
    """A branch whose tip is the commit, the default branch first."""
    names = [name.removeprefix(BRANCH) for name, tip in repository.git.refs().items() if tip == sha]
    return repository.default_branch if repository.default_branch in names else next(iter(names), None)


def create_run(store: Store, repository: Repository, app: App, given: Mapping[str, Any]) -> CheckRun:
    """A check run of an App, from the body of checks/create."""
    sha = str(given["head_sha"])
    if not OBJECT_ID.fullmatch(sha) or repository.git.type(sha) != "commit":
        raise RefusalError(422, f"No commit found for SHA: {sha}")
    suite = suite_for(store, repository, app, sha, branch_at(repository, sha))
    started = _moment(given.get("started_at")) or store.now()
    run = CheckRun(store.next_id(), suite.id, app, str(given["name"]), sha, "queued", started)
    repository.runs[run.id] = run
    _apply(store, run, given)
    _announce_run(store, "created", repository, run, app.bot)
    _settle(store, repository, suite, run)
    return run


def update_run(store: Store, repository: Repository, run: CheckRun, given: Mapping[str, Any]) -> None:
    """Change a check run by the body of checks/update."""
    _apply(store, run, given)
    _settle(store, repository, repository.suites[run.suite], run)


def _apply(store: Store, run: CheckRun, given: Mapping[str, Any]) -> None:
    if given.get("status") == "completed" and not given.get("conclusion"):
        raise invalid("CheckRun", "conclusion", "conclusion is required when status is completed", "missing_field")
    for key in ("name", "external_id", "details_url", "status", "conclusion"):
        if given.get(key) is not None:
            setattr(run, key, given[key])
    run.output |= {key: given["output"].get(key) for key in given.get("output", {})}
    if given.get("conclusion"):
        run.status = "completed"
        run.completed = _moment(given.get("completed_at")) or store.now()
    elif given.get("status"):
        run.conclusion = run.completed = None


def _moment(text: Any) -> datetime | None:
    return datetime.fromisoformat(str(text)) if text else None


def _settle(store: Store, repository: Repository, suite: CheckSuite, run: CheckRun) -> None:
    """Derive the suite's state from its runs and announce what ended."""
    runs = [one for one in repository.runs.values() if one.suite == suite.id]
    suite.updated = store.now()
    if run.status == "completed":
        _announce_run(store, "completed", repository, run, run.app.bot)
    if any(one.status != "completed" for one in runs):
        suite.status, suite.conclusion = "in_progress", None
        return
    conclusions = {str(one.conclusion) for one in runs}
    worst = next((c for c in ("failure", "timed_out", "cancelled", "action_required") if c in conclusions), None)
    suite.status = "completed"
    suite.conclusion = worst or ("success" if "success" in conclusions else min(conclusions))
    _announce_suite(store, "completed", repository, suite, run.app.bot)


def complete_suite(
    store: Store, repository: Repository, head: tuple[str, str | None], conclusion: str, jobs: Sequence[FinishedJob]
) -> CheckSuite:
    """What GitHub Actions leaves behind on `head` (commit, branch): a suite, its jobs with logs, and the webhook."""
    sha, branch = head
    app = store.apps[ACTIONS_APP_ID]
    suite = replace(suite_for(store, repository, app, sha, branch), id=store.next_id())
    repository.suites = {k: s for k, s in repository.suites.items() if (s.head_sha, s.app.id) != (sha, app.id)}
    repository.suites[suite.id] = suite
    suite.status, suite.conclusion, suite.updated = "completed", conclusion, store.now()
    for job in jobs:
        now = store.now()
        run = CheckRun(store.next_id(), suite.id, app, job.name, sha, "completed", now, job.conclusion, now)
        run.details_url = f"{store.web}/{repository.full_name}/actions/runs/{suite.id}/job/{run.id}"
        run.log = job.log
        repository.runs[run.id] = run
        _announce_run(store, "completed", repository, run, app.bot)
    _announce_suite(store, "completed", repository, suite, app.bot)
    return suite


def find_run(repository: Repository, identity: int) -> CheckRun:
    """The check run with this id. Refuses with 404."""
    if run := repository.runs.get(identity):
        return run
    raise missing()


def _announce_suite(store: Store, action: str, repository: Repository, suite: CheckSuite, by: User) -> None:
    shape = shapes_code.check_suite(store, repository, suite)
    del shape["repository"]
    announce(store, ("check_suite", action), repository, by, {"check_suite": shape})


def _announce_run(store: Store, action: str, repository: Repository, run: CheckRun, by: User) -> None:
    shape = shapes_code.check_run(store, repository, run)
    suite = shapes_code.check_suite(store, repository, repository.suites[run.suite])
    kept = ("id", "head_branch", "head_sha", "status", "conclusion", "pull_requests", "app")
    shape["check_suite"] = {key: suite[key] for key in kept}
    announce(store, ("check_run", action), repository, by, {"check_run": shape})
