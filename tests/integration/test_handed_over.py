"""A patch that could not be pushed reaches the person who asked for it, also where GitHub takes no comment with it."""

from fakes import ScriptedModel
from fakes_fix import FILES
from fakes_followup import FIXED, OURS, PullStage, reply

from bot.errors import GitHubUnavailableError
from bot.jobs import State
from sandbox.spec import File

RENAMED = reply("def grade(score):", 'def grade(score):\n    """Fifty and more pass."""')


def test_a_patch_whose_comment_is_not_taken_stands_in_the_status_comment() -> None:
    stage = PullStage(model=ScriptedModel([RENAMED]))
    theirs = {**{path: File(data) for path, data in FILES.items()}, "grades.py": File(FIXED), "mine": File(b"m")}
    stage.branches.meanwhile = lambda: stage.github.add_commit(OURS, "mine", theirs)
    put = stage.github.put_comment

    def refusing(issue: int, marker: str, body: str, *, soon: bool = False) -> str:
        if "regreen:patch=" in marker:
            raise GitHubUnavailableError("502", "Wait.")
        return put(issue, marker, body, soon=soon)

    stage.github.put_comment = refusing  # type: ignore[method-assign]  # a failure of one kind of call
    outcome = stage.run(stage.review("Please document it", {("grades.py", 1): "say what passes"}))
    assert outcome.state is State.FAILED
    assert "got other commits" in outcome.headline
    assert stage.status.startswith("**Not pushed**")
    assert '+    """Fifty and more pass."""' in stage.status
    assert "the patch is in the status comment" in stage.replies[0]
