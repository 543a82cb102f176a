"""What happens to installations, with the webhooks that GitHub always sends. Callers hold the store's lock."""

from collections.abc import Sequence

from bot.demo import shapes
from bot.demo.accounts import Installation, User
from bot.demo.records import Repository
from bot.demo.refusal import RefusalError, missing
from bot.demo.shapes import Shape
from bot.demo.store import Store


def install(store: Store, repositories: Sequence[Repository], by: User) -> Installation:
    """Install the App on repositories of one account, or add them to what it is installed on."""
    there = next((i for i in store.installations.values() if i.account == repositories[0].owner), None)
    added = [one for one in repositories if there is None or one.full_name not in there.repositories]
    for one in repositories:
        made = store.install(one)
    if there is None:
        _announce(store, ("installation", "created"), made, by, {"repositories": _listed(added)})
    elif added:
        _announce_repositories(store, "added", made, by, added)
    return made


def leave(store: Store, repository: Repository, by: User) -> None:
    """Take one repository out of its installation."""
    found = store.installation_of(repository)
    if found is None:
        raise missing()
    found.repositories.discard(repository.full_name)
    _announce_repositories(store, "removed", found, by, [repository])


def uninstall(store: Store, one: Installation, by: User) -> None:
    """Delete the installation: its tokens are worth nothing any more."""
    repositories = [store.repository(name) for name in sorted(one.repositories)]
    del store.installations[one.id]
    store.tokens = {value: token for value, token in store.tokens.items() if token.installation != one.id}
    _announce(store, ("installation", "deleted"), one, by, {"repositories": _listed(repositories)})


def suspend(store: Store, one: Installation, by: User) -> None:
    """Suspend: from now on the App gets neither tokens nor webhooks. Refuses with 404 what is suspended already."""
    if one.suspended is not None:
        raise missing()
    one.suspended, one.suspended_by = store.now(), by
    _announce(store, ("installation", "suspend"), one, by, {"repositories": _listed_of(store, one)})


def unsuspend(store: Store, one: Installation, by: User) -> None:
    """Let it work again. Refuses with 404 what is not suspended."""
    if one.suspended is None:
        raise missing()
    one.suspended = one.suspended_by = None
    _announce(store, ("installation", "unsuspend"), one, by, {"repositories": _listed_of(store, one)})


def accept_permissions(store: Store, one: Installation, permissions: dict[str, str], by: User) -> None:
    """Grant what the App asks for by now."""
    one.permissions = dict(permissions)
    _announce(store, ("installation", "new_permissions_accepted"), one, by, {"repositories": _listed_of(store, one)})


def find(store: Store, identity: int) -> Installation:
    """The installation with this id. Refuses with 404."""
    if found := store.installations.get(identity):
        return found
    raise missing()


def require_active(one: Installation) -> None:
    """Refuse with 403 what is suspended."""
    if one.suspended is not None:
        raise RefusalError(403, "This installation has been suspended")


def _listed_of(store: Store, one: Installation) -> list[Shape]:
    return _listed([store.repository(name) for name in sorted(one.repositories)])


def _listed(repositories: Sequence[Repository]) -> list[Shape]:
    return [
        {
            "id": one.id,
            "node_id": shapes.node_id("Repository", one.id),
            "name": one.name,
            "full_name": one.full_name,
            "private": one.private,
        }
        for one in repositories
    ]


def _announce_repositories(store: Store, action: str, one: Installation, by: User, moved: Sequence[Repository]) -> None:
    none: list[Shape] = []
    lists = {"repositories_added": none, "repositories_removed": none} | {f"repositories_{action}": _listed(moved)}
    details = {"repository_selection": "selected", "requester": None, **lists}
    _announce(store, ("installation_repositories", action), one, by, details)


def _announce(store: Store, what: tuple[str, str], one: Installation, by: User, details: Shape) -> None:
    event, action = what
    payload = {
        "action": action,
        "installation": shapes.installation(store, one),
        "sender": shapes.user(store, by),
    }
    # Every App gets these, whatever it listens to, suspended or not.
    store.hooks.send(event, action, (one.id, 0), payload | details)
