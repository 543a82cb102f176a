"""What holds of every decision, whatever the event, the policy and whoever sends it."""

from dataclasses import replace

from drawn_events import EVENTS, KNOWN, OPERATORS, POLICIES
from hypothesis import event as seen
from hypothesis import given, settings

from bot.acts import Act, Answer, Hold
from bot.events import (
    CommitChecked,
    Event,
    InRepository,
    IssueCommented,
    IssueLabeled,
    Pushed,
)
from bot.jobs import FixCheck, FixIssue, FollowUp, Job, job_id, subject
from bot.policy import RepoPolicy
from bot.triggers import Ignore, Known, Operator, asks_policy, decide, needs, prefilter
from bot.triggers.ours import is_own
from bot.visible import without_hidden

MANY = settings(max_examples=200)


def shut(event: Event) -> Event:
    """The same event about something closed."""
    pull = getattr(event, "pull", None)
    if pull is not None:
        return replace(event, pull=replace(pull, is_open=False))
    return replace(event, is_open=False) if isinstance(event, IssueLabeled | IssueCommented) else event


@MANY
@given(EVENTS, OPERATORS, KNOWN)
def test_every_event_gives_a_job_an_act_or_a_reason_and_always_the_same(
    event: Event, operator: Operator, known: Known
) -> None:
    decision = decide(event, "d-1", operator, known)
    seen(f"{type(event).__name__} → {type(decision).__name__}")
    assert isinstance(decision, Job | Act | Ignore)
    assert not isinstance(decision, Ignore) or decision.reason
    assert decide(replace(event), "d-1", operator, known) == decision


@MANY
@given(EVENTS, OPERATORS, KNOWN)
def test_who_may_not_write_starts_and_asks_nothing(event: Event, operator: Operator, known: Known) -> None:
    decision = decide(event, "d-1", operator, replace(known, may_write=False))
    by_bot = getattr(event, "sender", "") in known.policy.bots
    if isinstance(decision, FixIssue | FollowUp | Answer | Hold):
        assert by_bot
    if isinstance(decision, FixCheck):
        assert isinstance(event, CommitChecked) or by_bot


@MANY
@given(EVENTS, OPERATORS, KNOWN)
def test_the_app_itself_starts_nothing_but_the_next_attempt_at_its_own_red_commit(
    event: Event, operator: Operator, known: Known
) -> None:
    decision = decide(event, "d-1", operator, known)
    if is_own(getattr(event, "sender", ""), operator) and not isinstance(event, CommitChecked | Pushed):
        assert isinstance(decision, Ignore)
    if isinstance(event, CommitChecked) and event.app_id == operator.app_id:
        assert isinstance(decision, Ignore)
    if isinstance(decision, FixCheck) and decision.branch.startswith("regreen/") and not decision.asked:
        assert decision.about


@MANY
@given(EVENTS, OPERATORS, KNOWN)
def test_a_bot_that_the_policy_does_not_list_starts_nothing(event: Event, operator: Operator, known: Known) -> None:
    decision = decide(event, "d-1", operator, known)
    sender = getattr(event, "sender", "")
    is_bot = getattr(event, "sender_is_bot", False) or sender.endswith("[bot]")
    if is_bot and sender not in known.policy.bots and not isinstance(event, CommitChecked):
        assert not isinstance(decision, Job | Answer | Hold)


@MANY
@given(EVENTS, OPERATORS, KNOWN)
def test_what_is_closed_starts_nothing(event: Event, operator: Operator, known: Known) -> None:
    gone = replace(known, pull=known.pull and replace(known.pull, is_open=False))
    decision = decide(shut(event), "d-1", operator, gone)
    # Red checks and buttons on a branch, and not on a pull request, are about something that cannot be closed.
    assert not isinstance(decision, Job) or (isinstance(decision, FixCheck) and not decision.pull_request)


@MANY
@given(EVENTS, OPERATORS, KNOWN)
def test_what_is_paused_starts_nothing_and_only_who_asked_is_told(
    event: Event, operator: Operator, known: Known
) -> None:
    free = decide(event, "d-1", operator, replace(known, paused=False))
    held = decide(event, "d-1", operator, replace(known, paused=True))
    if isinstance(free, Job):
        assert isinstance(held, Answer if free.asked else Ignore)
    else:
        assert held == free


@MANY
@given(EVENTS, OPERATORS, KNOWN)
def test_where_the_policy_switches_the_bot_off_or_ignores_somebody_nothing_starts(
    event: Event, operator: Operator, known: Known
) -> None:
    sender = getattr(event, "sender", "")
    for policy in ({"enabled": False}, {"ignored_authors": (sender.upper(),)}):
        less = replace(known, policy=known.policy.model_copy(update=policy))
        assert not isinstance(decide(event, "d-1", operator, less), Job | Answer | Hold)


@MANY
@given(EVENTS, OPERATORS, KNOWN)
def test_a_forks_commit_is_worked_on_only_where_somebody_asked(event: Event, operator: Operator, known: Known) -> None:
    if isinstance(event, CommitChecked):
        assert isinstance(decide(replace(event, is_fork=True), "d-1", operator, known), Ignore)
        foreign = replace(known, pull=known.pull and replace(known.pull, is_fork=True))
        decision = decide(event, "d-1", operator, foreign)
        assert not isinstance(decision, FixCheck) or not decision.pull_request


@MANY
@given(EVENTS, OPERATORS, KNOWN)
def test_a_job_holds_nothing_hidden_and_has_an_identity_of_its_subject(
    event: Event, operator: Operator, known: Known
) -> None:
    decision = decide(event, "d-1", operator, known)
    if isinstance(decision, Job):
        assert job_id(decision).startswith(f"o/r:{subject(decision)}:")
    if isinstance(decision, FollowUp):
        assert decision.text == without_hidden(decision.text)
        assert decision.about


@MANY
@given(EVENTS, OPERATORS, KNOWN)
def test_what_the_prefilter_refuses_nothing_that_is_known_can_start(
    event: Event, operator: Operator, known: Known
) -> None:
    refusal = prefilter(event, operator)
    if refusal is not None:
        assert refusal.reason
        assert decide(event, "d-1", operator, known) == refusal


@MANY
@given(EVENTS, OPERATORS, KNOWN)
def test_permission_can_only_take_something_away(event: Event, operator: Operator, known: Known) -> None:
    allowed = decide(event, "d-1", operator, replace(known, may_write=True))
    refused = decide(event, "d-1", operator, replace(known, may_write=False))
    assert refused == allowed or isinstance(refused, Ignore)
    if isinstance(event, InRepository) and refused != allowed:
        assert needs(event, known.policy).permission_of == event.sender


@MANY
@given(EVENTS, OPERATORS, KNOWN, POLICIES)
def test_what_needs_no_policy_comes_out_the_same_under_any(
    event: Event, operator: Operator, known: Known, policy: RepoPolicy
) -> None:
    if not asks_policy(event):
        other = decide(event, "d-1", operator, replace(known, policy=policy))
        assert other == decide(event, "d-1", operator, known)
