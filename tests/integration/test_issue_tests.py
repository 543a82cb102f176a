"""From an issue that no red test shows to a pull request with a test of its own, over scripted ports."""

from dataclasses import replace

import pytest
from fakes import ScriptedModel
from fakes_fix import Stage
from fakes_workspace import ScriptedWorkspace, Suite
from fakes_written import FIFTY, FILES, GREEN, ISSUE, NEW, answer, running

from bot.errors import ModelError, StoreError
from bot.jobs import FixIssue, State
from bot.pipeline.ports.github import Permission
from bot.repair.types import BudgetLimits
from sandbox.spec import File

SEVENTY = b"from grades import grade\n\n\ndef test_seventy():\n    assert grade(70) == 'distinction'\n"
FIX = """\
CAUSE: the limit itself is left out
PREDICTION: 'pass'

grades.py :: grade
```python
def grade(score):
    if score >= 50:
        return 'pass'
    return 'fail'
```
"""


def stage(
    *tests: str | Exception, fixes: tuple[str, ...] = (FIX,), review: bool = False, suite: Suite = running
) -> Stage:
    """A repository whose suite is green and whose issue is real; `tests` are the tester's answers."""
    title, _, body = ISSUE.partition("\n")
    made = Stage(model=ScriptedModel(fixes, "coder"), tester=ScriptedModel(tests, "writer"))
    made.workspace = ScriptedWorkspace(FILES, suite)
    tree = {path: File(data) for path, data in FILES.items()}
    if review:
        tree[".github/regreen.yml"] = File(b"review_tests: true\n")
    made.head = made.github.add_commit("main", "green", tree)
    made.github.permissions["mona"] = Permission.WRITE
    made.issue = replace(made.issue, title=title, body=body, repository_id=3)
    return made


def approval(of: Stage, digits: str = "", sender: str = "mona") -> FixIssue:
    return replace(of.issue, delivery_id=f"a-{digits}", sender=sender, approves=digits)


def test_an_issue_that_no_test_shows_becomes_a_pull_request_with_a_new_test() -> None:
    run = stage(answer())
    assert run.run().state is State.PUBLISHED
    (pull,) = run.github.pulls
    tree = run.github.commits[run.github.branches["regreen/issue-7"]].tree
    assert tree["grades.py"].data != FILES["grades.py"]
    assert b"def test_fifty_passes" in tree[NEW].data
    assert "The test that shows it" in pull.new.body
    assert "written by writer" in pull.new.body
    assert "Nobody has reviewed it yet" in pull.new.body
    assert FIFTY in pull.new.body


def test_what_the_tester_took_is_charged_with_the_rest() -> None:
    run = stage(GREEN, answer())
    # two calls of the tester, and whatever the fix took
    assert run.run().tokens >= 2 * 120
    none_left = stage(GREEN, answer(), fixes=())
    none_left.budget = BudgetLimits(tokens=10)
    outcome = none_left.run()
    assert (outcome.state, outcome.tokens) == (State.NOT_REPRODUCED, 0)
    assert "tester could not go on" in none_left.comment


def test_an_issue_that_no_test_can_show_is_not_reproduced_and_says_what_was_tried() -> None:
    run = stage(GREEN, GREEN, answer(fails_with="AssertionError: assert 'none' == 'pass'"), fixes=())
    assert run.run().state is State.NOT_REPRODUCED
    assert run.github.pulls == []
    assert "**Could not reproduce**" in run.comment
    assert run.comment.count("passes on the present code") == 2
    assert "does not show 'none'" in run.comment


def test_red_tests_that_have_nothing_to_do_with_the_issue_are_never_chased() -> None:
    run = stage(GREEN, GREEN, GREEN, fixes=())
    run.workspace = ScriptedWorkspace({**FILES, "tests/test_other.py": SEVENTY}, running)
    assert run.run().state is State.NOT_REPRODUCED
    assert "1 test fails here already; the issue names none of them" in run.comment


def test_a_red_test_that_the_issue_names_needs_no_tester() -> None:
    run = stage(fixes=("no code", "no code", "no code"))
    run.workspace = ScriptedWorkspace({**FILES, "tests/test_other.py": SEVENTY}, running)
    run.issue = replace(run.issue, body="test_seventy is red")
    assert run.run().state is State.UNSOLVED
    assert [entry["targets"] for entry in run.journal.named("baseline")] == [["tests/test_other.py::test_seventy"]]


def test_a_red_test_that_bears_on_the_issue_is_second_best_and_is_said_to_be() -> None:
    run = stage(GREEN, GREEN, GREEN, fixes=("no code", "no code", "no code"))
    run.workspace = ScriptedWorkspace({**FILES, "tests/test_other.py": SEVENTY}, running)
    run.issue = replace(run.issue, body="With seventy points I want a distinction.")
    assert run.run().state is State.UNSOLVED
    assert "These red tests bear on it" in run.comment


def test_with_review_the_job_ends_with_the_test_shown_whole_and_the_line_that_approves_it() -> None:
    run = stage(answer(), fixes=(), review=True)
    outcome = run.run()
    (test,) = run.reviews.kept()
    assert outcome.state is State.TEST_SHOWN
    assert run.github.pulls == []
    assert test.content.decode() in run.comment
    assert f"/regreen approve {test.short}\n" in run.comment
    assert "was predicted" in run.comment
    assert "So far it took 120 tokens" in run.comment


@pytest.mark.parametrize("named", [True, False])
def test_an_approval_starts_the_fix_with_exactly_that_test_and_without_the_tester(*, named: bool) -> None:
    run = stage(answer(), review=True)
    run.run()
    (test,) = run.reviews.kept()
    # A later edit of the comment, by whoever may edit it, changes nothing of what is approved.
    run.github.comments[7][0] = replace(run.github.comments[7][0], body="def test_other(): pass")
    outcome = run.run(approval(run, test.short if named else ""))
    assert outcome.state is State.PUBLISHED
    tree = run.github.commits[run.github.branches["regreen/issue-7"]].tree
    assert tree[NEW].data == test.content
    assert "Approved by `mona`" in run.github.pulls[0].new.body


def test_an_approval_that_fits_no_test_or_several_is_refused_and_shows_them_again() -> None:
    run = stage(answer(), review=True)
    assert "no test was shown here" in _refusal(run, "")
    run.run()
    (test,) = run.reviews.kept()
    assert "begins with 00000000" in _refusal(run, "00000000")
    assert test.content.decode() in run.comment
    run.reviews.keep(replace(test, content=test.content + b"\n# again\n"))
    assert "2 tests were shown here" in _refusal(run, "")
    assert "# again" in run.comment


def _refusal(run: Stage, digits: str) -> str:
    outcome = run.run(approval(run, digits))
    assert outcome.state is State.REFUSED
    return run.github.comments[7][-1].body


def test_an_approval_is_refused_when_its_author_may_not_write_any_more() -> None:
    run = stage(answer(), review=True)
    run.run()
    run.github.permissions["mona"] = Permission.READ
    assert "may not write" in _refusal(run, "")


def test_an_approved_test_that_does_not_fail_any_more_is_not_reproduced() -> None:
    run = stage(answer(), review=True)
    run.run()
    run.workspace = ScriptedWorkspace({**FILES, "grades.py": FILES["grades.py"].replace(b">", b">=")}, running)
    assert run.run(approval(run)).state is State.NOT_REPRODUCED
    assert "does not fail any more" in run.comment
    assert "passes on the present code" in run.comment
    run.workspace = ScriptedWorkspace({**FILES, NEW: b"# somebody's own\n"}, running)
    run.run(approval(run, run.reviews.kept()[0].short))
    assert "exists by now" in run.comment.replace("\\", "")


def test_a_test_is_shown_only_after_it_was_kept() -> None:
    class Full:
        def keep(self, test: object) -> str:
            del test
            raise StoreError("A test cannot be kept", "Free space.")

        def kept(self) -> tuple[()]:
            return ()

    run = stage(answer(), fixes=(), review=True)
    run.reviews = Full()
    assert run.run().state is State.FAILED
    assert "/regreen approve" not in run.comment


def test_a_tester_that_does_not_answer_ends_the_job_with_its_cause() -> None:
    run = stage(ModelError("The model server is down", "Start it."), fixes=())
    assert run.run().state is State.FAILED
    assert "The model server is down" in run.comment


def test_a_hostile_test_shows_as_text() -> None:
    evil = answer(
        "    got = grade(50)\n    assert got == 'pass', f\"assert {got!r} == 'pass' ``` @all <b>\"  # ```` @org/team"
    )
    run = stage(evil, fixes=(), review=True)
    assert run.run().state is State.TEST_SHOWN
    fence = "`" * 5
    assert f"{fence}python\n" in run.comment
