"""Records → GitHub's JSON: commits, trees, diffs, pull requests."""

from collections.abc import Sequence
from datetime import datetime

from bot.demo import shapes
from bot.demo.accounts import User
from bot.demo.git_store import Commit, Entry, FileChange, Person
from bot.demo.records import Issue, Pull, Repository
from bot.demo.shapes import Shape, node_id, when
from bot.demo.store import Store

NOREPLY = "users.noreply.github.com"


def person(one: Person) -> Shape:
    """A git author, the date in UTC."""
    return {"name": one.name, "email": one.email, "date": when(datetime.fromisoformat(one.date))}


def account(store: Store, one: Person) -> User | None:
    """The user whose address this is: GitHub knows people by e-mail."""
    local, _, host = one.email.partition("@")
    return store.users.get(local.rpartition("+")[2].lower()) if host == NOREPLY else None


def verification(store: Store, one: Commit) -> Shape:
    """GitHub signs what an App commits through the Git Data API under the App's own name."""
    signed = one.author.email.endswith(f"+{store.app.bot.login}@{NOREPLY}")
    return {
        "verified": signed,
        "reason": "valid" if signed else "unsigned",
        "signature": "-----BEGIN PGP SIGNATURE-----" if signed else None,
        "payload": one.message if signed else None,
        "verified_at": when(datetime.fromisoformat(one.committer.date)) if signed else None,
    }


def git_commit(store: Store, repository: Repository, one: Commit) -> Shape:
    """A commit of the Git Data API."""
    base, web = f"{store.api}/repos/{repository.full_name}/git", f"{store.web}/{repository.full_name}"
    return {
        "sha": one.sha,
        "node_id": node_id("Commit", one.sha),
        "url": f"{base}/commits/{one.sha}",
        "html_url": f"{web}/commit/{one.sha}",
        "author": person(one.author),
        "committer": person(one.committer),
        "tree": {"sha": one.tree, "url": f"{base}/trees/{one.tree}"},
        "message": one.message,
        "parents": [
            {"sha": sha, "url": f"{base}/commits/{sha}", "html_url": f"{web}/commit/{sha}"} for sha in one.parents
        ],
        "verification": verification(store, one),
    }


def commit(store: Store, repository: Repository, sha: str, changes: Sequence[FileChange] | None = None) -> Shape:
    """A commit of the REST API, with files when `changes` are given."""
    one = repository.git.commit(sha)
    base, web = f"{store.api}/repos/{repository.full_name}", f"{store.web}/{repository.full_name}"
    inner = git_commit(store, repository, one)
    people = {"author": account(store, one.author), "committer": account(store, one.committer)}
    shape: Shape = {
        "sha": sha,
        "node_id": node_id("Commit", sha),
        "url": f"{base}/commits/{sha}",
        "html_url": f"{web}/commit/{sha}",
        "comments_url": f"{base}/commits/{sha}/comments",
        "commit": {key: inner[key] for key in ("url", "author", "committer", "message", "tree", "verification")}
        | {"comment_count": 0},
        **{role: shapes.user(store, who) if who else None for role, who in people.items()},
        "parents": [
            {"sha": p["sha"], "url": f"{base}/commits/{p['sha']}", "html_url": p["html_url"]} for p in inner["parents"]
        ],
    }
    if changes is not None:
        additions, deletions = sum(c.additions for c in changes), sum(c.deletions for c in changes)
        shape["stats"] = {"additions": additions, "deletions": deletions, "total": additions + deletions}
        shape["files"] = [file_change(store, repository, sha, change) for change in changes]
    return shape


def file_change(store: Store, repository: Repository, sha: str, one: FileChange) -> Shape:
    """A diff-entry."""
    web = f"{store.web}/{repository.full_name}"
    shape: Shape = {
        "sha": one.sha,
        "filename": one.path,
        "status": one.status,
        "additions": one.additions,
        "deletions": one.deletions,
        "changes": one.additions + one.deletions,
        "blob_url": f"{web}/blob/{sha}/{one.path}",
        "raw_url": f"{web}/raw/{sha}/{one.path}",
        "contents_url": f"{store.api}/repos/{repository.full_name}/contents/{one.path}?ref={sha}",
    }
    if one.patch is not None:
        shape["patch"] = one.patch
    if one.previous is not None:
        shape["previous_filename"] = one.previous
    return shape


def tree_entry(store: Store, repository: Repository, one: Entry) -> Shape:
    """An entry of a git tree."""
    kinds = {"blob": "blobs", "tree": "trees", "commit": "commits"}
    url = f"{store.api}/repos/{repository.full_name}/git/{kinds[one.type]}/{one.sha}"
    shape: Shape = {"path": one.path, "mode": one.mode, "type": one.type, "sha": one.sha, "url": url}
    return shape if one.size is None else shape | {"size": one.size}


def reference(store: Store, repository: Repository, name: str, sha: str) -> Shape:
    """A git ref; `name` is full."""
    base = f"{store.api}/repos/{repository.full_name}/git"
    return {
        "ref": name,
        "node_id": node_id("Ref", name),
        "url": f"{base}/{name}",
        "object": {"type": "commit", "sha": sha, "url": f"{base}/commits/{sha}"},
    }


def _side(store: Store, repository: Repository, branch: str, sha: str, fork: str = "") -> Shape:
    """One side of a pull request; the repository of a fork that was deleted is null."""
    where = store.repositories.get(fork.lower()) if fork else repository
    owner = store.user(fork.partition("/")[0]) if fork else repository.owner
    return {
        "label": f"{owner.login}:{branch}",
        "ref": branch,
        "sha": sha,
        "user": shapes.user(store, owner),
        "repo": shapes.repository(store, where) if where else None,
    }


def pull_simple(store: Store, repository: Repository, issue: Issue, pull: Pull) -> Shape:
    """A pull request as lists show it."""
    base = f"{store.api}/repos/{repository.full_name}"
    url, web = f"{base}/pulls/{issue.number}", shapes.html_url(store, repository, issue)
    links = {
        "self": url,
        "html": web,
        "issue": f"{base}/issues/{issue.number}",
        "comments": f"{base}/issues/{issue.number}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{base}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": f"{base}/statuses/{pull.head_sha}",
    }
    shared = shapes.issue(store, repository, issue)
    for key in ("repository_url", "labels_url", "events_url", "state_reason", "comments", "reactions",
                "performed_via_github_app", "pull_request"):  # fmt: skip
        del shared[key]
    return shared | {
        "node_id": node_id("PullRequest", issue.id),
        "url": url,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        **{f"{key}_url": links[key] for key in ("issue", "comments", "commits", "review_comments", "review_comment")},
        "statuses_url": links["statuses"],
        "head": _side(store, repository, pull.head, pull.head_sha, pull.fork),
        "base": _side(store, repository, pull.base, pull.base_sha),
        "draft": pull.draft,
        "merged_at": when(pull.merged),
        "merge_commit_sha": pull.merge_commit,
        "auto_merge": None,
        "requested_reviewers": [shapes.user(store, store.user(login)) for login in pull.reviewers],
        "requested_teams": [],
        "_links": {key: {"href": href} for key, href in links.items()},
    }


def pull_full(store: Store, repository: Repository, issue: Issue, pull: Pull) -> Shape:
    """A pull request by itself, with its counts and whether it merges."""
    git = repository.git
    base = git.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha
    changes = git.changes(base, pull.head_sha)
    clean = git.merges_cleanly(pull.base_sha, pull.head_sha)
    return pull_simple(store, repository, issue, pull) | {
        "merged": pull.merged is not None,
        "merged_by": shapes.user(store, pull.merged_by) if pull.merged_by else None,
        "mergeable": clean,
        "rebaseable": clean,
        "mergeable_state": "dirty" if not clean else "draft" if pull.draft else "clean",
        "comments": len(issue.comments),
        "review_comments": len(pull.remarks),
        "maintainer_can_modify": False,
        "commits": len(git.between(base, pull.head_sha)),
        "additions": sum(change.additions for change in changes),
        "deletions": sum(change.deletions for change in changes),
        "changed_files": len(changes),
    }
