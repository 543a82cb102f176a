"""The pull request's body and the final comments: what was tried, measured and not known. Pure text from values."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.jobs import Job, subject
from bot.pipeline.reports import unstable
from bot.pipeline.reports.cut import MAX_BODY
from bot.pipeline.reports.markdown import block, code, fold, inline, marker
from bot.pipeline.reports.titles import purpose
from bot.repair.types import Attempt, Comparison, Origin, RepairResult, StopReason, Verdict

MAX_IDS = 40
MAX_UNMET = 12
MAX_UNMET_TEXT = 600

STOPS = {
    StopReason.SOLVED: "every target test passes and nothing that passed before broke",
    StopReason.ITERATIONS: "all allowed rounds were used",
    StopReason.TOKENS: "the token budget does not allow another call",
    StopReason.DOLLARS: "the dollar budget does not allow another call",
    StopReason.WALL_CLOCK: "the time allowed for one run is over",
    StopReason.IDENTICAL_CODE: "the same code was proposed again",
    StopReason.CYCLE: "the proposals went back and forth between the same versions",
    StopReason.SAME_FAILURE: "round after round failed in exactly the same way",
    StopReason.FORMAT_ERRORS: "three replies in a row could not be applied",
    StopReason.NO_SHRINK: "round after round of fresh candidates came no closer",
    StopReason.TARGETS_FLAKY: "the tests that were to turn green fail only now and then, whatever the code",
    StopReason.EXHAUSTED: "there are no further candidates",
    StopReason.MODEL_FAILED: "the model could not be asked",
    StopReason.TESTS_FAILED_TO_RUN: "the tests could not be run any more",
}

_SMALLER = "A smaller issue, a test that isolates the fault, or a larger budget."
_STUCK = "More time would not. A test that isolates the fault, what exactly is expected, or another model might."
HELP = dict.fromkeys(StopReason, _SMALLER) | {
    StopReason.IDENTICAL_CODE: _STUCK,
    StopReason.CYCLE: _STUCK,
    StopReason.SAME_FAILURE: _STUCK,
    StopReason.NO_SHRINK: _STUCK,
    StopReason.TARGETS_FLAKY: "A test that fails every time, or a fix of what makes these tests depend on chance.",
    StopReason.FORMAT_ERRORS: (
        "The repository needs no change. Whoever runs Regreen can choose another model, another edit format "
        "(`REGREEN_FIRST_RUNG`) or, where replies are cut off, longer ones (`REGREEN_MAX_REPLY_TOKENS`)."
    ),
    StopReason.EXHAUSTED: (
        "A test that isolates the fault. The mutation search makes single small edits only: a model, configured by "
        "whoever runs Regreen, goes further."
    ),
    **dict.fromkeys(
        (StopReason.MODEL_FAILED, StopReason.TESTS_FAILED_TO_RUN),
        "The repository needs no change. Whoever runs Regreen does what the error says, then put the label on again.",
    ),
}

VERDICTS = {
    Verdict.SOLVED: "solved",
    Verdict.REGRESSED: "rejected: it broke a test that passed",
    Verdict.NOT_FIXED: "did not fix a target test",
    Verdict.PARTIAL: "fixed some of the target tests",
    Verdict.INVALID_RUN: "its test run cannot be believed",
    Verdict.REFUSED: "refused before it ran",
    Verdict.REJECTED: "rejected although its tests passed",
    Verdict.DOUBTED: "kept in reserve: its tests passed, and a model doubts it",
    Verdict.NOT_APPLIED: "could not be applied",
    Verdict.REPEATED: "the same code as an earlier attempt",
}

WITHOUT_A_RUN = frozenset({Verdict.REFUSED, Verdict.NOT_APPLIED, Verdict.REPEATED})
"""Verdicts whose reason is all that there is to learn from them."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run cost and who proposed; `steps` maps step names to seconds, `head` is the digest of its log's end.

    `together` says what this run and the others of its subject and repository have spent, as a line.
    """

    proposer: str
    steps: tuple[tuple[str, float], ...]
    tokens: int
    dollars: float
    estimated: bool
    seconds: float
    head: str = ""
    together: str = ""


def lacking(unmet: tuple[str, ...]) -> str:
    """What the repository asks for and gets nowhere in the sandbox, as a list below a line; empty for nothing."""
    lines = [f"- {inline(one, MAX_UNMET_TEXT)}" for one in unmet[:MAX_UNMET]]
    return "\n\nWhat the sandbox lacks:\n\n" + "\n".join(lines) + "\n" if lines else ""


def pull_request_body(
    job: Job,
    result: RepairResult,
    spent: Spent,
    diffs: dict[int, str],
    unmet: tuple[str, ...] = (),
    notes: str = "",
) -> str:
    """The whole body, which `publish` cuts where it is still too long; `diffs` maps attempt numbers to unified diffs.

    `unmet` is what the repository asks for and got nowhere in the sandbox; `notes` says how the targets were come by.
    """
    solution = result.solution
    if solution is None or solution.proposal is None:
        msg = "a pull request needs a solution"
        raise ValueError(msg)
    before = (
        marker("subject", subject(job)),
        f"{purpose(job)}\n",
        _origin(solution),
        notes,
        "### Cause and fix\n",
        _explanation(solution),
        "### Tests before and after\n",
        matrix(result),
        _fixed(solution),
    )
    after = (
        unstable.flaky_tests(result.baseline),
        "### What it took\n",
        _spent(spent),
        "### What is not known\n",
        _unknown(result),
        lacking(unmet),
    )
    return _with_attempts(before, after, result, diffs)


def unsolved_comment(
    result: RepairResult, spent: Spent, diffs: dict[int, str], unmet: tuple[str, ...] = (), notes: str = ""
) -> str:
    """The final comment of a run without a solution: why it stopped, the best candidate, every attempt.

    `unmet` and `notes` are as in `pull_request_body`.
    """
    best = result.best
    before = [f"**No fix.** Stopped with `{result.stop}`: {STOPS[result.stop]}. {_sentence(result.detail, 700)}\n"]
    if best is not None and best.proposal is not None and best.number in diffs:
        before.append(
            f"The best candidate, attempt {best.number}, {VERDICTS[best.verdict]}. It is not a fix, and "
            f"nothing was published for it:\n\n{block(diffs[best.number], 'diff', 12_000)}\n"
        )
    before += [notes, f"### Tests before{' and after the best candidate' * (best is not None)}\n", matrix(result)]
    after = (
        unstable.flaky_tests(result.baseline),
        "### What it took\n",
        _spent(spent),
        "### What would help\n",
        HELP[result.stop],
        lacking(unmet),
    )
    return _with_attempts(before, after, result, diffs)


def matrix(result: RepairResult) -> str:
    """The test matrix by category: before is the baseline, after the solution or else the best attempt, if any."""
    base = result.baseline
    shown = result.solution or result.best
    change = shown.comparison if shown else None
    before = [
        ("failing before", f"{len(base.failing) if change is None else _targets(change)} failing"),
        ("passing before", f"{len(base.passing)} passing"),
        ("new", ""),
        ("flaky, set aside", str(len(base.flaky))),
        ("skipped", str(len(base.skipped))),
    ]
    runs = unstable.runs(base)
    if change is None:
        lines = [f"| {name} | {count} |" for name, count in before if count]
        return "\n".join(["| tests | before |", "|---|---|", *lines, "", runs, ""])
    regressed = len(change.regressed)
    after = (
        f"{len(change.fixed)} fixed, {len(change.still_failing)} still failing",
        f"{len(base.passing) - regressed} passing, {regressed} regressed",
        f"{len(change.new_passing)} passing, {len(change.new_failing)} failing",
        "not counted",
        "not counted",
    )
    lines = [f"| {name} | {count} | {then} |" for (name, count), then in zip(before, after, strict=True)]
    return "\n".join(
        ["| tests | before | after |", "|---|---|---|", *lines, "", f"{runs} After: fresh containers.", ""]
    )


def _targets(change: Comparison) -> int:
    return len(change.fixed) + len(change.still_failing)


def _origin(solution: Attempt) -> str:
    if solution.proposal is not None and solution.proposal.origin is Origin.MUTATION:
        return (
            "> [!NOTE]\n> This patch comes from a mutation search: small edits were tried until the tests passed. No "
            "model has understood the code. In published measurements about one in five such first hits is wrong, so "
            "this is a draft: read it as a hint to where the fault is.\n"
        )
    return ""


def _explanation(attempt: Attempt) -> str:
    proposal = attempt.proposal
    if proposal is None:
        return ""
    said = proposal.explanation.strip() or "The proposer gave no explanation."
    detail = f"\n\n{inline(proposal.detail, 600)}" if proposal.detail else ""
    return f"{inline(said, 3000)}{detail}\n"


def _fixed(attempt: Attempt) -> str:
    ids = attempt.comparison.fixed
    lines = [f"- {code(node_id)}" for node_id in ids[:MAX_IDS]]
    if len(ids) > MAX_IDS:
        lines.append(f"- and {len(ids) - MAX_IDS} more")
    return "Fixed:\n\n" + "\n".join(lines) + "\n"


def _with_attempts(before: Sequence[str], after: Sequence[str], result: RepairResult, diffs: dict[int, str]) -> str:
    head, tail = ("\n".join(part for part in parts if part) for parts in (before, after))
    room = MAX_BODY - len(head) - len(tail) - 500
    kept: list[str] = []
    for attempt in reversed(result.attempts):
        text = _attempt(attempt, diffs.get(attempt.number, ""))
        if len(text) + 2 > room:
            kept.append("Earlier attempts are left out here to fit; the whole log is kept with the run.")
            break
        room -= len(text) + 2
        kept.append(text)
    count = len(result.attempts)
    log = fold(f"Reflection log: {count} attempt{'s' * (count != 1)}", "\n\n".join(reversed(kept))) if kept else ""
    return "\n\n".join(part for part in (head, log, tail) if part)


def _attempt(attempt: Attempt, diff: str) -> str:
    lines = [f"**Attempt {attempt.number}: {VERDICTS[attempt.verdict]}**"]
    if attempt.proposal is not None:
        lines.append(f"Proposed: {inline(attempt.proposal.explanation or attempt.proposal.detail, 600)}")
    if diff:
        lines.append(block(diff, "diff", 3000))
    change = attempt.comparison
    if attempt.total:
        lines.append(
            f"{len(change.fixed)} fixed, {len(change.still_failing)} still failing, {len(change.regressed)} regressed; "
            f"{attempt.passed} of {attempt.total} tests passed; {attempt.seconds:.1f} s."
        )
    lines += [f"Passed before, fails now: {code(node_id)}" for node_id in change.regressed[:5]]
    if attempt.reason:
        lines.append(f"Reason: {_sentence(attempt.reason, 600)}")
    if attempt.failure:
        lines.append(block(attempt.failure, "text", 1500))
    if attempt.reflection is not None and attempt.verdict not in WITHOUT_A_RUN:
        whose = "Facts, put together without a model" if attempt.reflection.stated else "Reflection"
        lines.append(f"{whose}: {_sentence(attempt.reflection.cause)} {_sentence(attempt.reflection.lesson)}")
    return "\n\n".join(lines)


def _sentence(text: str, limit: int = 500) -> str:
    line = inline(text, limit)
    # a name such as marks.py keeps its letters
    line = line[:1].upper() + line[1:] if line.partition(" ")[0].isalpha() else line
    return line if not line or line.endswith((".", "!", "?", "…")) else f"{line}."


def cost(spent: Spent) -> str:
    """Tokens, dollars and seconds of a run, in words."""
    about = " (estimated: the server reported no usage)" if spent.estimated else ""
    return f"{spent.tokens:,} tokens{about}, ${spent.dollars:.4f}, {spent.seconds:.1f} s in all"


def _spent(spent: Spent) -> str:
    steps = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in spent.steps)
    log = f"The run log up to here has the digest `{spent.head}`: `regreen replay` makes its decisions again.\n"
    log = log if spent.head else ""
    together = f"{spent.together}\n" if spent.together else ""
    return f"Proposed by {inline(spent.proposer)}. {cost(spent)}: {steps}.\n{together}{log}"


def _unknown(result: RepairResult) -> str:
    flaky = f"- {len(result.baseline.flaky)} flaky tests were set aside; what they cover is unmeasured.\n"
    return (
        "- Faults that no test covers: only what the repository's own tests check was measured.\n"
        "- Whether the tests themselves are right.\n"
        "- Whether a simpler or more general fix exists.\n" + _open(result) + (flaky if result.baseline.flaky else "")
    )


def _open(result: RepairResult) -> str:
    """What the tests leave open, as far as several different solutions show it."""
    if result.passing <= 1:
        return ""
    return f"- Which of {result.passing} different patches is right: all of them pass every test, and this is one.\n"
