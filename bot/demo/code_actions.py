"""What happens to branches and pull requests, with the webhooks that follow. Callers hold the store's lock."""

from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from bot.demo import check_actions, fork_actions, shapes_code
from bot.demo.accounts import User
from bot.demo.actions import Actor, announce, announce_pull, check_text, new_number
from bot.demo.git_store import Person
from bot.demo.records import Issue, Pull, Repository
from bot.demo.refusal import RefusalError, invalid
from bot.demo.store import Store

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


def signature(store: Store, user: User) -> Person:
    """The author that GitHub writes for a user or App, now."""
    address = f"{user.id}+{user.login}@{shapes_code.NOREPLY}"
    return Person(user.login, address, store.now().isoformat())


def is_protected(repository: Repository, name: str) -> bool:
    """Whether only pull requests may change the branch of this full ref name."""
    return any(fnmatch(name, BRANCH + pattern) for pattern in repository.protected)


def require_unprotected(repository: Repository, name: str) -> None:
    """Refuse with 422 a change to a branch that only pull requests may change."""
    if is_protected(repository, name):
        raise RefusalError(422, "Repository rule violations found\n\nChanges must be made through a pull request.\n\n")


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
    if repository.source.lower() in store.repositories:
        source = store.repository(repository.source)
        if new is not None:
            fork_actions.bring(source, repository, branch)
        _update_pulls(store, source, actor, branch, new, fork=repository.full_name)
    announce(store, ("push", ""), repository, actor.user, _push(store, repository, actor, name, moved))
    if new is not None and store.installation_of(repository):
        check_actions.request_suite(store, repository, new, branch, actor.user)


def _update_pulls(
    store: Store, repository: Repository, actor: Actor, branch: str, new: str | None, *, fork: str = ""
) -> None:
    for issue in repository.issues.values():
        if issue.pull is None or issue.state != "open":
            continue
        of_head, of_base = (fork, branch) == (issue.pull.fork, issue.pull.head), not fork and branch == issue.pull.base
        if new is None and (of_head or of_base):
            issue.state, issue.closed = "closed", store.now()
            announce_pull(store, "closed", repository, issue, actor.user)
        elif new is not None and of_base:
            issue.pull.base_sha = new
        elif new is not None and of_head:
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
    """Open a pull request from a branch of the same repository or a fork. Refuses with 422 as GitHub does."""
    check_text("PullRequest", new.title, new.body)
    fork, head, head_sha = fork_actions.head_of(store, repository, new.head)
    base_sha = repository.git.refs().get(BRANCH + new.base)
    if head_sha is None:
        raise invalid("PullRequest", "head", "head is invalid", "invalid")
    if base_sha is None:
        raise invalid("PullRequest", "base", "base is invalid", "invalid")
    if not repository.git.between(base_sha, head_sha):
        raise invalid("PullRequest", "head", f"No commits between {new.base} and {head}")
    pulls = ((issue, issue.pull) for issue in repository.issues.values() if issue.state == "open" and issue.pull)
    if any((pull.fork, pull.head, pull.base) == (fork, head, new.base) for _, pull in pulls):
        owner = fork.partition("/")[0] or repository.owner.login
        raise invalid("PullRequest", "head", f"A pull request already exists for {owner}:{head}.")
    now, number = store.now(), new_number(repository)
    pull = Pull(head, new.base, head_sha, base_sha, draft=new.draft, fork=fork)
    issue = Issue(store.next_id(), number, new.title, new.body, actor.user, now, now, via_app=actor.via_app, pull=pull)
    repository.issues[number] = issue
    repository.git.set_ref(f"refs/pull/{number}/head", head_sha)
    announce_pull(store, "opened", repository, issue, actor.user)
    return issue
