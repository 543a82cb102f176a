"""What is said of a red check that leads to no fix, and of the part of one that is left alone. Pure, from values."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.jobs import State
from bot.pipeline import targets
from bot.pipeline.ports.checks import Against
from bot.pipeline.red.choice import RedCheck
from bot.pipeline.red.findings import Findings
from bot.pipeline.reports.markdown import code, inline
from bot.pipeline.reports.report import listed
from bot.pipeline.texts import Heading, Red, Shown, counted
from bot.policy import Language
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


def without_fix(check: RedCheck, baseline: Baseline, updated: str = "", language: Language = "en") -> Ending:
    """Why nothing is fixed. `updated` is the commit that brought the branch up to date meanwhile, if that was done."""
    found, against = check.findings, check.against
    if against and found.old_base:
        return _old_base(found, against, updated, language)
    if against and (found.inherited or found.stale):
        return _inherited(found, against, language)
    if against and found.merged:
        return _merged(found, against, language)
    return _not_reproduced(check, baseline, language)


def left_alone(found: Findings, against: Against | None, language: Language = "en") -> str:
    """A section of the pull request on what failed at CI and is not this commit's fault; empty where all is."""
    if against is None:
        return ""
    base, parts = code(against.pull.base_branch), []
    if found.inherited:
        parts.append(f"{Red.ALIKE.say(language, base=base)}\n\n{_listed(found.inherited, language)}\n")
    if found.stale:
        parts.append(f"{Red.STALE.say(language, base=base)}\n\n{_listed(found.stale, language)}\n")
    if found.unlike:
        parts.append(f"{Red.UNLIKE.say(language, base=base, cause=inline(found.unlike))}\n")
    return "\n".join([f"{Heading.NOT_OURS.say(language)}\n", *parts, ""]) if parts else ""


def _old_base(found: Findings, against: Against, updated: str, language: Language) -> Ending:
    base, behind = code(against.pull.base_branch), _commits(against.distance.behind, language)
    head = Red.OLD_BASE.say(language, behind=behind, base=base, commit=against.pull.base_sha[:SHORT])
    done = (Red.UPDATED if updated else Red.UPDATE).say(language, commit=updated[:SHORT], base=base)
    headline = (Red.UPDATED_TITLE if updated else Red.OLD_BASE_TITLE).say(language)
    return Ending(State.GREEN, headline, f"{head}\n\n{_listed(found.stale, language)}\n\n{done}")


def _inherited(found: Findings, against: Against, language: Language) -> Ending:
    base = code(against.pull.base_branch)
    parts = [
        Red.INHERITED.say(language, base=base, number=against.pull.number),
        _listed(found.inherited, language),
        Red.BELONGS.say(language, base=base),
    ]
    if found.stale:
        parts += [Red.STALE.say(language, base=base), _listed(found.stale, language)]
    headline = Red.INHERITED_TITLE.say(language, base=inline(against.pull.base_branch))
    return Ending(State.GREEN, headline, "\n\n".join(parts))


def _merged(found: Findings, against: Against, language: Language) -> Ending:
    base, behind = code(against.pull.base_branch), _commits(against.distance.behind, language)
    head, end = Red.MERGED.say(language, base=base, behind=behind), Red.MERGE.say(language, base=base)
    return Ending(State.GREEN, Red.MERGED_TITLE.say(language), f"{head}\n\n{_listed(found.merged, language)}\n\n{end}")


def _not_reproduced(check: RedCheck, baseline: Baseline, language: Language) -> Ending:
    others = len(baseline.failing)
    seen = Red.OTHERS_FAIL.say(language, count=others) if others else ""
    seen = seen or Red.ALL_PASS.say(language, count=len(baseline.passing))
    fates = [f"- {code(node_id)} {inline(fate)}" for node_id, fate in targets.fates(baseline, check.logs)]
    explained = Red.EXPLAINED.say(language)
    parts = [
        Red.NOT_REPRODUCED.say(language, seen=seen),
        Shown.TRIED.say(language),
        "\n".join(f"- {line}" for line in _tried(check, baseline, language)),
        *(["\n".join(fates)] if fates else []),
        explained if fates else f"{Red.UNNAMED.say(language)} {explained}",
    ]
    shaky = [flake for flake in check.findings.repeated if flake.failed]
    if shaky:
        lines = (f"- {code(flake.node_id)}: {inline(flake.evidence)}" for flake in shaky[:MOST_LISTED])
        parts += [Red.SHAKY.say(language), "\n".join(lines)]
    headline = (Red.SHAKY_TITLE if shaky else Red.NOT_REPRODUCED_TITLE).say(language)
    return Ending(State.NOT_REPRODUCED, headline, "\n\n".join(parts))


def _tried(check: RedCheck, baseline: Baseline, language: Language) -> Iterator[str]:
    found, against = check.findings, check.against
    jobs = ", ".join(code(job.name) for job in check.failed[:MOST_JOBS])
    yield (Red.READ_LOGS if jobs else Red.NO_LOGS).say(language, jobs=jobs)
    yield Red.WHOLE.say(language, runs=baseline.runs, commit=check.base.commit[:SHORT])
    if found.repeated:
        often = found.repeated[0].passed + found.repeated[0].failed
        yield Red.APART.say(language, often=often, count=len(found.repeated))
    if against and found.repeated and against.distance.behind and not found.unlike:
        pull = against.pull
        yield Red.ON_BASE.say(language, base=code(pull.base_branch), commit=pull.base_sha[:SHORT])
    if found.unlike:
        yield Red.UNTESTED.say(language, cause=inline(found.unlike))


def _listed(ids: tuple[str, ...], language: Language) -> str:
    return "\n".join(listed(ids, MOST_LISTED, language))


def _commits(count: int, language: Language) -> str:
    return counted(count, Red.COMMIT, Red.COMMITS, language)
