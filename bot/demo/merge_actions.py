"""Merges: of pull requests, of branches, of the base into a pull request. Callers hold the store's lock."""

from dataclasses import dataclass

from bot.demo.actions import Actor, announce_pull
from bot.demo.code_actions import BRANCH, move_branch, require_unprotected, signature
from bot.demo.git_store import OBJECT_ID
from bot.demo.records import Issue, Pull, Repository
from bot.demo.refusal import RefusalError, forbidden, invalid
from bot.demo.store import Store


@dataclass(frozen=True, slots=True)
class Merge:
    """How a pull request is merged; `method` is merge, squash or rebase (which the stand-in does as a squash)."""

    method: str = "merge"
    title: str = ""
    message: str = ""
    sha: str = ""


def merge_pull(store: Store, repository: Repository, issue: Issue, pull: Pull, actor: Actor, how: Merge) -> str:
    """Merge a pull request and return the new commit. Refuses with 405 or 409 as GitHub does."""
    if issue.state != "open" or pull.draft:
        raise RefusalError(405, "Pull Request is not mergeable")
    if how.sha and how.sha != pull.head_sha:
        raise RefusalError(409, "Head branch was modified. Review and try the merge again.")
    git = repository.git
    tree = git.merged_tree(pull.base_sha, pull.head_sha)
    if tree is None:
        raise RefusalError(405, "Pull Request is not mergeable")
    title = how.title or f"Merge pull request #{issue.number} from {repository.owner.login}/{pull.head}"
    parents = [pull.base_sha, pull.head_sha] if how.method == "merge" else [pull.base_sha]
    person = signature(store, actor.user)
    sha = git.write_commit(tree, parents, f"{title}\n\n{how.message or issue.title}", (person, person))
    now = store.now()
    pull.merged, pull.merged_by, pull.merge_commit = now, actor.user, sha
    issue.state, issue.closed, issue.updated = "closed", now, now
    # Its own merge moves the base only for the others.
    move_branch(store, repository, actor, BRANCH + pull.base, sha)
    announce_pull(store, "closed", repository, issue, actor.user)
    return sha


def merge_branch(
    store: Store, repository: Repository, actor: Actor, names: tuple[str, str], message: str
) -> str | None:
    """Merge `names`' second, a branch or commit, into its first, a branch; `None` where it is there already.

    Refuses with 404 and 409 as GitHub does.
    """
    base, head = names
    git = repository.git
    into, sha = git.refs().get(BRANCH + base), _commit(repository, head)
    if into is None:
        raise RefusalError(404, "Base does not exist")
    if sha is None:
        raise RefusalError(404, "Head does not exist")
    if git.is_ancestor(sha, into):
        return None
    require_unprotected(repository, BRANCH + base)
    tree = git.merged_tree(into, sha)
    if tree is None:
        raise RefusalError(409, "Merge conflict")
    person = signature(store, actor.user)
    made = git.write_commit(tree, [into, sha], message or f"Merge {head} into {base}", (person, person))
    move_branch(store, repository, actor, BRANCH + base, made)
    return made


def _commit(repository: Repository, name: str) -> str | None:
    if OBJECT_ID.fullmatch(name):
        return name if repository.git.type(name) == "commit" else None
    return repository.git.resolve(name)


def update_branch(store: Store, repository: Repository, pull: Pull, actor: Actor, expected: str) -> None:
    """Merge the base into the pull request's branch. Refuses with 422 as GitHub does."""
    if expected and expected != pull.head_sha:
        message = f"expected head sha didn't match current head ref: {pull.head_sha}"
        raise invalid("PullRequest", "expected_head_sha", message)
    if pull.fork:
        raise forbidden()
    message = f"Merge branch '{pull.base}' into {pull.head}"
    try:
        made = merge_branch(store, repository, actor, (pull.head, pull.base), message)
    except RefusalError as error:
        raise invalid("PullRequest", "base", f"merge conflict between base and head ({error.message})") from None
    if made is None:
        raise invalid("PullRequest", "head", "There are no new commits on the base branch.")
