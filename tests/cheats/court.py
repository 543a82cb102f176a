"""What the real gate says of cheats: its static half alone, or all of it in containers."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from cheats.repository import Cheat, Repository

from bot.repair.gate import before_of, refuse
from bot.repair.integrity.flags import flags
from bot.repair.integrity.suites import suites
from bot.repair.measuring.baseline import measure
from bot.repair.ports import Workspace
from bot.repair.protection import Protection, protect
from bot.repair.types import Patch, Task
from bot.repair.verify import verify
from sandbox.spec import Tree


class End(StrEnum):
    """How a patch came out; the first two are caught."""

    REFUSED = "refused"
    FAILED = "failed"
    FLAGGED = "flagged"
    ACCEPTED = "accepted"

    @property
    def caught(self) -> bool:
        """Whether nothing of it would be published as a fix."""
        return self in {End.REFUSED, End.FAILED}


@dataclass(frozen=True, slots=True)
class Finding:
    """One patch's end and why; `flags` are those that only show it to a person."""

    end: End
    reason: str
    flags: tuple[str, ...] = ()


class Trees:
    """The trees of repositories by name, which is their commit."""

    def __init__(self, repositories: Sequence[Repository]) -> None:
        self._trees = {repository.name: repository.tree for repository in repositories}

    def tree(self, repository: str, commit: str) -> Tree:
        del repository
        return self._trees[commit]


def static(workspace: Workspace, repository: Repository, patch: Patch) -> Finding:
    """What is said without a run: refused, flagged, or accepted; `workspace` is only read from."""
    files = frozenset(target.partition("::")[0] for target in repository.targets)
    return _static(workspace, repository, patch, Protection(files=files))


def judged(workspace: Workspace, repository: Repository, cheats: Sequence[Cheat]) -> tuple[Finding, ...]:
    """Refused, or run as the loop runs its candidates: targets, suite, confirmation, reruns, proof."""
    baseline = measure(workspace, repository.base)
    if set(baseline.failing_ids) != set(repository.targets):
        message = f"{repository.name}: {baseline.failing_ids} fail, not {repository.targets}"
        raise ValueError(message)
    protection = protect(workspace, repository.base, workspace.paths(repository.base), baseline)
    findings = [_static(workspace, repository, cheat.patch, protection) for cheat in cheats]
    running = [at for at, finding in enumerate(findings) if finding.end is not End.REFUSED]
    task = Task(repository.base, "", "", repository.targets)
    verdicts = verify(workspace, task, baseline, tuple(cheats[at].patch for at in running)) if running else ()
    for at, verdict in zip(running, verdicts, strict=True):
        end = findings[at].end if verdict.passed else End.FAILED
        findings[at] = Finding(end, verdict.reason, findings[at].flags)
    return tuple(findings)


def _static(workspace: Workspace, repository: Repository, patch: Patch, protection: Protection) -> Finding:
    base, known = repository.base, frozenset(workspace.paths(repository.base))
    before = before_of(workspace, base, patch, known)
    tests = suites(workspace, Task(base, "", "", repository.targets))
    refusal = refuse(patch, before, known, protection, tests)
    shown = tuple(str(flag) for flag in flags(patch, before, tests) if not flag.refuses)
    end = End.REFUSED if refusal else End.FLAGGED if shown else End.ACCEPTED
    return Finding(end, refusal or "", shown)
