"""What people are told who asked: short texts from what is kept of a subject's runs. Pure."""

from collections.abc import Sequence
from datetime import UTC, datetime

from bot.jobs import JobOutcome, State
from bot.pipeline.ports.store import Run
from bot.pipeline.reports.markdown import code, inline

MAX_LISTED = 5

STOPPED = "Stopped. The status comment, or the check run, says so too."
NOTHING_TO_STOP = "Nothing about this is queued or works."
LATE = "This came late: what works now was asked for after it, and goes on. Say `/regreen stop` again to stop that too."
HELP = (
    "What can be said here, as the first word of a line:\n\n"
    "- `/regreen fix` or `/regreen retry`: begin, or begin again, also after a pull request was closed or the attempts "
    "were used up\n"
    "- `/regreen stop`: end what is queued or works\n"
    "- `/regreen status`: where this stands, and what it took\n"
    "- `/regreen explain`: why the last run ended as it did\n"
    "- `/regreen approve`: go on with a test that was shown\n"
    "- `/regreen pause`, `/regreen resume`: start nothing more about this, or do so again\n"
)

_MEANINGS = {
    State.PUBLISHED: "A change turned the failing tests green, broke none that passed, and held in reruns; the pull "
    "request shows each test before and after.",
    State.GREEN: "No test failed here, so there was nothing that a change could be judged by. A test that fails for "
    "the reason given would change that.",
    State.REFUSED: "It was not begun, and nothing was spent. The status comment names the reason and what would change "
    "it.",
    State.TEST_SHOWN: "A test that shows the fault was written and waits for somebody who may write to the repository: "
    "the line below it approves it.",
    State.NOT_REPRODUCED: "What was reported did not show in the sandbox, which has no network, secrets or services. "
    "The exact call and what it should give, or a failing test, would help.",
    State.UNSOLVED: "Each change that was tried left a target red, broke a test that passed, or did not hold. The "
    "status comment lists what was tried and why each was turned down.",
    State.FAILED: "Something outside of the change kept the run from its end. The status comment names the cause and "
    "what would help.",
    State.CANCELLED: "It was stopped before it came to an end. The label, or `/regreen fix`, begins anew.",
}


def status(runs: Sequence[Run], held_by: str) -> str:
    """Where a subject stands; `runs` newest first, `held_by` who put it on hold, empty for nobody."""
    lines = [_paused(held_by)] if held_by else []
    if not runs:
        return "\n\n".join([*lines, "No run was made about this yet."])
    newest = runs[0]
    if newest.outcome is None:
        lines.append(f"A run is queued or works, since {_when(newest.queued_at)}, for {code(newest.sender)}.")
    else:
        lines.append(f"The last run ended {_when(newest.ended_at)}: {inline(newest.outcome.headline)}.{_link(newest)}")
    ended = [run for run in runs if run.outcome is not None][:MAX_LISTED]
    if len(ended) > 1:
        lines.append("\n".join(f"- {_when(run.ended_at)}: {inline(_outcome(run).headline, 200)}" for run in ended))
    lines.append(_spent(runs))
    return "\n\n".join(lines)


def standing(number: int) -> str:
    """Why nothing is begun again about what a pull request of ours is open for."""
    return f"Its pull request #{number} is open: review, merge or close that one first."


def explain(runs: Sequence[Run]) -> str:
    """Why the last run that ended did so as it did; `runs` newest first."""
    ended = next((run for run in runs if run.outcome is not None), None)
    if ended is None or ended.outcome is None:
        return "No run about this has ended yet." if runs else "No run was made about this yet."
    outcome = ended.outcome
    stop = f" It stopped for the reason {code(outcome.stop, 100)}." if outcome.stop else ""
    return (
        f"The last run ended {_when(ended.ended_at)} as {code(outcome.state.value)}: {inline(outcome.headline)}.{stop}"
        f"{_link(ended)}\n\n{_MEANINGS[outcome.state]}\n\n{_spent((ended,))}"
    )


def held(by: str) -> str:
    """How a subject stands after a pause or its end: `by` is who paused it, empty for nobody."""
    if by:
        return f"{_paused(by)} What runs already goes on; `/regreen stop` ends it."
    return "Nothing is paused here: triggers count. Those that came during a pause do not come back."


def _paused(by: str) -> str:
    return f"Paused by {code(by)}: nothing about this is started until somebody says `/regreen resume`."


def _spent(runs: Sequence[Run]) -> str:
    ended = [run.outcome for run in runs if run.outcome is not None]
    tokens, dollars = sum(one.tokens for one in ended), sum(one.dollars for one in ended)
    return f"{len(runs)} run{'s' * (len(runs) != 1)}, {tokens:,} tokens, {dollars:.4f} dollars."


def _link(run: Run) -> str:
    outcome = _outcome(run)
    return f" See #{outcome.pull_request}." if outcome.pull_request else ""


def _outcome(run: Run) -> JobOutcome:
    return run.outcome or JobOutcome(State.FAILED, "")


def _when(seconds: float | None) -> str:
    return "now" if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
