import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from payloads import SHA, commented, delivery, installed, labeled, on_pull, pushed, suite

from bot.errors import PayloadError
from bot.events import (
    MAX_BODY,
    MAX_TITLE,
    CommitChecked,
    Delivery,
    IssueCommented,
    IssueLabeled,
    Repository,
    Unhandled,
    parse,
)

REPOSITORY = Repository("octo/fizz", 1, "main", 99)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def test_a_labeled_issue_becomes_a_frozen_event() -> None:
    event = parse(delivery(labeled()))
    assert event == IssueLabeled(
        REPOSITORY, 7, "It is red", "Look", "regreen", "maintainer", sender_is_bot=False, is_open=True
    )


def test_a_comment_on_an_issue_becomes_a_frozen_event_with_the_issue_as_it_was() -> None:
    event = parse(delivery(commented("/regreen approve\nplease" + "x" * 100_000), "issue_comment"))
    assert isinstance(event, IssueCommented)
    assert (event.number, event.title, event.body, event.sender) == (7, "It is red", "Look", "maintainer")
    assert (event.sender_is_bot, event.is_open, len(event.comment)) == (False, True, MAX_BODY)
    assert (event.comment_id, event.pull_request) == (3, False)


def test_a_completed_check_suite_becomes_a_frozen_event() -> None:
    event = parse(delivery(suite(), "check_suite"))
    assert event == CommitChecked(REPOSITORY, "check_suite", 5, SHA, "main", "failure", 15368, "maintainer")


def test_a_fork_suite_without_a_branch_has_an_empty_branch() -> None:
    event = parse(delivery(suite(head_branch=None), "check_suite"))
    assert isinstance(event, CommitChecked)
    assert event.head_branch == ""


def test_an_issue_without_a_body_has_an_empty_body() -> None:
    event = parse(delivery(labeled(issue={"number": 7, "title": "t", "body": None, "state": "closed"})))
    assert isinstance(event, IssueLabeled)
    assert (event.body, event.is_open) == ("", False)


@pytest.mark.parametrize(
    ("payload", "event", "reason"),
    [
        (labeled(action="opened"), "issues", "issues.opened"),
        (labeled(), "star", "this event"),
        (labeled(installation=None), "issues", "no installation"),
        (commented(action="edited"), "issue_comment", "issue_comment.edited"),
        (commented(installation=None), "issue_comment", "no installation"),
        (labeled(action="unlabeled", label=None), "issues", "deleted"),
        (on_pull("labeled", label=None), "pull_request", "deleted"),
        (pushed(ref="refs/heads/other"), "push", "default branch"),
        (pushed(deleted=True), "push", "default branch"),
        (installed("removed", repositories_removed=[]), "installation_repositories", "no repository"),
        (labeled(issue={"number": 7, "title": "t", "state": "open", "pull_request": {}}), "issues", "pull request"),
    ],
)
def test_what_nothing_is_done_for_is_unhandled_with_the_reason(
    payload: dict[str, Any], event: str, reason: str
) -> None:
    parsed = parse(delivery(payload, event))
    assert isinstance(parsed, Unhandled)
    assert reason in parsed.reason


def test_nul_and_lone_surrogates_become_storable_text_and_long_text_is_cut() -> None:
    issue = {"number": 7, "title": "a\0b\ud800" + "x" * 5_000, "body": "\udfff" + "y" * 100_000, "state": "open"}
    event = parse(delivery(labeled(issue=issue)))
    assert isinstance(event, IssueLabeled)
    assert event.title.startswith("a\ufffdb\ufffdx")
    assert (len(event.title), len(event.body)) == (MAX_TITLE, MAX_BODY)
    assert event.body.encode()


@pytest.mark.parametrize(
    "changes",
    [
        {"issue": {"number": True, "title": "t", "state": "open"}},
        {"issue": {"number": "7", "title": "t", "state": "open"}},
        {"issue": {"number": 10**30, "title": "t", "state": "open"}},
        {"repository": {"id": 1, "full_name": "octo/../etc", "default_branch": "main"}},
        {"repository": {"id": 1, "full_name": "octo/..", "default_branch": "main"}},
        {"repository": {"id": 1, "full_name": "octo/fizz", "default_branch": "--upload-pack=x"}},
        {"repository": {"id": 1, "full_name": "octo/fizz", "default_branch": "a..b"}},
        {"sender": {"login": "a b", "type": "User"}},
        {"label": {"name": ""}},
        {"action": 3},
        {"installation": {"id": 0}},
    ],
)
def test_a_used_key_that_is_not_as_documented_is_a_payload_error(changes: dict[str, Any]) -> None:
    with pytest.raises(PayloadError):
        parse(delivery(labeled(**changes)))


@pytest.mark.parametrize(
    "body", [b"", b"\xff\xfe\x00", b"[]", b"7", b"[" * 200_000, b'{"a":' * 100_000, b"9" * 10_000, b"\x00" * 8]
)
def test_bytes_that_hold_no_json_object_are_a_payload_error(body: bytes) -> None:
    with pytest.raises(PayloadError):
        parse(Delivery("d-1", "issues", body))


def test_an_error_never_repeats_what_the_payload_held() -> None:
    with pytest.raises(PayloadError) as caught:
        parse(delivery(labeled(sender={"login": "hidden value", "type": "User"})))
    assert "hidden value" not in str(caught.value)


@given(
    st.binary() | JSON.map(lambda value: json.dumps(value).encode()),
    st.sampled_from(["issues", "issue_comment", "check_suite", "x"]),
)
def test_arbitrary_bytes_raise_nothing_but_a_payload_error(body: bytes, event: str) -> None:
    try:
        parsed = parse(Delivery("d-1", event, body))
    except PayloadError:
        return
    assert isinstance(parsed, Unhandled)


@given(st.sampled_from(sorted(labeled().keys() - {"action"})), JSON, st.booleans())
def test_one_arbitrary_value_raises_nothing_but_a_payload_error(key: str, value: Any, is_issue: bool) -> None:  # noqa: FBT001 - drawn
    payload = labeled() if is_issue else suite()
    payload[key] = value
    try:
        parse(delivery(payload, "issues" if is_issue else "check_suite"))
    except PayloadError:
        return


@given(JSON, st.sampled_from(["number", "title", "body", "state", "pull_request"]))
def test_an_arbitrary_issue_field_raises_nothing_but_a_payload_error(value: Any, key: str) -> None:
    issue = labeled()["issue"] | {key: value}
    try:
        event = parse(delivery(labeled(issue=issue)))
    except PayloadError:
        return
    if isinstance(event, IssueLabeled):
        assert len(event.title.encode()) <= 4 * MAX_TITLE
        assert "\0" not in event.title + event.body
