"""REST: issues, labels, comments, reactions."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.demo import actions, shapes
from bot.demo.accounts import Kind
from bot.demo.records import Comment, Issue, Label
from bot.demo.refusal import RefusalError, forbidden, missing
from bot.demo.rest_call import Call, Handler, Reply
from bot.demo.store import LEVELS


def _may_triage(call: Call) -> bool:
    if call.caller.kind is Kind.INSTALLATION:
        return True
    return LEVELS.index(call.repository.level(call.actor.user)) >= LEVELS.index("triage")


def _writable(call: Call, issue: Issue) -> Issue:
    """An issue needs issues:write; a pull request takes pull_requests:write as well."""
    by_app = call.caller.kind is Kind.INSTALLATION
    if by_app and issue.pull is None and call.caller.permissions().get("issues") != "write":
        raise forbidden()
    return issue


def _names(labels: Any) -> list[str]:
    return [one if isinstance(one, str) else str(one["name"]) for one in labels or ()]


def _shape(call: Call, issue: Issue) -> Any:
    return shapes.issue(call.store, call.repository, issue)


def _create(call: Call) -> Reply:
    issue = actions.open_issue(call.store, call.repository, call.actor, str(call.body["title"]), call.body.get("body"))
    if _may_triage(call):
        actions.add_labels(call.store, call.repository, issue, call.actor, _names(call.body.get("labels")))
    return Reply(_shape(call, issue), 201)


def _get(call: Call) -> Reply:
    return Reply(_shape(call, call.issue))


def _update(call: Call) -> Reply:
    issue = _writable(call, call.issue)
    actions.edit_issue(call.store, call.repository, issue, call.actor, call.body)
    if "labels" in call.body:
        actions.set_labels(call.store, call.repository, issue, call.actor, _names(call.body["labels"]))
    return Reply(_shape(call, issue))


def _list(call: Call) -> Reply:
    state, labels = call.query.get("state", "open"), {n for n in call.query.get("labels", "").split(",") if n}
    creator = call.query.get("creator", "")
    found = [
        issue
        for issue in call.repository.issues.values()
        if state in {"all", issue.state} and labels <= set(issue.labels) and creator in {"", issue.author.login}
    ]
    if since := call.query.get("since"):
        found = [issue for issue in found if issue.updated >= datetime.fromisoformat(since)]
    by_update = call.query.get("sort") == "updated"
    newest_first = call.query.get("direction", "desc") == "desc"
    found.sort(key=lambda issue: (issue.updated if by_update else issue.created, issue.number), reverse=newest_first)
    return call.page(found, lambda issue: _shape(call, issue))


def _labels_shape(call: Call, issue: Issue) -> list[Any]:
    labels = call.repository.labels
    return [shapes.label(call.store, call.repository, labels[name.lower()]) for name in issue.labels]


def _add_labels(call: Call) -> Reply:
    issue = _writable(call, call.issue)
    actions.add_labels(call.store, call.repository, issue, call.actor, _names(call.body.get("labels")))
    return Reply(_labels_shape(call, issue))


def _remove_label(call: Call) -> Reply:
    issue = _writable(call, call.issue)
    actions.remove_label(call.store, call.repository, issue, call.actor, call.parameters["name"])
    return Reply(_labels_shape(call, issue))


def _issue_labels(call: Call) -> Reply:
    return call.page(_labels_shape(call, call.issue), lambda shape: shape)


def _label_shape(call: Call, label: Label) -> Any:
    return shapes.label(call.store, call.repository, label)


def _repository_labels(call: Call) -> Reply:
    return call.page(list(call.repository.labels.values()), lambda label: _label_shape(call, label))


def _create_label(call: Call) -> Reply:
    color = call.body.get("color", actions.NEW_LABEL_COLOR)
    label = actions.make_label(call.store, call.repository, call.body["name"], color, call.body.get("description"))
    return Reply(_label_shape(call, label), 201)


def _get_label(call: Call) -> Reply:
    return Reply(_label_shape(call, _label(call)))


def _label(call: Call) -> Label:
    label = call.repository.labels.get(call.parameters["name"].lower())
    if label is None:
        raise missing()
    return label


def _update_label(call: Call) -> Reply:
    label = _label(call)
    actions.edit_label(call.store, call.repository, label, call.actor, call.body)
    return Reply(_label_shape(call, label))


def _delete_label(call: Call) -> Reply:
    actions.delete_label(call.store, call.repository, _label(call), call.actor)
    return Reply(status=204)


def _set_labels(call: Call) -> Reply:
    issue = _writable(call, call.issue)
    actions.set_labels(call.store, call.repository, issue, call.actor, _names(call.body.get("labels")))
    return Reply(_labels_shape(call, issue))


def _assign(call: Call) -> Reply:
    issue = _writable(call, call.issue)
    actions.assign(call.store, call.repository, issue, call.actor, call.body.get("assignees") or ())
    return Reply(_shape(call, issue), 201)


def _unassign(call: Call) -> Reply:
    issue = _writable(call, call.issue)
    actions.unassign(call.store, call.repository, issue, call.actor, call.body["assignees"])
    return Reply(_shape(call, issue))


def _timeline(call: Call) -> Reply:
    """Only what refers to the issue from elsewhere in the repository."""
    issue, name = call.issue, re.compile(rf"(?<!\w)#{call.number('issue_number')}\b")
    found = [one for one in call.repository.issues.values() if one is not issue and name.search(one.body or "")]

    def shape(one: Issue) -> Any:
        source = {"type": "issue", "issue": _shape(call, one) | {"repository": _repository(call)}}
        moment = shapes.when(one.created)
        actor = shapes.user(call.store, one.author)
        return {
            "event": "cross-referenced",
            "created_at": moment,
            "updated_at": moment,
            "actor": actor,
            "source": source,
        }

    return call.page(found, shape)


def _repository(call: Call) -> Any:
    return shapes.repository(call.store, call.repository)


def _comment_shape(call: Call, comment: Comment) -> Any:
    return shapes.comment(call.store, call.repository, comment)


def _create_comment(call: Call) -> Reply:
    issue = _writable(call, call.issue)
    comment = actions.add_comment(call.store, call.repository, issue, call.actor, call.body["body"])
    return Reply(_comment_shape(call, comment), 201)


def _comment(call: Call) -> Comment:
    return actions.find_comment(call.repository, call.number("comment_id"))


def _get_comment(call: Call) -> Reply:
    return Reply(_comment_shape(call, _comment(call)))


def _own_or_writable(call: Call) -> Comment:
    comment = _comment(call)
    _writable(call, call.repository.issues[comment.issue])
    if comment.author.login != call.actor.user.login and not _may_triage(call):
        raise RefusalError(403, "Must have write access to edit this comment")
    return comment


def _update_comment(call: Call) -> Reply:
    comment = _own_or_writable(call)
    actions.edit_comment(call.store, call.repository, comment, call.actor, call.body["body"])
    return Reply(_comment_shape(call, comment))


def _delete_comment(call: Call) -> Reply:
    actions.delete_comment(call.store, call.repository, _own_or_writable(call), call.actor)
    return Reply(status=204)


def _comments(call: Call) -> Reply:
    comments = call.issue.comments
    if since := call.query.get("since"):
        comments = [one for one in comments if one.updated >= datetime.fromisoformat(since)]
    return call.page(comments, lambda comment: _comment_shape(call, comment))


def _all_comments(call: Call) -> Reply:
    found = sorted((c for issue in call.repository.issues.values() for c in issue.comments), key=lambda one: one.id)
    if since := call.query.get("since"):
        found = [one for one in found if one.updated >= datetime.fromisoformat(since)]
    return call.page(found, lambda comment: _comment_shape(call, comment))


def _react(call: Call) -> Reply:
    return _reaction(call, _writable(call, call.issue))


def _react_to_comment(call: Call) -> Reply:
    return _reaction(call, _comment(call))


def _reaction(call: Call, target: Issue | Comment) -> Reply:
    reaction, new = actions.react(call.store, target, call.actor, call.body["content"])
    return Reply(shapes.reaction(call.store, reaction), 201 if new else 200)


HANDLERS: Mapping[str, Handler] = {
    "issues/create": _create,
    "issues/get": _get,
    "issues/update": _update,
    "issues/list-for-repo": _list,
    "issues/add-assignees": _assign,
    "issues/remove-assignees": _unassign,
    "issues/list-events-for-timeline": _timeline,
    "issues/add-labels": _add_labels,
    "issues/remove-label": _remove_label,
    "issues/list-labels-on-issue": _issue_labels,
    "issues/list-labels-for-repo": _repository_labels,
    "issues/create-label": _create_label,
    "issues/get-label": _get_label,
    "issues/update-label": _update_label,
    "issues/delete-label": _delete_label,
    "issues/set-labels": _set_labels,
    "issues/list-comments-for-repo": _all_comments,
    "issues/create-comment": _create_comment,
    "issues/get-comment": _get_comment,
    "issues/update-comment": _update_comment,
    "issues/delete-comment": _delete_comment,
    "issues/list-comments": _comments,
    "reactions/create-for-issue": _react,
    "reactions/create-for-issue-comment": _react_to_comment,
}
