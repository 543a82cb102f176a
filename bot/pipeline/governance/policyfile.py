"""The policy file as a run meets it: read from the default branch alone, its faults shown on that branch's head."""

from collections.abc import Collection
from dataclasses import dataclass

from bot import policy as policies
from bot.pipeline.ports.github import Annotation, CheckReport, CheckState, GitHub, Level, RepositoryFacts
from bot.pipeline.reports.markdown import inline
from bot.pipeline.texts import Text
from bot.policy import Fault, Language, RepoPolicy
from bot.triggers import POLICY

NAME = "Regreen policy"
MAX_LISTED = 50
MAX_MESSAGE = 400


@dataclass(frozen=True, slots=True)
class House:
    """The repository and the rules of its maintainers: where the file has `faults`, what `bot.policy.kept` leaves.

    `advice` is what to see to in a file without faults.
    """

    facts: RepositoryFacts
    policy: RepoPolicy
    faults: tuple[Fault, ...] = ()
    advice: tuple[Fault, ...] = ()


def read(github: GitHub, ref: str = "", offered: Collection[str] | None = None) -> House:
    """Look at the repository as it is now, or at a commit of its default branch.

    `offered` are the operator's models, `None` where they are not known. Raises `GitHubError`.
    """
    facts = github.repository()
    data = github.file(policies.PATH, ref or facts.default_branch)
    found = policies.examine(data, offered)
    if isinstance(found, RepoPolicy):
        return House(facts, found, advice=policies.advice(data))
    return House(facts, policies.kept(data), found)


def show(github: GitHub, sha: str, house: House) -> None:
    """Show on a commit whether its policy file is understood, each fault on its lines. Raises `GitHubError`.

    A file that asks for a dry run has nothing written about it.
    """
    if house.policy.dry_run:
        return
    language = house.policy.language
    state, title, summary = _told(house.faults, language)
    marks = _marks(house.faults, Level.FAILURE) + _marks(house.advice, Level.WARNING)
    github.put_check(CheckReport(sha, f"{POLICY}{sha}", state, title, summary, marks, NAME))


def _marks(faults: tuple[Fault, ...], level: Level) -> tuple[Annotation, ...]:
    return tuple(Annotation(policies.PATH, one.line, one.end_line, level, _message(one)) for one in faults)


def said(faults: tuple[Fault, ...]) -> str:
    """The first faults in one line, escaped."""
    return inline("; ".join(str(fault) for fault in faults[:3]), 600)


def _told(faults: tuple[Fault, ...], language: Language) -> tuple[CheckState, str, str]:
    if not faults:
        summary = Text.POLICY_GOOD_SUMMARY.say(language, path=policies.PATH)
        return CheckState.SUCCESS, Text.POLICY_GOOD.say(language), summary
    lines = "\n".join(f"- {inline(str(fault), MAX_MESSAGE)}" for fault in faults[:MAX_LISTED])
    summary = Text.POLICY_FAULTY_SUMMARY.say(language, path=policies.PATH, faults=lines)
    return CheckState.FAILURE, Text.POLICY_FAULTY.say(language), summary


def _message(fault: Fault) -> str:
    return f"{fault.key}: {fault.message}"[:MAX_MESSAGE] if fault.key else fault.message[:MAX_MESSAGE]
