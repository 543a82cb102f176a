"""REST: reviews, review comments and their replies."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from bot.demo import actions, diff_lines, review_actions, shapes, shapes_reviews
from bot.demo.records import Review, ReviewComment
from bot.demo.refusal import RefusalError, invalid
from bot.demo.rest_call import Call, Handler, Reply
from bot.demo.review_actions import NewRemark, NewReview, Thread


def _thread(call: Call) -> Thread:
    return Thread.of(call.repository, call.pull)


def _simply(handler: Handler) -> Handler:
    """These operations describe the errors of a 422 as texts."""

    def simple(call: Call) -> Reply:
        try:
            return handler(call)
        except RefusalError as error:
            texts = [one["message"] if isinstance(one, dict) else one for one in error.errors or ()]
            raise RefusalError(error.status, error.message, texts or None) from None

    return simple


def _review_shape(call: Call, review: Review) -> Any:
    return shapes_reviews.review(call.store, call.repository, call.pull, review)


def _review(call: Call) -> Review:
    return review_actions.find_review(_thread(call), call.number("review_id"), call.actor.user)


def _reviews(call: Call) -> Reply:
    mine = call.actor.user.login
    seen = [one for one in _thread(call).pull.reviews if one.state != "PENDING" or one.author.login == mine]
    return call.page(seen, lambda one: _review_shape(call, one))


def _get_review(call: Call) -> Reply:
    return Reply(_review_shape(call, _review(call)))


def _create_review(call: Call) -> Reply:
    remarks = [_remark(one) for one in call.body.get("comments") or ()]
    event, body = call.body.get("event", ""), call.body.get("body") or ""
    new = NewReview(event, body, remarks, _commit(call, call.body.get("commit_id", "")))
    made = review_actions.write_review(call.store, _thread(call), call.actor, new)
    return Reply(_review_shape(call, made))


def _commit(call: Call, sha: str) -> str:
    pull = _thread(call).pull
    git = call.repository.git
    if sha and (git.type(sha) != "commit" or not git.is_ancestor(sha, pull.head_sha)):
        raise invalid("PullRequestReview", "commit_id", "commit_id is not part of the pull request", "invalid")
    return sha


def _remark(given: Mapping[str, Any]) -> NewRemark:
    return NewRemark(
        given["path"],
        given["body"],
        given.get("line"),
        given.get("start_line"),
        given.get("side") or diff_lines.RIGHT,
        given.get("position"),
    )


def _update_review(call: Call) -> Reply:
    review = _review(call)
    review_actions.edit_review(call.store, _thread(call), review, call.actor, call.body["body"])
    return Reply(_review_shape(call, review))


def _submit_review(call: Call) -> Reply:
    review, body = _review(call), call.body.get("body") or ""
    review_actions.submit_review(call.store, _thread(call), review, call.actor, call.body["event"], body)
    return Reply(_review_shape(call, review))


def _dismiss_review(call: Call) -> Reply:
    review = _review(call)
    review_actions.dismiss_review(call.store, _thread(call), review, call.actor)
    return Reply(_review_shape(call, review))


def _shown(call: Call, remarks: Sequence[ReviewComment]) -> list[ReviewComment]:
    hidden = {r.id for i in call.repository.issues.values() if i.pull for r in i.pull.reviews if r.state == "PENDING"}
    kept = [one for one in remarks if one.review not in hidden]
    if since := call.query.get("since"):
        kept = [one for one in kept if one.updated >= datetime.fromisoformat(since)]
    by_update = call.query.get("sort") == "updated"
    newest_first = call.query.get("direction") == "desc"
    return sorted(kept, key=lambda one: (one.updated if by_update else one.created, one.id), reverse=newest_first)


def _remarks_of_review(call: Call) -> Reply:
    review, where = _review(call), _thread(call)

    def shape(one: ReviewComment) -> Any:
        # This list alone says so of what is out of date.
        return {"position": None} | shapes_reviews.remark(call.store, call.repository, where.issue, one)

    return call.page([one for one in where.pull.remarks if one.review == review.id], shape)


def _remarks(call: Call) -> Reply:
    where = _thread(call)
    shown = _shown(call, where.pull.remarks)
    return call.page(shown, lambda one: shapes_reviews.remark(call.store, call.repository, where.issue, one))


def _all_remarks(call: Call) -> Reply:
    issues = {one.id: issue for issue in call.repository.issues.values() if issue.pull for one in issue.pull.remarks}
    all_of_them = [one for issue in call.repository.issues.values() if issue.pull for one in issue.pull.remarks]
    shown = _shown(call, all_of_them)
    return call.page(shown, lambda one: shapes_reviews.remark(call.store, call.repository, issues[one.id], one))


def _found(call: Call) -> tuple[Thread, ReviewComment]:
    return review_actions.find_remark(call.repository, call.number("comment_id"))


def _shape(call: Call, where: Thread, remark: ReviewComment) -> Any:
    return shapes_reviews.remark(call.store, call.repository, where.issue, remark)


def _get_remark(call: Call) -> Reply:
    return Reply(_shape(call, *_found(call)))


def _create_remark(call: Call) -> Reply:
    where = _thread(call)
    if answered := call.body.get("in_reply_to"):
        _, first = review_actions.find_remark(call.repository, int(answered))
        made = review_actions.reply(call.store, where, call.actor, first, call.body["body"])
    else:
        commit = _commit(call, call.body["commit_id"])
        made = review_actions.write_remark(call.store, where, call.actor, _remark(call.body), commit)
    return Reply(_shape(call, where, made), 201)


def _reply(call: Call) -> Reply:
    where, first = _found(call)
    made = review_actions.reply(call.store, where, call.actor, first, call.body["body"])
    return Reply(_shape(call, where, made), 201)


def _update_remark(call: Call) -> Reply:
    where, remark = _found(call)
    review_actions.edit_remark(call.store, where, remark, call.actor, call.body["body"])
    return Reply(_shape(call, where, remark))


def _delete_remark(call: Call) -> Reply:
    where, remark = _found(call)
    review_actions.delete_remark(call.store, where, remark, call.actor)
    return Reply(status=204)


def _react(call: Call) -> Reply:
    _, remark = _found(call)
    reaction, new = actions.react(call.store, remark, call.actor, call.body["content"])
    return Reply(shapes.reaction(call.store, reaction), 201 if new else 200)


def _asked(call: Call) -> Reply:
    people = [shapes.user(call.store, call.store.user(login)) for login in _thread(call).pull.reviewers]
    return Reply({"users": people, "teams": []})


HANDLERS: Mapping[str, Handler] = {
    "pulls/list-reviews": _reviews,
    "pulls/get-review": _get_review,
    "pulls/create-review": _simply(_create_review),
    "pulls/update-review": _simply(_update_review),
    "pulls/submit-review": _simply(_submit_review),
    "pulls/dismiss-review": _simply(_dismiss_review),
    "pulls/list-comments-for-review": _remarks_of_review,
    "pulls/list-review-comments": _remarks,
    "pulls/list-review-comments-for-repo": _all_remarks,
    "pulls/get-review-comment": _get_remark,
    "pulls/create-review-comment": _create_remark,
    "pulls/create-reply-for-review-comment": _reply,
    "pulls/update-review-comment": _update_remark,
    "pulls/delete-review-comment": _delete_remark,
    "pulls/list-requested-reviewers": _asked,
    "reactions/create-for-pull-request-review-comment": _react,
}
