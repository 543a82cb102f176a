"""`regreen fix`, `gate`, `solve`: what needs no GitHub, in a directory of this machine."""

import secrets as randomness
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from bot import policy as policies
from bot.adapters.containment import require_runtime
from bot.adapters.local import LocalTrees
from bot.commands import Shown
from bot.commands.progress import Telling
from bot.errors import ConfigurationError
from bot.pipeline.given import paths, read_patch
from bot.pipeline.local import NO_ISSUE, fix_local, one_line
from bot.pipeline.ports.job import Trees
from bot.pipeline.prepare import prepare
from bot.pipeline.steps import Steps
from bot.progress import Progress
from bot.repair.gate import Judgement, judge
from bot.repair.meter import Meter, MeteredModel
from bot.repair.prompting.room import Asker, Room
from bot.repair.rules import Rules, World
from bot.repair.solving.solution import SolutionProposer
from bot.repair.solving.solve import plan
from bot.repair.solving.solve import solve as solved
from bot.repair.team.roles import Role
from bot.repair.types import Base
from bot.run_progress import RunProgress
from bot.settings import Settings
from bot.wiring.application import Local
from bot.wiring.application import local as build_local
from bot.wiring.sandbox import Sandbox
from sandbox.errors import SandboxError
from sandbox.spec import Given, Tree

SIGNALLED = 128
"""Added to a signal's number in an exit status, as shells do."""


def fix(settings: Settings, path: Path, test_command: str, issue: str, progress: Progress, *, apply: bool) -> Shown:
    """Repair a local repository's failing tests; `issue` is a title line and a text. Raises `WorkspaceError`."""
    trees = LocalTrees(path)
    title, _, text = issue.partition("\n")
    with _local(settings, trees, test_command, progress) as (local, steps, base):
        about = (title.strip(), text) if issue.strip() else NO_ISSUE
        report = fix_local(base, about, local.ports, local.terms, steps)
    lines = report.lines()
    if report.patch is not None:
        lines += ["", report.diff.rstrip(), ""]
        if apply:
            trees.apply(report.patch)
        lines.append("Applied." if apply else "Nothing was written: --apply writes this fix.")
    return Shown(report.good, report.as_json() | {"applied": apply and report.patch is not None}, lines)


def gate(settings: Settings, path: Path, diff: bytes, test_command: str, progress: Progress) -> Shown:
    """Judge a unified diff against a local repository. Raises `EditError`, `WorkspaceError`."""
    trees = LocalTrees(path)
    touched = paths(diff)
    patch = read_patch(diff, {name: trees.snapshot[name].data for name in touched if name in trees.snapshot})
    with _local(settings, trees, test_command, progress) as (local, _, base), progress.doing("judging the patch"):
        judgement = judge(local.ports.workspace, base, patch, protected=local.terms.protected)
    return Shown(judgement.passed, judgement.as_json(), _judged(judgement))


def solve(settings: Settings, task: str, tests: str, progress: Progress) -> Shown:
    """Write code from a description until hidden tests pass. Raises `ConfigurationError` without a model."""
    what = plan(task, tests)
    local = _parts(settings, _OneTree(what.tree), progress)
    model = local.ports.models.coder
    if model is None:
        raise ConfigurationError(
            "Code from a description needs a model", "Set OPENAI_BASE_URL or OPENAI_API_KEY, and REGREEN_MODEL."
        )
    facts = local.terms.facts.coder
    ports, meter = local.ports, Meter(local.terms.budget, local.ports.clock)
    metered = MeteredModel(model, meter, facts.dollars, Role.CODER, facts.share)
    proposer = SolutionProposer(Asker(metered, Room(facts), facts.temperature))
    with _stoppable(local.sandbox), progress.doing("solving"):
        report = solved(what, proposer, World(ports.workspace, ports.clock, ports.journal, meter), Rules())
    return Shown(report.solved, report.as_json(), report.lines())


@dataclass(frozen=True, slots=True)
class _OneTree:
    only: Tree

    def tree(self, repository: str, commit: str) -> Tree:
        del repository, commit
        return self.only


def _parts(settings: Settings, trees: Trees, progress: Progress) -> Local:
    log = settings.data_dir / "runs" / f"local-{randomness.token_hex(6)}" / "log.jsonl"
    local = build_local(settings, trees, log)
    if settings.sandbox_runtime:
        require_runtime(local.sandbox.engine.ping(), settings.sandbox_runtime)
    journal = Telling(local.ports.journal, RunProgress(progress))
    return replace(local, ports=replace(local.ports, journal=journal))


@contextmanager
def _local(
    settings: Settings, trees: LocalTrees, test_command: str, progress: Progress
) -> Iterator[tuple[Local, Steps, Base]]:
    """The parts, bound by the tree's own policy file, with the environment ready."""
    found = trees.snapshot.get(policies.PATH)
    policy = policies.parse(found.data if found else None)
    local = _parts(settings, trees, progress)
    local = replace(local, terms=replace(local.terms, protected=policy.protected))
    steps = Steps(local.ports.clock, local.ports.journal)
    with _stoppable(local.sandbox):
        with steps.step("prepare"):
            given = on_command_line(policy.given, test_command)
            environments, journal = local.sandbox.environments, local.ports.journal
            base = prepare(environments, journal, f"local{trees.path}", trees.commit, given)
        yield local, steps, base


@contextmanager
def _stoppable(sandbox: Sandbox) -> Iterator[None]:
    """Leave no container behind; SIGINT and SIGTERM end them first: what waits for them then ends at once."""

    def stop(number: int, _frame: object) -> NoReturn:
        print("Stopping the containers …", file=sys.stderr, flush=True)  # noqa: T201 - a person waits
        with suppress(SandboxError):
            sandbox.stop()
        raise SystemExit(SIGNALLED + number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        sandbox.close()
        for number, handler in before.items():
            signal.signal(number, handler)


def split_command(command: str) -> tuple[str, ...]:
    """A test command's words. Raises `ConfigurationError`."""
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        raise ConfigurationError(f"The test command cannot be read: {error}", "Check its quotes.") from None


def on_command_line(given: Given, test_command: str) -> Given:
    """What a policy file decides, with the test command of the command line. Raises `ConfigurationError`."""
    if not test_command:
        return given
    return replace(given, test_command=split_command(test_command), command_source="the command line")


def _judged(judgement: Judgement) -> list[str]:
    change = judgement.comparison
    lines = [f"passed before, fails now: {one_line(node_id)}" for node_id in change.regressed]
    lines.append(
        f"{len(change.fixed)} fixed, {len(change.still_failing)} still failing, {len(change.regressed)} regressed"
    )
    reason = f": {one_line(judgement.reason)}" if judgement.reason else ""
    return [*lines, f"{'passes the gate' if judgement.passed else 'does not pass the gate'}{reason}"]
