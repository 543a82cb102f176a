"""Any one value of a delivery replaced or left out: it is read, or refused as not being what GitHub documents."""

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from deciding import OPERATOR, WRITER
from hypothesis import event as seen
from hypothesis import given, settings
from hypothesis import strategies as st
from payloads import (
    check_run,
    commented,
    installed,
    labeled,
    line_commented,
    listed,
    on_pull,
    pushed,
    reviewed,
    status,
    suite,
    workflow_run,
)

from bot.errors import PayloadError
from bot.events import MAX_BODY, Delivery, parse
from bot.events.parsing import KINDS
from bot.jobs import Job, job_id, subject
from bot.triggers import Ignore, decide, needs

ONE = [{"full_name": "octo/fizz", "id": 1}]
DELIVERIES: list[tuple[str, dict[str, Any]]] = [
    *[("issues", labeled(action=action)) for action in ("labeled", "unlabeled", "closed", "deleted", "transferred")],
    ("issue_comment", commented("/regreen fix")),
    *[("pull_request", on_pull(action)) for action in ("labeled", "unlabeled", "closed")],
    ("pull_request_review", reviewed()),
    ("pull_request_review_comment", line_commented()),
    ("pull_request_review_thread", on_pull("unresolved", thread={"comments": [{"id": 1, "body": "no"}]})),
    ("check_suite", suite(pull_requests=[listed()])),
    ("check_suite", suite(app={"id": 42}) | {"action": "rerequested"}),
    ("check_run", check_run(pull_requests=[listed()], app={"id": 7})),
    ("check_run", check_run("rerequested")),
    ("check_run", check_run("requested_action", "fix")),
    ("workflow_run", workflow_run(pull_requests=[listed()])),
    ("status", status()),
    ("push", pushed("a.py", ".github/regreen.yml")),
    *[("repository", labeled(action=action)) for action in ("archived", "deleted")],
    ("repository", labeled(action="renamed", changes={"repository": {"name": {"from": "buzz"}}})),
    ("repository", labeled(action="transferred", changes={"owner": {"from": {"user": {"login": "tom"}}}})),
    *[("installation", installed(one, repositories=ONE)) for one in ("created", "deleted", "suspend", "unsuspend")],
    ("installation", installed("new_permissions_accepted")),
    ("installation_repositories", installed("added", repositories_added=ONE)),
    ("installation_repositories", installed("removed", repositories_removed=ONE)),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
ODD = JSON | st.sampled_from(["x" * 100_000, "\ud800", "a/b/../c", "\0", "<!--", -1, 0, 2**63, 10**40, [[]] * 200, {}])


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to every value in a payload."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield (*at, key)
        yield from places(inner, (*at, key))


def replaced(payload: dict[str, Any], place: tuple[Any, ...], value: Any, *, left_out: bool) -> dict[str, Any]:
    changed: dict[str, Any] = json.loads(json.dumps(payload))
    holder: Any = changed
    for key in place[:-1]:
        holder = holder[key]
    if left_out:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    return changed


def bounded(value: Any) -> bool:
    """Whether no text in an event is longer than the longest that GitHub stores, and none is unstorable."""
    if isinstance(value, str):
        return len(value) <= MAX_BODY and "\0" not in value and bool(value.encode() or True)
    if is_dataclass(value):
        return all(bounded(getattr(value, one.name)) for one in fields(value))
    return all(map(bounded, value)) if isinstance(value, tuple | frozenset) else True


def test_every_kind_is_among_them() -> None:
    assert {f"{event}.{payload['action']}" if "action" in payload else event for event, payload in DELIVERIES} == KINDS


@settings(max_examples=400)
@given(st.sampled_from(DELIVERIES), st.data(), ODD, st.booleans())
def test_one_odd_or_missing_value_raises_nothing_but_a_payload_error(
    delivery: tuple[str, dict[str, Any]],
    data: st.DataObject,
    value: Any,
    left_out: bool,  # noqa: FBT001 - drawn
) -> None:
    name, payload = delivery
    place = data.draw(st.sampled_from(list(places(payload))))
    body = json.dumps(replaced(payload, place, value, left_out=left_out)).encode()
    try:
        event = parse(Delivery("d-1", name, body))
    except PayloadError:
        seen("refused")
        return
    decision = decide(event, "d-1", OPERATOR, WRITER)
    needs(event, WRITER.policy)
    seen(type(decision).__name__)
    assert bounded(event)
    assert not isinstance(decision, Ignore) or decision.reason
    if isinstance(decision, Job):
        assert job_id(decision)
        assert subject(decision)
