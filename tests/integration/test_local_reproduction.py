"""`regreen fix --issue-file`: a test is written for what is reported, and comes with the fix."""

from fakes import FakeClock, MemoryJournal, ScriptedModel
from fakes_workspace import BASE, ScriptedWorkspace
from fakes_written import FILES, GREEN, ISSUE, answer, running
from test_issue_tests import FIX

from bot.errors import ModelError
from bot.pipeline.local import NO_ISSUE, LocalReport, LocalState, fix_local
from bot.pipeline.mend import Terms
from bot.pipeline.ports.job import LoopPorts
from bot.pipeline.steps import Steps
from bot.repair.team.roles import Models
from bot.repair.types import BudgetLimits

TITLE, _, TEXT = ISSUE.partition("\n")


def fixed(
    *tests: str | Exception,
    about: tuple[str, str] = (TITLE, TEXT),
    fixes: tuple[str, ...] = (FIX,),
    budget: BudgetLimits | None = None,
) -> LocalReport:
    models = Models(coder=ScriptedModel(fixes, "coder"), tester=ScriptedModel(tests, "writer"))
    journal = MemoryJournal()
    ports = LoopPorts(ScriptedWorkspace(FILES, running), models, FakeClock(), journal)
    return fix_local(BASE, about, ports, Terms(budget or BudgetLimits()), Steps(FakeClock(), journal))


def test_the_fix_of_what_was_reported_brings_its_test_along() -> None:
    report = fixed(answer())
    assert (report.state, report.good) == (LocalState.SOLVED, True)
    assert report.patch
    assert report.patch.paths == ("grades.py", "tests/test_reported.py")
    assert "+++ b/grades.py" in report.diff
    assert "+++ b/tests/test_reported.py" in report.diff
    assert report.as_json()["written_test"]["counts"] is True
    assert any("New test tests/test_reported.py: fails with AssertionError" in line for line in report.lines())


def test_what_no_test_can_show_is_not_reproduced_and_not_well() -> None:
    report = fixed(GREEN, GREEN, GREEN, fixes=())
    assert (report.state, report.good, report.patch, report.diff) == (LocalState.NOT_REPRODUCED, False, None, "")
    assert sum("passes on the present code" in line for line in report.lines()) == 3
    assert report.lines()[-1].startswith("Could not reproduce")


def test_why_nobody_could_go_on_writing_is_said_to_people_and_to_machines() -> None:
    down = fixed(GREEN, ModelError("The server is down", "Start it."), fixes=())
    assert down.as_json()["written_test"]["stopped"] == "The server is down"
    assert any("the tester could not go on: The server is down" in line for line in down.lines())
    poor = fixed(fixes=(), budget=BudgetLimits(tokens=10))
    assert poor.state is LocalState.NOT_REPRODUCED
    assert "0 of 10 tokens used" in poor.as_json()["written_test"]["stopped"]


def test_where_nothing_is_reported_no_test_is_written() -> None:
    report = fixed(about=NO_ISSUE, fixes=())
    assert (report.state, report.as_json()["written_test"]) == (LocalState.GREEN, None)
