"""What jobs spend: held before, settled after, shown, and refused with its reason once a budget is used up."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count

import pytest
from fakes import ScriptedModel
from fakes_desk import FakePulls
from fakes_fix import Stage, grading
from fakes_labels import FakeLabels
from fakes_ledger import MemoryLedger

from bot import policy as policies
from bot.acts import Answer, What
from bot.errors import StoreError, SuiteTimeoutError
from bot.jobs import FollowUp, Job, State, job_id
from bot.pipeline.intake.site import Site
from bot.pipeline.spending.ledger import (
    Account,
    Allowance,
    Balance,
    SpendingLimits,
    account,
    allowance,
    asked_by_a_person,
    told,
)
from bot.pipeline.spending.purse import Charged, Purse, settle_forgotten
from bot.pipeline.spending.statement import LedgerStatement
from bot.policy import RepoPolicy
from bot.policy.model import BudgetPolicy
from bot.repair.team.capabilities import assumed
from bot.repair.team.facts import Facts, ModelFacts
from bot.repair.types import BudgetLimits, Completion, CompletionLimits, Message, Usage
from sandbox.spec import File, TestResult

CAN = replace(assumed(""), search=False, samples=0, reflect=False)
PRICED = Facts(ModelFacts(can=CAN, prompt_price=1.0, completion_price=1.0))
FREE = Facts(ModelFacts(can=CAN))
WIDE = Allowance(run=2.0, pull_request=10.0, repository_day=20.0, installation_day=50.0, attempts=3)


def answers(*bounds: str, dollars: float = 0.125) -> ScriptedModel:
    """A coder that tries these bounds, each for this price."""
    return ScriptedModel([reply(bound, dollars) for bound in bounds])


def reply(bound: str, dollars: float) -> Completion:
    edit = f"<<<<<<< SEARCH\n    if score > 50:\n=======\n    if {bound}:\n>>>>>>> REPLACE\n"
    text = f"CAUSE: x\nPREDICTION: y\ngrades.py\n{edit}"
    return Completion(text, "stop", Usage(100, 20, dollars), "scripted")


def used_up(**spent: float) -> MemoryLedger:
    return MemoryLedger(before=replace(Balance(WIDE), **spent))


def test_a_run_settles_what_its_answers_cost_and_shows_it_in_the_pull_request() -> None:
    stage = Stage(model=answers("score > 60", "score >= 50"), facts=PRICED)
    outcome = stage.run()
    assert outcome.state is State.PUBLISHED
    assert outcome.dollars == 0.25
    assert stage.ledger.spent == {job_id(stage.issue): 0.25}
    (pull,) = stage.github.pulls
    assert "Spent so far: $0.25 of $10.00 here in 1 run, $0.25 of $20.00 in this repository" in pull.new.body


@pytest.mark.parametrize(
    ("spent", "said"),
    [
        ({"pull_request": 10.0}, "this issue or pull request is used up: $10.00 of $10.00"),
        ({"repository_day": 20.0}, "this repository within 24 hours is used up: $20.00 of $20.00"),
        ({"installation_day": 50.0}, "the whole installation within 24 hours is used up: $50.00 of $50.00"),
        ({"attempts": 3}, "3 runs were made for this already"),
    ],
)
def test_what_is_used_up_refuses_the_run_with_its_reason_before_anything_is_spent(
    spent: dict[str, float], said: str
) -> None:
    model = answers()
    stage = Stage(model=model, facts=PRICED, ledger=used_up(**spent))
    assert stage.run().state is State.REFUSED
    assert said in stage.comment
    assert model.prompts == []
    assert [entry["step"] for entry in stage.journal.named("step_started")] == ["admit"]


def test_a_free_model_needs_no_money_and_no_search_does() -> None:
    for stage in (Stage(model=answers("score >= 50", dollars=0.0), facts=FREE), Stage()):
        stage.ledger = used_up(pull_request=10.0, repository_day=99.0)
        assert stage.run().state is State.PUBLISHED


def test_a_runs_own_budget_is_what_is_left_where_that_is_less() -> None:
    ledger = used_up(repository_day=19.5)
    budget = Purse(Stage().issue, ledger).reserve(BudgetLimits(dollars=2.0), RepoPolicy(), SpendingLimits(), free=False)
    assert isinstance(budget, BudgetLimits)
    assert budget.dollars == 0.5


def test_a_run_that_fails_midway_settles_what_it_had_spent() -> None:
    @dataclass
    class Collapsing:
        """Runs the suite until a model has been asked."""

        model: ScriptedModel

        def __call__(self, files: Mapping[str, bytes]) -> dict[str, TestResult]:
            if self.model.prompts:
                raise SuiteTimeoutError("the suite hangs", "Find out why.")
            return grading(files)

    model = answers("score >= 50")
    stage = Stage(model=model, facts=PRICED)
    stage.suite = Collapsing(model)
    outcome = stage.run()
    assert outcome.state in {State.FAILED, State.UNSOLVED}
    assert outcome.dollars == 0.125
    assert stage.ledger.spent == {job_id(stage.issue): 0.125}


def test_a_ledger_that_fails_ends_the_run_before_it_spends() -> None:
    model = answers()
    stage = Stage(model=model, facts=PRICED, ledger=MemoryLedger(failure=StoreError("The database failed", "Look.")))
    assert stage.run().state is State.FAILED
    assert model.prompts == []


def jobs() -> Iterable[Job]:
    stage = Stage()
    yield replace(stage.issue, repository_id=9)
    yield replace(stage.check(), about="issue-7", repository_id=9, repository="O/R")
    yield FollowUp("d3", 5, "o/r", 8, "issue-7", "regreen/issue-7", 77, "mona", "change it", repository_id=9)


def test_label_check_and_review_of_one_pull_request_share_an_account() -> None:
    assert {account(job) for job in jobs()} == {Account(5, "o/r", "issue-7")}


def test_only_a_persons_command_may_go_beyond_the_attempts_and_only_as_many_again() -> None:
    issue, check, review = jobs()
    assert not any(map(asked_by_a_person, (issue, check, review)))
    commands = (
        replace(issue, asked=True),
        replace(issue, approves=""),
        replace(check, asked=True),
        replace(review, review=0),
    )
    assert all(map(asked_by_a_person, commands))
    policy = RepoPolicy(max_attempts=4)
    limits = SpendingLimits()
    assert allowance(1.0, limits, policy).attempts == 4
    assert allowance(1.0, limits, policy, asked=True).attempts == 8


def test_a_policy_file_lowers_budgets_and_never_raises_them() -> None:
    policy = RepoPolicy(budget=BudgetPolicy(pull_request=1.0, repository_day=1000.0, installation_day=0.0))
    allowed = allowance(2.0, SpendingLimits(), policy)
    assert (allowed.pull_request, allowed.repository_day, allowed.installation_day) == (1.0, 20.0, 0.0)


def test_the_status_says_what_was_spent_and_what_is_allowed() -> None:
    line = told(Balance(WIDE, pull_request=0.0042, repository_day=3.5, attempts=2))
    assert line == (
        "Spent so far: $0.0042 of $10.00 here in 2 runs, $3.50 of $20.00 in this repository within 24 hours."
    )


def test_whoever_asks_where_a_subject_stands_is_told_what_it_cost_by_the_policys_limits() -> None:
    stage = Stage(model=answers("score >= 50"), facts=PRICED)
    stage.run()
    stage.github.add_commit("main", "policy", {policies.PATH: File(b"budget: {pull_request: 1.0}\n")})
    pulls = FakePulls()
    site = Site("o/r", stage.github, FakeLabels(), pulls)
    statement = LedgerStatement(stage.ledger, SpendingLimits(), lambda *_: site)
    act = Answer("o/r", 5, "issue-7", 7, "mona", What.STATUS)
    assert statement(act).startswith("Spent so far: $0.1250 of $1.00 here in 1 run, $0.1250 of $20.00")
    stage.ledger.failure = StoreError("The database failed", "Look.")
    assert statement(act) == ""


@dataclass
class Charges:
    """`Spends` that remembers."""

    charged: list[tuple[str, float]]
    ended: tuple[str, ...] = ()

    def charge(self, identity: str, call: str, dollars: float) -> None:
        self.charged.append((f"{identity} {call}", dollars))

    def forgotten(self) -> tuple[str, ...]:
        return self.ended

    def settle(self, identity: str, dollars: float) -> None:
        self.charged.append((f"settled {identity}", dollars))


def test_each_call_is_charged_as_it_is_answered_and_one_that_cost_nothing_is_not() -> None:
    spends = Charges([])
    model = ScriptedModel([reply("x", 0.5), reply("x", 0.0), reply("x", 0.25)])
    charged = Charged(model, spends, "job", map(str, count(1)).__next__)
    for _ in range(3):
        charged.complete((Message("user", "?"),), CompletionLimits())
    assert spends.charged == [("job 1", 0.5), ("job 2", 0.25)]


def test_jobs_that_ended_without_settling_keep_what_they_were_charged() -> None:
    spends = Charges([], ("a", "b"))
    assert settle_forgotten(spends) == 2
    assert spends.charged == [("settled a", 0.0), ("settled b", 0.0)]
