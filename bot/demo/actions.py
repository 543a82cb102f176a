"""What happens to issues, comments and labels, with the webhooks that follow. Callers hold the store's lock."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.demo import shapes, shapes_code
from bot.demo.accounts import User
from bot.demo.records import Comment, Issue, Label, Reaction, Repository, ReviewComment
from bot.demo.refusal import invalid, missing
from bot.demo.shapes import Shape
from bot.demo.store import Store

LONGEST_BODY = 65_536
LONGEST_TITLE = 256
NEW_LABEL_COLOR = "ededed"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts; `via_app` when an installation token does."""

    user: User
    via_app: bool = False


def announce(store: Store, what: tuple[str, str], repository: Repository, actor: User, details: Shape) -> None:
    """Send the webhook (event, action) with what every payload carries."""
    event, action = what
    installation = store.installation_of(repository)
    if installation is None:
        return
    payload: Shape = {"action": action} if action else {}
    payload |= details
    payload["repository"] = shapes.repository(store, repository)
    payload["sender"] = shapes.user(store, actor)
    payload["installation"] = {
        "id": installation.id,
        "node_id": shapes.node_id("Installation", installation.id),
    }
    store.emit(event, action, repository, payload)


def check_text(resource: str, title: str | None, body: str | None) -> None:
    """Refuse what GitHub finds too long. Its limit counts characters."""
    if title is not None and not title.strip():
        raise invalid(resource, "title", "title can't be blank", "missing_field")
    if title is not None and len(title) > LONGEST_TITLE:
        raise invalid(resource, "title", f"title is too long (maximum is {LONGEST_TITLE} characters)")
    if body is not None and len(body) > LONGEST_BODY:
        raise invalid(resource, "body", f"body is too long (maximum is {LONGEST_BODY} characters)")


def open_issue(store: Store, repository: Repository, actor: Actor, title: str, body: str | None) -> Issue:
    """File an issue."""
    check_text("Issue", title, body)
    issue = _new_issue(store, repository, actor, title, body)
    _announce_issue(store, "opened", repository, issue, actor.user)
    return issue


def new_number(repository: Repository) -> int:
    """The next number of the row that issues and pull requests share."""
    return max(repository.issues, default=0) + 1


def _new_issue(store: Store, repository: Repository, actor: Actor, title: str, body: str | None) -> Issue:
    now, number = store.now(), new_number(repository)
    issue = Issue(store.next_id(), number, title, body, actor.user, now, now, via_app=actor.via_app)
    repository.issues[number] = issue
    return issue


def edit_issue(store: Store, repository: Repository, issue: Issue, actor: Actor, changes: dict[str, Any]) -> None:
    """Change title, body or state, as both issues/update and pulls/update do."""
    check_text("Issue", changes.get("title"), changes.get("body"))
    before = {"title": issue.title, "body": issue.body}
    now = store.now()
    issue.title = changes.get("title") or issue.title
    issue.body = changes.get("body", issue.body)
    issue.updated = now
    edited = {key: {"from": value} for key, value in before.items() if getattr(issue, key) != value}
    if edited:
        _announce_issue(store, "edited", repository, issue, actor.user, {"changes": edited})
    wanted = changes.get("state", issue.state)
    if wanted == "open" and issue.pull is not None and issue.pull.merged:
        raise invalid("PullRequest", "state", "state cannot be changed. The pull request was merged.")
    if wanted != issue.state:
        issue.state = wanted
        issue.closed = now if wanted == "closed" else None
        if issue.pull is None:
            fallback = "completed" if wanted == "closed" else "reopened"
            issue.state_reason = changes.get("state_reason") or fallback
        _announce_issue(store, "closed" if wanted == "closed" else "reopened", repository, issue, actor.user)


def assign(store: Store, repository: Repository, issue: Issue, actor: Actor, logins: Sequence[str]) -> None:
    """Assign people; GitHub ignores in silence who cannot write and took no part."""
    for login in logins:
        who = store.users.get(login.lower())
        known = who is not None and repository.level(who) not in {"none", "read"}
        if who is not None and known and who.login not in issue.assignees:
            issue.assignees.append(who.login)
            details = {"assignee": shapes.user(store, who)}
            _announce_issue(store, "assigned", repository, issue, actor.user, details)


def unassign(store: Store, repository: Repository, issue: Issue, actor: Actor, logins: Sequence[str]) -> None:
    """Assign people no more."""
    for login in [one for one in issue.assignees if one.lower() in {name.lower() for name in logins}]:
        issue.assignees.remove(login)
        details = {"assignee": shapes.user(store, store.user(login))}
        _announce_issue(store, "unassigned", repository, issue, actor.user, details)


def make_label(store: Store, repository: Repository, name: str, color: str, description: str | None = None) -> Label:
    """Add a label to the repository's list."""
    if name.lower() in repository.labels:
        raise invalid("Label", "name", "already exists", "already_exists")
    label = Label(store.next_id(), name, color, description)
    repository.labels[name.lower()] = label
    return label


def add_labels(store: Store, repository: Repository, issue: Issue, actor: Actor, names: Sequence[str]) -> None:
    """Put labels on an issue; GitHub makes the ones that the repository lacks."""
    for name in names:
        label = repository.labels.get(name.lower()) or make_label(store, repository, name, NEW_LABEL_COLOR)
        if label.name not in issue.labels:
            issue.labels.append(label.name)
            issue.updated = store.now()
            details = {"label": shapes.label(store, repository, label)}
            _announce_issue(store, "labeled", repository, issue, actor.user, details)


def remove_label(store: Store, repository: Repository, issue: Issue, actor: Actor, name: str) -> None:
    """Take a label off an issue. Refuses with 404 where it is not on."""
    label = repository.labels.get(name.lower())
    if label is None or label.name not in issue.labels:
        raise missing()
    issue.labels.remove(label.name)
    issue.updated = store.now()
    details = {"label": shapes.label(store, repository, label)}
    _announce_issue(store, "unlabeled", repository, issue, actor.user, details)


def set_labels(store: Store, repository: Repository, issue: Issue, actor: Actor, names: Sequence[str]) -> None:
    """Let an issue have these labels and no others."""
    for name in [one for one in issue.labels if one not in names]:
        remove_label(store, repository, issue, actor, name)
    add_labels(store, repository, issue, actor, names)


def edit_label(store: Store, repository: Repository, label: Label, actor: Actor, changes: dict[str, Any]) -> None:
    """Rename or repaint a label, on every issue that has it."""
    name = changes.get("new_name", label.name)
    if name.lower() != label.name.lower() and name.lower() in repository.labels:
        raise invalid("Label", "name", "already exists", "already_exists")
    before = {"name": label.name, "color": label.color, "description": label.description}
    del repository.labels[label.name.lower()]
    repository.labels[name.lower()] = label
    for issue in repository.issues.values():
        issue.labels = [name if one == label.name else one for one in issue.labels]
    label.name, label.color = name, changes.get("color", label.color)
    label.description = changes.get("description", label.description)
    edited = {key: {"from": old} for key, old in before.items() if getattr(label, key) != old}
    _announce_label(store, "edited", repository, label, actor, {"changes": edited})


def delete_label(store: Store, repository: Repository, label: Label, actor: Actor) -> None:
    """Delete a label, also from the issues that have it."""
    for issue in repository.issues.values():
        if label.name in issue.labels:
            remove_label(store, repository, issue, actor, label.name)
    del repository.labels[label.name.lower()]
    _announce_label(store, "deleted", repository, label, actor, {})


def _announce_label(
    store: Store, action: str, repository: Repository, label: Label, actor: Actor, details: Shape
) -> None:
    shape = {"label": shapes.label(store, repository, label)}
    announce(store, ("label", action), repository, actor.user, shape | details)


def add_comment(store: Store, repository: Repository, issue: Issue, actor: Actor, body: str) -> Comment:
    """Write a comment."""
    check_text("IssueComment", None, body)
    if not body.strip():
        raise invalid("IssueComment", "body", "Body cannot be blank", "unprocessable")
    now = store.now()
    comment = Comment(store.next_id(), issue.number, actor.user, body, now, now, via_app=actor.via_app)
    issue.comments.append(comment)
    issue.updated = now
    _announce_comment(store, "created", repository, comment, actor.user)
    return comment


def edit_comment(store: Store, repository: Repository, comment: Comment, actor: Actor, body: str) -> None:
    """Replace a comment's text."""
    check_text("IssueComment", None, body)
    previous, comment.body, comment.updated = comment.body, body, store.now()
    _announce_comment(store, "edited", repository, comment, actor.user, {"changes": {"body": {"from": previous}}})


def delete_comment(store: Store, repository: Repository, comment: Comment, actor: Actor) -> None:
    """Delete a comment."""
    repository.issues[comment.issue].comments.remove(comment)
    _announce_comment(store, "deleted", repository, comment, actor.user)


def find_comment(repository: Repository, identity: int) -> Comment:
    """The comment with this id. Refuses with 404."""
    found = (c for issue in repository.issues.values() for c in issue.comments if c.id == identity)
    if comment := next(found, None):
        return comment
    raise missing()


def react(store: Store, target: Issue | Comment | ReviewComment, actor: Actor, content: str) -> tuple[Reaction, bool]:
    """React; the second value is `False` where this user's same reaction was there."""
    for one in target.reactions:
        if one.content == content and one.user.login == actor.user.login:
            return one, False
    reaction = Reaction(store.next_id(), actor.user, content, store.now())
    target.reactions.append(reaction)
    return reaction, True


def _announce_issue(
    store: Store, action: str, repository: Repository, issue: Issue, actor: User, details: Shape | None = None
) -> None:
    if issue.pull is None:
        shape = {"issue": shapes.issue(store, repository, issue)}
        announce(store, ("issues", action), repository, actor, shape | (details or {}))
    else:
        announce_pull(store, action, repository, issue, actor, details)


def announce_pull(
    store: Store, action: str, repository: Repository, issue: Issue, actor: User, details: Shape | None = None
) -> None:
    """Send a `pull_request` webhook."""
    if issue.pull is None:
        return
    shape = {"number": issue.number, "pull_request": shapes_code.pull_full(store, repository, issue, issue.pull)}
    announce(store, ("pull_request", action), repository, actor, shape | (details or {}))


def _announce_comment(
    store: Store, action: str, repository: Repository, comment: Comment, actor: User, details: Shape | None = None
) -> None:
    issue = repository.issues[comment.issue]
    shape = {
        "issue": shapes.issue(store, repository, issue),
        "comment": shapes.comment(store, repository, comment),
    }
    announce(store, ("issue_comment", action), repository, actor, shape | (details or {}))
