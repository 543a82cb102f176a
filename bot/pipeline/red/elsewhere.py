"""Runs tests on other commits than the one that is worked on."""

from dataclasses import dataclass

from bot.errors import FetchError, WorkspaceError
from bot.pipeline.ports.job import Ports
from bot.pipeline.prepare import prepare
from bot.repair.measuring.flaky import MOST_NAMED
from bot.repair.measuring.odds import RERUNS
from bot.repair.types import WHOLE_SUITE, Base, Patch, Selection
from sandbox.spec import Given, RunState, TestRun


class UntestableError(Exception):
    """A commit whose tests could not be run, with the cause; never leaves this package."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a test did in the believable runs on a commit; both are 0 where it was in none of them."""

    passed: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The repository's other commits, tested as `given` in its policy."""

    ports: Ports
    repository: str
    given: Given

    def seen(self, commit: str, ids: tuple[str, ...]) -> dict[str, Seen]:
        """Run these tests a few times on the commit, each time in a fresh container.

        Raises `UntestableError` where the commit cannot be brought or its tests cannot be run at all.
        """
        try:
            self.ports.sources.fetch(self.repository, commit)
            base = prepare(self.ports.environments, self.ports.journal, self.repository, commit, self.given)
        except (FetchError, WorkspaceError) as error:
            raise UntestableError(error.cause.partition("\n")[0]) from None
        return repeated(self.ports, base, ids)


def repeated(ports: Ports, base: Base, ids: tuple[str, ...], times: int = RERUNS) -> dict[str, Seen]:
    """Run these tests apart from the rest, `times` times; too many to name with the whole suite.

    Raises `UntestableError` where none of the runs can be believed.
    """
    selection = WHOLE_SUITE if len(ids) > MOST_NAMED else Selection(ids)
    try:
        runs = ports.workspace.evaluate(base, (Patch(),) * times, selection)
    except WorkspaceError as error:
        raise UntestableError(error.cause.partition("\n")[0]) from None
    believed = [run for run in runs if run.state in {RunState.COMPLETE, RunState.NO_TESTS}]
    if not believed:
        raise UntestableError(f"no run of the tests on {base.commit[:12]} can be believed")
    return {node_id: _seen(node_id, believed) for node_id in ids}


def _seen(node_id: str, runs: list[TestRun]) -> Seen:
    found = [run.outcomes[node_id] for run in runs if node_id in run.outcomes]
    failed = sum(outcome.red for outcome in found)
    return Seen(len(found) - failed, failed)
