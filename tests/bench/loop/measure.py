"""Every arm on every task; what is finished is kept, so that a measurement that was killed goes on where it was."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol, cast

from bench.loop.arms import Arm
from bench.loop.found import Found, Stage
from bench.loop.judgement import Judgement, judge
from bench.loop.localisation import Listening, rank
from bench.loop.replies import CachedModel, HonestClock, read_whole, write_whole
from bench.loop.tasks import BenchTask
from bench.say import say
from bench.subjects import InvalidMeasurementError

from bot.errors import (
    CollectionFailedError,
    NoTestsError,
    RegreenError,
    SuiteOutputError,
    SuiteTimeoutError,
)
from bot.repair.types import Patch, StopReason
from bot.settings import Settings

ROOT = Path(__file__).parents[3]
MOST_DETAIL = 500
UNMEASURABLE = (CollectionFailedError, NoTestsError, SuiteOutputError, SuiteTimeoutError)
"""What is wrong with a task, not with this machine."""
OF_THE_MACHINE = frozenset({
    "data_dir", "host", "port", "log_level", "docker_host", "ca_bundle", "private_hosts", "allowed_hosts",
    "openai_base_url", "openai_api_key", "webhook_secrets", "private_key_file", "model_timeout",
})  # fmt: skip
"""Settings that no result depends on."""
SAYS_ONLY = {"report.py", "significance.py", "__main__.py", "mutants.py", "injection.py"}
"""What of this package decides nothing about a result: it reports, or makes tasks, which have digests of their own."""


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one task with one arm. `claimed` is what the arm says, `solved` what the full tests say.

    `seconds` are from the baseline to the solution, replies as slow as they were at first; `plausible` is whether any
    patch made the targets pass, `plausible_right` whether the first such one passes the full tests. `broken` are tests
    that passed before what the arm stands for, and fail with it. `rank` is what `localisation.rank` says.
    """

    arm: str
    task: str
    claimed: bool
    solved: bool
    stop: str
    detail: str
    seconds: float
    prompt_tokens: int = 0
    completion_tokens: int = 0
    attempts: int = 0
    plausible: bool = False
    plausible_right: bool = False
    broken: tuple[str, ...] = ()
    origin: str = ""
    rank: int | None = None

    @property
    def tokens(self) -> int:
        """Both directions."""
        return self.prompt_tokens + self.completion_tokens


class Stages(Protocol):
    """Sets tasks up."""

    def open(
        self, task: BenchTask, settings: Settings, log: Path, replies: Path
    ) -> AbstractContextManager[tuple[Stage, HonestClock, Sequence[CachedModel]]]:
        """One task for one arm. Raises `RegreenError`."""
        ...


@dataclass(frozen=True, slots=True)
class Measurement:
    """`keep` is where replies, results and logs lie; `code` names the version of what is measured."""

    stages: Stages
    settings: Settings
    tokens: int
    keep: Path
    code: str

    def rows(self, arms: Sequence[Arm], tasks: Sequence[BenchTask]) -> Iterator[Row]:
        """Task by task, each with every arm, so that what there is can be compared whenever it stops."""
        for task in tasks:
            for arm in arms:
                yield self.row(arm, task)

    def row(self, arm: Arm, task: BenchTask) -> Row:
        """What is kept, or a run. Raises `InvalidMeasurementError` where this machine or the model fails."""
        settings = arm.over(self.settings, self.tokens)
        name = f"{arm.name}-{task.name}-{self._digest(arm, task, settings)[:16]}"
        path = self.keep / "results" / f"{name}.json"
        if kept := read_whole(path):
            return Row(**{**kept, "broken": tuple(kept["broken"])})
        log = self.keep / "logs" / f"{name}.jsonl"
        # What a killed run wrote there is not the beginning of this one.
        log.unlink(missing_ok=True)
        try:
            row = self._ran(arm, task, settings, log)
        except RegreenError as error:
            raise InvalidMeasurementError(f"{arm.name} on {task.name}: {error}") from error
        write_whole(path, asdict(row))
        return row

    def _ran(self, arm: Arm, task: BenchTask, settings: Settings, log: Path) -> Row:
        with self.stages.open(task, settings, log, self.keep / "replies") as (opened, clock, _):
            heard = Listening(opened.ports.journal)
            # mypy does not count what `__getattr__` offers
            stage = replace(opened, ports=replace(opened.ports, journal=cast("Any", heard)))
            begin = clock.now()
            try:
                found = arm.run(task, stage)
            except UNMEASURABLE as error:
                return _unmeasured(arm, task, str(error), clock.now() - begin)
            seconds = clock.now() - begin
            if found.stop == StopReason.MODEL_FAILED:
                raise InvalidMeasurementError(f"{arm.name} on {task.name}: the model failed: {found.detail}")
            patches = dict.fromkeys(patch for patch in (found.solution, found.plausible) if patch)
            judged = {patch: judge(patch, found.baseline, task, stage) for patch in patches}
        return replace(_row(arm, task, found, judged, seconds), rank=rank(heard.suspects, task))

    def _digest(self, arm: Arm, task: BenchTask, settings: Settings) -> str:
        kept: dict[str, Any] = settings.model_dump(mode="json", exclude=set(OF_THE_MACHINE))
        about = [self.code, arm.name, repr(arm.way), kept, task.digest]
        return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


def _row(arm: Arm, task: BenchTask, found: Found, judged: Mapping[Patch, Judgement], seconds: float) -> Row:
    solution = judged[found.solution] if found.solution else None
    plausible = judged[found.plausible] if found.plausible else None
    return Row(
        arm=arm.name,
        task=task.name,
        claimed=solution is not None,
        solved=solution is not None and solution.right,
        stop=str(found.stop),
        detail=found.detail[:MOST_DETAIL],
        prompt_tokens=found.usage.prompt_tokens,
        completion_tokens=found.usage.completion_tokens,
        seconds=round(seconds, 1),
        attempts=found.attempts,
        plausible=plausible is not None,
        plausible_right=plausible is not None and plausible.right,
        broken=solution.broken if solution else (),
        origin=found.origin,
    )


def _unmeasured(arm: Arm, task: BenchTask, detail: str, seconds: float) -> Row:
    """A task whose tests cannot be run, which no arm can solve."""
    stop = str(StopReason.TESTS_FAILED_TO_RUN)
    return Row(
        arm=arm.name,
        task=task.name,
        claimed=False,
        solved=False,
        stop=stop,
        detail=detail[:MOST_DETAIL],
        seconds=round(seconds, 1),
    )


def code_version(root: Path = ROOT) -> str:
    """Changes with every file that a result may depend on."""
    found = hashlib.sha256()
    for path in _sources(root):
        found.update(f"{path.relative_to(root)}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def _sources(root: Path) -> Iterable[Path]:
    loop = root / "tests" / "bench" / "loop"
    own = (path for path in loop.glob("*.py") if path.name not in SAYS_ONLY)
    apart = {root / "bot" / "demo", root / "bot" / "web"}
    product = (path for top in ("bot", "sandbox") for path in (root / top).rglob("*.py"))
    return sorted((*own, *(path for path in product if not apart & set(path.parents))))


def said(row: Row) -> None:
    """One line as soon as there is one."""
    end = "solved" if row.solved else "WRONG" if row.claimed else row.stop
    say(f"{row.task:32} {row.arm:28} {end:14} {row.attempts:3} attempts {row.tokens:7} tokens {row.seconds:8.1f} s")
