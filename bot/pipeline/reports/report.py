"""The pull request's body and the final comments: what was tried, measured and not known. Pure text from values."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.jobs import Job, subject
from bot.pipeline.reports import unstable
from bot.pipeline.reports.cut import MAX_BODY
from bot.pipeline.reports.markdown import block, code, fold, inline, marker
from bot.pipeline.reports.titles import purpose
from bot.pipeline.texts import Heading, Help, Judged, Report, Stop, counted, number
from bot.policy import Language
from bot.repair.types import Attempt, Comparison, Origin, RepairResult, StopReason, Verdict

MAX_IDS = 40
MAX_UNMET = 12
MAX_UNMET_TEXT = 600

_HELP = dict.fromkeys(StopReason, Help.SMALLER) | {
    StopReason.IDENTICAL_CODE: Help.STUCK,
    StopReason.CYCLE: Help.STUCK,
    StopReason.SAME_FAILURE: Help.STUCK,
    StopReason.NO_SHRINK: Help.STUCK,
    StopReason.TARGETS_FLAKY: Help.STEADY,
    StopReason.FORMAT_ERRORS: Help.FORMAT,
    StopReason.EXHAUSTED: Help.EXHAUSTED,
    StopReason.MODEL_FAILED: Help.OPERATOR,
    StopReason.TESTS_FAILED_TO_RUN: Help.OPERATOR,
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


@dataclass(frozen=True, slots=True)
class Beside:
    """What a report says beside the result, and in which language it says everything.

    `unmet` is what the repository asks for and got nowhere in the sandbox; `notes` says how the targets were come by.
    """

    language: Language = "en"
    unmet: tuple[str, ...] = ()
    notes: str = ""


IN_ENGLISH = Beside()


def stopped(stop: StopReason, language: Language = "en") -> str:
    """Why a run stopped."""
    return Stop[stop.name].say(language)


def judged(verdict: Verdict, language: Language = "en") -> str:
    """What became of an attempt."""
    return Judged[verdict.name].say(language)


def note(text: str) -> str:
    """A text as GitHub shows notes."""
    return f"> [!NOTE]\n> {text}\n"


def lacking(unmet: tuple[str, ...], language: Language = "en") -> str:
    """What the repository asks for and gets nowhere in the sandbox, as a list below a line; empty for nothing."""
    lines = [f"- {inline(one, MAX_UNMET_TEXT)}" for one in unmet[:MAX_UNMET]]
    return f"\n\n{Heading.LACKING.say(language)}\n\n" + "\n".join(lines) + "\n" if lines else ""


def listed(ids: Sequence[str], most: int, language: Language) -> list[str]:
    """Ids of tests as lines of a list, at most as many."""
    more = [f"- {Report.MORE.say(language, count=len(ids) - most)}"] if len(ids) > most else []
    return [*(f"- {code(node_id)}" for node_id in ids[:most]), *more]


def pull_request_body(
    job: Job, result: RepairResult, spent: Spent, diffs: dict[int, str], beside: Beside = IN_ENGLISH
) -> str:
    """The whole body, which `publish` cuts where it is too long; `diffs` maps attempt numbers to unified diffs."""
    solution, language = result.solution, beside.language
    if solution is None or solution.proposal is None:
        msg = "a pull request needs a solution"
        raise ValueError(msg)
    before = (
        marker("subject", subject(job)),
        f"{purpose(job, language)}\n",
        _origin(solution, language),
        beside.notes,
        f"{Heading.CAUSE.say(language)}\n",
        _explanation(solution, language),
        f"{Heading.MATRIX.say(language)}\n",
        matrix(result, language),
        f"{Heading.FIXED.say(language)}\n\n" + "\n".join(listed(solution.comparison.fixed, MAX_IDS, language)) + "\n",
    )
    after = (
        unstable.flaky_tests(result.baseline, language),
        f"{Heading.COST.say(language)}\n",
        _spent(spent, language),
        f"{Heading.UNKNOWN.say(language)}\n",
        _unknown(result, language),
        lacking(beside.unmet, language),
    )
    return _with_attempts((before, after), result, diffs, language)


def unsolved_comment(result: RepairResult, spent: Spent, diffs: dict[int, str], beside: Beside = IN_ENGLISH) -> str:
    """The final comment of a run without a solution: why it stopped, the best candidate, every attempt."""
    best, language = result.best, beside.language
    why = Report.NO_FIX.say(language, stop=result.stop, why=stopped(result.stop, language))
    before = [f"{why} {_sentence(result.detail, 700)}\n"]
    if best is not None and best.proposal is not None and best.number in diffs:
        said = Report.BEST.say(language, number=best.number, verdict=judged(best.verdict, language))
        before.append(f"{said}\n\n{block(diffs[best.number], 'diff', 12_000)}\n")
    heading = Heading.MATRIX_BEFORE if best is None else Heading.MATRIX_BEST
    before += [beside.notes, f"{heading.say(language)}\n", matrix(result, language)]
    after = (
        unstable.flaky_tests(result.baseline, language),
        f"{Heading.COST.say(language)}\n",
        _spent(spent, language),
        f"{Heading.HELP.say(language)}\n",
        _HELP[result.stop].say(language),
        lacking(beside.unmet, language),
    )
    return _with_attempts((before, after), result, diffs, language)


def matrix(result: RepairResult, language: Language = "en") -> str:
    """The test matrix by category: before is the baseline, after the solution or else the best attempt, if any."""
    base = result.baseline
    shown = result.solution or result.best
    change = shown.comparison if shown else None
    before = [
        (
            Report.ROW_FAILING,
            Report.FAILING.say(language, count=len(base.failing) if change is None else _targets(change)),
        ),
        (Report.ROW_PASSING, Report.PASSING.say(language, count=len(base.passing))),
        (Report.ROW_NEW, ""),
        (Report.ROW_FLAKY, str(len(base.flaky))),
        (Report.ROW_SKIPPED, str(len(base.skipped))),
    ]
    head = f"| {Report.TESTS.say(language)} | {Report.BEFORE.say(language)} |"
    runs = unstable.runs(base, language)
    if change is None:
        lines = [f"| {row.say(language)} | {count} |" for row, count in before if count]
        return "\n".join([head, "|---|---|", *lines, "", runs, ""])
    after = _after(change, len(base.passing), language)
    lines = [f"| {row.say(language)} | {count} | {then} |" for (row, count), then in zip(before, after, strict=True)]
    head += f" {Report.AFTER.say(language)} |"
    return "\n".join([head, "|---|---|---|", *lines, "", f"{runs} {Report.FRESH.say(language)}", ""])


def _after(change: Comparison, passing: int, language: Language) -> tuple[str, ...]:
    regressed, aside = len(change.regressed), Report.NOT_COUNTED.say(language)
    return (
        Report.FIXED_OF.say(language, fixed=len(change.fixed), left=len(change.still_failing)),
        Report.PASSING_OF.say(language, passing=passing - regressed, regressed=regressed),
        Report.NEW_OF.say(language, passing=len(change.new_passing), failing=len(change.new_failing)),
        aside,
        aside,
    )


def _targets(change: Comparison) -> int:
    return len(change.fixed) + len(change.still_failing)


def _origin(solution: Attempt, language: Language) -> str:
    if solution.proposal is not None and solution.proposal.origin is Origin.MUTATION:
        return note(Report.SEARCHED.say(language))
    return ""


def _explanation(attempt: Attempt, language: Language) -> str:
    proposal = attempt.proposal
    if proposal is None:
        return ""
    said = proposal.explanation.strip() or Report.UNEXPLAINED.say(language)
    detail = f"\n\n{inline(proposal.detail, 600)}" if proposal.detail else ""
    return f"{inline(said, 3000)}{detail}\n"


def _with_attempts(
    around: tuple[Sequence[str], Sequence[str]], result: RepairResult, diffs: dict[int, str], language: Language
) -> str:
    head, tail = ("\n".join(part for part in parts if part) for parts in around)
    room = MAX_BODY - len(head) - len(tail) - 500
    kept: list[str] = []
    for attempt in reversed(result.attempts):
        text = _attempt(attempt, diffs.get(attempt.number, ""), language)
        if len(text) + 2 > room:
            kept.append(Report.LEFT_OUT.say(language))
            break
        room -= len(text) + 2
        kept.append(text)
    summary = counted(len(result.attempts), Report.LOG_ONE, Report.LOG, language)
    log = fold(summary, "\n\n".join(reversed(kept))) if kept else ""
    return "\n\n".join(part for part in (head, log, tail) if part)


def _attempt(attempt: Attempt, diff: str, language: Language) -> str:
    lines = [Report.ATTEMPT.say(language, number=attempt.number, verdict=judged(attempt.verdict, language))]
    if attempt.proposal is not None:
        what = inline(attempt.proposal.explanation or attempt.proposal.detail, 600)
        lines.append(Report.PROPOSED.say(language, what=what))
    if diff:
        lines.append(block(diff, "diff", 3000))
    change = attempt.comparison
    if attempt.total:
        counts = {"fixed": change.fixed, "left": change.still_failing, "regressed": change.regressed}
        done = {"passed": attempt.passed, "total": attempt.total, "seconds": number(attempt.seconds, language, 1)}
        lines.append(Report.COUNTS.say(language, **{name: len(ids) for name, ids in counts.items()}, **done))
    lines += [Report.BROKE.say(language, test=code(node_id)) for node_id in change.regressed[:5]]
    if attempt.reason:
        lines.append(Report.REASON.say(language, reason=_sentence(attempt.reason, 600)))
    if attempt.failure:
        lines.append(block(attempt.failure, "text", 1500))
    learnt = attempt.reflection
    if learnt is not None and attempt.verdict not in WITHOUT_A_RUN:
        whose = Report.FACTS if learnt.stated else Report.REFLECTION
        lines.append(whose.say(language, cause=_sentence(learnt.cause), lesson=_sentence(learnt.lesson)))
    return "\n\n".join(lines)


def _sentence(text: str, limit: int = 500) -> str:
    line = inline(text, limit)
    # a name such as marks.py keeps its letters
    line = line[:1].upper() + line[1:] if line.partition(" ")[0].isalpha() else line
    return line if not line or line.endswith((".", "!", "?", "…")) else f"{line}."


def cost(spent: Spent, language: Language = "en") -> str:
    """Tokens, dollars and seconds of a run, in words."""
    return Report.COST.say(
        language,
        tokens=number(spent.tokens, language),
        about=Report.ESTIMATED.say(language) if spent.estimated else "",
        dollars=f"{spent.dollars:.4f}",
        seconds=number(spent.seconds, language, 1),
    )


def _spent(spent: Spent, language: Language) -> str:
    steps = ", ".join(f"{name} {number(seconds, language, 1)} s" for name, seconds in spent.steps)
    by = Report.BY.say(language, proposer=inline(spent.proposer), cost=cost(spent, language), steps=steps)
    log = f"{Report.DIGEST.say(language, head=spent.head)}\n" if spent.head else ""
    together = f"{spent.together}\n" if spent.together else ""
    return f"{by}\n{together}{log}"


def _unknown(result: RepairResult, language: Language) -> str:
    said = [Report.UNCOVERED.say(language), Report.UNSURE_TESTS.say(language), Report.UNSURE_FIX.say(language)]
    if result.passing > 1:
        # What the tests leave open, as far as several different solutions show it.
        said.append(Report.SEVERAL.say(language, count=result.passing))
    if result.baseline.flaky:
        said.append(counted(len(result.baseline.flaky), Report.ASIDE_ONE, Report.ASIDE, language))
    return "".join(f"- {one}\n" for one in said)
