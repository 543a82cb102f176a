from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from payloads import commented, delivery, labeled, suite

from bot.events import CheckSuiteCompleted, Event, IssueCommented, IssueLabeled, Repository, Unhandled, parse
from bot.jobs import FixCheck, FixIssue
from bot.policy import RepoPolicy
from bot.triggers import Ignore, Operator, approved, decide, prefilter

OPERATOR = Operator(app_id=42, label="regreen")
ISSUE = parse(delivery(labeled()))
COMMENT = parse(delivery(commented(), "issue_comment"))
SUITE = parse(delivery(suite(), "check_suite"))

WORDS = st.sampled_from(["main", "dev", "", "regreen", "Regreen", "failure", "timed_out", "success", "stale"])
REPOSITORIES = st.builds(Repository, st.just("o/r"), st.just(1), st.sampled_from(["main", "dev"]), st.just(9))
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(IssueLabeled, REPOSITORIES, st.just(1), WORDS, WORDS, WORDS, WORDS, st.booleans(), st.booleans()),
    st.builds(
        IssueCommented,
        REPOSITORIES,
        st.just(1),
        WORDS,
        WORDS,
        st.sampled_from(["/regreen approve", "thanks"]),
        WORDS,
        st.booleans(),
        st.booleans(),
    ),
    st.builds(CheckSuiteCompleted, REPOSITORIES, st.just(1), WORDS, WORDS, WORDS, st.sampled_from([42, 7]), WORDS),
    st.builds(Unhandled, WORDS),
)
POLICIES = st.builds(
    RepoPolicy, label=st.sampled_from([None, "other"]), enabled=st.booleans(), ci=st.booleans(), draft=st.booleans()
)


def changed(event: Event, **changes: Any) -> Event:
    return replace(event, **changes)


def decided(event: Event, policy: RepoPolicy = RepoPolicy(), *, may_write: bool = True) -> Any:  # noqa: B008 - frozen
    return decide(event, "d-1", policy, OPERATOR, may_write=may_write)


def test_the_label_of_somebody_who_may_write_starts_a_fix() -> None:
    assert decided(ISSUE) == FixIssue("d-1", 99, "octo/fizz", "main", 7, "It is red", "Look", "maintainer", 1)


def test_the_approval_of_somebody_who_may_write_starts_a_fix_with_the_test_that_was_shown() -> None:
    assert decided(COMMENT) == FixIssue("d-1", 99, "octo/fizz", "main", 7, "It is red", "Look", "maintainer", 1, "")
    named = decided(changed(COMMENT, comment="/regreen approve 0123456789AB"))
    assert named.approves == "0123456789ab"


@pytest.mark.parametrize(
    ("comment", "what"),
    [
        ("/regreen approve", ""),
        ("  /Regreen  Approve \r\nthe values are right", ""),
        ("/regreen approve 0123456789abcdef", "0123456789abcdef"),
        ("/regreen approve 0123", None),
        ("/regreen approve 0123456789ab please", None),
        ("/regreen approved", None),
        ("> /regreen approve", None),
        ("I would not\n/regreen approve", None),
        ("`/regreen approve`", None),
        ("", None),
        ("/regreen" + " " * 900 + "approve", None),
    ],
)
def test_an_approval_stands_alone_on_the_first_line(comment: str, what: str | None) -> None:
    assert approved(comment) == what


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"comment": "looks good"}, "no command"),
        ({"sender_is_bot": True}, "bot"),
        ({"is_open": False}, "closed"),
    ],
)
def test_a_comment_that_starts_nothing_says_why(changes: dict[str, Any], reason: str) -> None:
    assert reason in decided(replace(COMMENT, **changes)).reason


def test_the_approval_of_a_stranger_starts_nothing() -> None:
    assert "may not write" in decided(COMMENT, may_write=False).reason


@pytest.mark.parametrize("conclusion", ["failure", "timed_out"])
def test_a_red_suite_on_the_default_branch_starts_a_fix(conclusion: str) -> None:
    job = decided(parse(delivery(suite(conclusion=conclusion), "check_suite")))
    assert isinstance(job, FixCheck)
    assert (job.branch, job.suite_id) == ("main", 5)


def test_the_policy_label_stands_in_for_the_operators() -> None:
    policy = RepoPolicy(label="please")
    assert decided(ISSUE, policy) == Ignore("another label")
    assert isinstance(decided(changed(ISSUE, label="Please"), policy), FixIssue)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"is_open": False}, "closed"),
        ({"sender_is_bot": True}, "bot"),
        ({"label": "bug"}, "another label"),
    ],
)
def test_a_label_that_starts_nothing_says_why(changes: dict[str, Any], reason: str) -> None:
    assert reason in decided(replace(ISSUE, **changes)).reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"conclusion": "success"}, "did not fail"),
        ({"conclusion": "cancelled"}, "did not fail"),
        ({"head_branch": "feature"}, "default branch"),
        ({"head_branch": None}, "default branch"),
        ({"app": {"id": 42}}, "own"),
    ],
)
def test_a_suite_that_starts_nothing_says_why(changes: dict[str, Any], reason: str) -> None:
    assert reason in decided(parse(delivery(suite(**changes), "check_suite"))).reason


def test_the_policy_switches_everything_or_red_checks_off() -> None:
    assert "switches the bot off" in decided(ISSUE, RepoPolicy(enabled=False)).reason
    assert "red checks off" in decided(SUITE, RepoPolicy(ci=False)).reason
    assert isinstance(decided(ISSUE, RepoPolicy(ci=False)), FixIssue)


@given(EVENTS, POLICIES, st.booleans())
def test_a_job_needs_every_condition_and_an_ignore_a_reason(event: Event, policy: RepoPolicy, may_write: bool) -> None:  # noqa: FBT001 - drawn
    decision = decided(event, policy, may_write=may_write)
    match decision, event:
        case FixIssue(), IssueLabeled():
            assert event.is_open
            assert not event.sender_is_bot
            assert may_write
            assert policy.enabled
            assert event.label.casefold() == (policy.label or OPERATOR.label)
        case FixIssue(), IssueCommented():
            assert event.is_open
            assert not event.sender_is_bot
            assert may_write
            assert policy.enabled
            assert decision.approves == ""
        case FixCheck(), CheckSuiteCompleted():
            assert event.app_id != OPERATOR.app_id
            assert event.head_branch == event.repository.default_branch
            assert policy.enabled
            assert policy.ci
        case Ignore(reason=reason), _:
            assert reason or isinstance(event, Unhandled)
        case _:
            pytest.fail(f"{decision} from {event}")


@given(EVENTS, POLICIES, st.booleans())
def test_what_the_prefilter_refuses_no_policy_and_no_permission_can_start(
    event: Event,
    policy: RepoPolicy,
    may_write: bool,  # noqa: FBT001 - drawn
) -> None:
    if prefilter(event, OPERATOR) is not None:
        assert isinstance(decided(event, policy, may_write=may_write), Ignore)


@given(EVENTS, POLICIES)
def test_permission_can_only_turn_a_job_into_an_ignore(event: Event, policy: RepoPolicy) -> None:
    with_it, without = decided(event, policy), decided(event, policy, may_write=False)
    assert without == with_it or isinstance(without, Ignore)
