"""The loop's journal: every step as one event of plain JSON values."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from bot.codec import canonical, digest
from bot.repair.difftext import unified
from bot.repair.measuring.flake import Flake
from bot.repair.ports import Journal, Opinion
from bot.repair.types import Attempt, Baseline, Comparison, Patch, Proposed, RepairResult, Task, Usage
from bot.repair.verify import Trial

MAX_IDS = 200
MAX_DIFF = 1 << 20


def started(journal: Journal, task: Task, baseline: Baseline) -> None:
    """What the repair starts from."""
    named = {"targets": task.targets, "failing": baseline.failing_ids, "flaky": baseline.flaky}
    journal.append(
        "baseline",
        {
            "commit": task.base.commit,
            **{name: list(ids[:MAX_IDS]) for name, ids in named.items()},
            **_totals(named),
            "runs": baseline.runs,
            "passing": len(baseline.passing),
            "skipped": len(baseline.skipped),
            "seconds": baseline.suite_seconds,
        },
    )
    # every name, for whoever looks at tests and attempts side by side
    every = {
        "failing": list(baseline.failing_ids),
        "passing": list(baseline.passing),
        "flaky": list(baseline.flaky),
        "skipped": list(baseline.skipped),
    }
    journal.record("suite", {name: len(ids) for name, ids in every.items()}, canonical(every))


def proposed(journal: Journal, number: int, answer: Proposed, seconds: float) -> None:
    """What the proposer came back with, with the prompt and the reply where a model was asked."""
    fields: dict[str, object] = {
        "number": number,
        "refusal": answer.refusal,
        "exhausted": answer.exhausted,
        "prompt": [asdict(message) for message in answer.prompt],
        "reply": answer.reply,
        "seconds": seconds,
        **_cost(answer.usage),
    }
    if answer.proposal is not None:
        proposal = answer.proposal
        fields |= {
            "origin": proposal.origin.value,
            "rung": proposal.rung,
            "explanation": proposal.explanation,
            "detail": proposal.detail,
            "paths": list(proposal.patch.paths),
        }
    journal.append("proposal", fields)


def patched(journal: Journal, number: int, patch: Patch, before: Mapping[str, bytes]) -> None:
    """What an attempt changes, as a diff of at most `MAX_DIFF` bytes."""
    diff = unified(before, patch).encode(errors="replace")
    fields = {"number": number, "paths": list(patch.paths[:MAX_IDS]), "bytes": len(diff)}
    journal.record("patch", fields, diff[:MAX_DIFF])


def ran(journal: Journal, number: int, trial: Trial) -> None:
    """One test run of an attempt, with what changed test by test."""
    journal.append(
        "run",
        {
            "number": number,
            "scope": trial.scope,
            "state": trial.run.state.value,
            "exit_code": trial.run.exit_code,
            "collected": trial.run.collected,
            "red": len(trial.run.red),
            "seconds": trial.run.seconds,
            "output": digest(trial.run.output.encode(errors="replace")) if trial.run.output else "",
            "deltas": _deltas(trial.comparison),
            **_totals(asdict(trial.comparison)),
        },
    )


def flaky(journal: Journal, number: int, flakes: tuple[Flake, ...]) -> None:
    """Tests that turned out to be flaky while an attempt was judged."""
    if flakes:
        journal.append("flaky", {"number": number, "flakes": [asdict(flake) for flake in flakes[:MAX_IDS]]})


def reviewed(journal: Journal, number: int, opinion: Opinion) -> None:
    """What a reviewer said of an attempt that passes."""
    journal.append("review", {"number": number, "approve": opinion.approve, "reason": opinion.reason})


def judged(journal: Journal, attempt: Attempt) -> None:
    """What became of an attempt, and the lesson."""
    reflection = attempt.reflection
    journal.append(
        "attempt",
        {
            "number": attempt.number,
            "round": attempt.round,
            "verdict": attempt.verdict.value,
            "reason": attempt.reason,
            "failure": attempt.failure,
            "passed": attempt.passed,
            "total": attempt.total,
            "tree": attempt.tree,
            "changed_lines": attempt.changed_lines,
            "deltas": _deltas(attempt.comparison),
            **_totals(asdict(attempt.comparison)),
            "reflection": None if reflection is None else asdict(reflection),
            "seconds": attempt.seconds,
            **_cost(attempt.usage),
        },
    )
    whole = {name: list(ids) for name, ids in asdict(attempt.comparison).items() if ids}
    if any(len(ids) > MAX_IDS for ids in whole.values()):
        journal.record("deltas", {"number": attempt.number}, canonical(whole))


def stopped(journal: Journal, result: RepairResult, by_role: Mapping[str, Usage]) -> None:
    """How the repair ended, and what each role's calls cost."""
    journal.append(
        "stop",
        {
            "stop": result.stop.value,
            "detail": result.detail,
            "attempts": len(result.attempts),
            "passing": result.passing,
            "solution": result.solution.number if result.solution else None,
            "best": result.best.number if result.best else None,
            "seconds": result.seconds,
            **_cost(result.usage),
            "by_role": {role: _cost(usage) for role, usage in by_role.items()},
        },
    )


def _cost(usage: Usage) -> dict[str, object]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "dollars": usage.dollars,
        "estimated": usage.estimated,
    }


def _deltas(comparison: Comparison) -> dict[str, list[str]]:
    return {name: list(ids[:MAX_IDS]) for name, ids in asdict(comparison).items() if ids}


def _totals(named: Mapping[str, Sequence[str]]) -> dict[str, dict[str, int]]:
    """How many there are of what is cut, if anything is."""
    cut = {name: len(ids) for name, ids in named.items() if len(ids) > MAX_IDS}
    return {"totals": cut} if cut else {}
