"""Forks, and the heads that pull requests have there. Callers hold the store's lock."""

from bot.demo.records import Repository
from bot.demo.refusal import invalid
from bot.demo.store import Store

BRANCH = "refs/heads/"


def make_fork(store: Store, source: Repository, owner: str) -> Repository:
    """A fork of all branches on somebody's account, where the App is not installed."""
    full_name = f"{owner}/{source.name}"
    if full_name.lower() in store.repositories:
        raise invalid("Repository", "name", "name already exists on this account", "already_exists")
    made = store.make_repository(full_name, private=source.private, default_branch=source.default_branch)
    made.source = source.full_name
    made.git.run("fetch", "--quiet", str(source.git.path), f"+{BRANCH}*:{BRANCH}*")
    return made


def forks(store: Store, source: Repository) -> list[Repository]:
    """The forks of a repository, newest first."""
    found = [one for one in store.repositories.values() if one.source == source.full_name]
    return sorted(found, key=lambda one: -one.id)


def head_of(store: Store, repository: Repository, label: str) -> tuple[str, str, str | None]:
    """The fork's full name (empty for none), branch and commit of a head like `branch` or `owner:branch`.

    The commit of a fork is brought over, as GitHub does for refs/pull.
    """
    owner, _, branch = label.rpartition(":")
    if owner in {"", repository.owner.login}:
        return "", branch, repository.git.refs().get(BRANCH + branch)
    fork = next((one for one in forks(store, repository) if one.owner.login == owner), None)
    sha = fork.git.refs().get(BRANCH + branch) if fork else None
    if fork is None or sha is None:
        return "", branch, None
    bring(repository, fork, branch)
    return fork.full_name, branch, sha


def bring(repository: Repository, fork: Repository, branch: str) -> None:
    """Fetch the objects of a fork's branch."""
    repository.git.run("fetch", "--quiet", str(fork.git.path), BRANCH + branch)
