"""What is said of a red check that leads to no fix, and of the part of one that is left alone. Pure, from values."""

from dataclasses import dataclass

from bot.jobs import State
from bot.pipeline import targets
from bot.pipeline.ports.checks import Against
from bot.pipeline.red.choice import RedCheck
from bot.pipeline.red.findings import Findings
from bot.pipeline.reports.markdown import code, inline
from bot.repair.types import Baseline

MOST_LISTED = 20
MOST_JOBS = 10
SHORT = 12


@dataclass(frozen=True, slots=True)
class Ending:
    """How a check without a fix ends."""

    state: State
    headline: str
    text: str


def without_fix(check: RedCheck, baseline: Baseline, updated: str = "") -> Ending:
    """Why nothing is fixed. `updated` is the commit that brought the branch up to date meanwhile, if that was done."""
    found, against = check.findings, check.against
    if against and found.old_base:
        return _old_base(found, against, updated)
    if against and (found.inherited or found.stale):
        return _inherited(found, against)
    if against and found.merged:
        return _merged(found, against)
    return _not_reproduced(check, baseline)


def left_alone(found: Findings, against: Against | None) -> str:
    """A section of the pull request on what failed at CI and is not this commit's fault; empty where all is."""
    if against is None:
        return ""
    base, parts = code(against.pull.base_branch), []
    if found.inherited:
        parts.append(f"These fail on {base} too, and are left alone:\n\n{_listed(found.inherited)}\n")
    if found.stale:
        parts.append(f"These pass on {base} by now: bring the branch up to date.\n\n{_listed(found.stale)}\n")
    if found.unlike:
        parts.append(f"Whether {base} fails alike is not known: {inline(found.unlike)}.\n")
    return "\n".join(["### Not this branch's fault\n", *parts, ""]) if parts else ""


def _old_base(found: Findings, against: Against, updated: str) -> Ending:
    base, behind = code(against.pull.base_branch), _commits(against.distance.behind)
    done = (
        f"The branch has been brought up to date: {updated[:SHORT]} merges {base} into it."
        if updated
        else f"Merge {base} into the branch, or rebase it: that is all it takes."
    )
    text = (
        f"**Nothing to fix here**: the check is red only because the branch's base is old. It is {behind} behind "
        f"{base}, and what fails here failed where the branch began and passes on {base} "
        f"({against.pull.base_sha[:SHORT]}) now:\n\n{_listed(found.stale)}\n\n{done}"
    )
    headline = "Brought the branch up to date" if updated else "Nothing to fix: only the branch's base is old"
    return Ending(State.GREEN, headline, text)


def _inherited(found: Findings, against: Against) -> Ending:
    base = against.pull.base_branch
    text = (
        f"**Nothing to fix here**: what failed fails on {code(base)} too, and is not the fault of "
        f"#{against.pull.number}:\n\n{_listed(found.inherited)}\n\n"
        f"A fix belongs there: a red check on {code(base)}, or an issue with Regreen's label, starts one."
    )
    if found.stale:
        text += f"\n\nThese pass on {code(base)} by now: bring the branch up to date.\n\n{_listed(found.stale)}"
    return Ending(State.GREEN, f"Nothing to fix: {inline(base)} fails too", text)


def _merged(found: Findings, against: Against) -> Ending:
    base = code(against.pull.base_branch)
    text = (
        f"**Only together with {base}**: these pass on the branch, and fail once it is merged with {base}, which went "
        f"on by {_commits(against.distance.behind)}:\n\n{_listed(found.merged)}\n\n"
        f"Merge {base} into the branch: if its checks are red then, a new run starts from what shows."
    )
    return Ending(State.GREEN, "Fails only once merged with its base", text)


def _not_reproduced(check: RedCheck, baseline: Baseline) -> Ending:
    others = len(baseline.failing)
    seen = f"{others} other tests fail here" if others else f"all {len(baseline.passing)} tests pass here"
    fates = [f"- {code(node_id)} {inline(fate)}" for node_id, fate in targets.fates(baseline, check.logs)]
    unnamed = "" if fates else "The failed jobs' logs name no test that Regreen can read. "
    text = (
        f"**Could not reproduce**: the tests that failed in the check do not fail in the sandbox; {seen}.\n\n"
        f"What was tried:\n\n{_tried(check, baseline)}\n\n"
        + ("\n".join(fates) + "\n\n" if fates else "")
        + f"{unnamed}The sandbox has no network, secrets or services; a flaky test, a missing service or a stale base "
        "explains this."
    )
    shaky = [flake for flake in check.findings.repeated if flake.failed]
    if shaky:
        text += "\n\nFlaky, so no code was changed for them:\n\n" + "\n".join(
            f"- {code(flake.node_id)}: {inline(flake.evidence)}" for flake in shaky[:MOST_LISTED]
        )
    headline = "Flaky: it fails only now and then" if shaky else "Could not reproduce the failure"
    return Ending(State.NOT_REPRODUCED, headline, text)


def _tried(check: RedCheck, baseline: Baseline) -> str:
    found, against = check.findings, check.against
    jobs = ", ".join(code(job.name) for job in check.failed[:MOST_JOBS])
    lines = [
        f"read the logs of {jobs}" if jobs else "looked for the failed jobs' logs, which are not there",
        f"{baseline.runs} runs of the whole suite on {check.base.commit[:SHORT]}, each in a fresh container",
    ]
    if found.repeated:
        often = found.repeated[0].passed + found.repeated[0].failed
        lines.append(f"{often} more runs of the {len(found.repeated)} tests that the logs name, apart from the rest")
    if against and found.repeated and against.distance.behind and not found.unlike:
        lines.append(f"the same tests on {code(against.pull.base_branch)} at {against.pull.base_sha[:SHORT]}")
    if found.unlike:
        lines.append(f"other commits, which could not be tested: {inline(found.unlike)}")
    return "\n".join(f"- {line}" for line in lines)


def _listed(ids: tuple[str, ...]) -> str:
    lines = [f"- {code(node_id)}" for node_id in ids[:MOST_LISTED]]
    more = [f"- and {len(ids) - MOST_LISTED} more"] if len(ids) > MOST_LISTED else []
    return "\n".join(lines + more)


def _commits(count: int) -> str:
    return f"{count} commit{'s' * (count != 1)}"
