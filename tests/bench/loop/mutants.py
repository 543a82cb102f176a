"""`make bench-mutants [PACKAGES=…] [MUTANTS=20]`: faults in published packages, repaired against their own suites.

A fault counts as one to repair where the package's suite, sound without it, runs to its end with it and is red. What
the product stands for is run once more against the whole suite: a test that passed before and fails then is a
regression, which must never be published. Without a model the mutation search repairs.

The last line is one JSON document: {"mutants":, "solved":, "regressions":, "met":}. The exit status is 1 only where the
measurement is invalid. It goes on where it was killed, as `make bench-loop` does.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from bench import sdists
from bench.loop.arms import ARMS, MUTATION, OURS
from bench.loop.found import Stage
from bench.loop.injection import Fault, faults
from bench.loop.measure import Measurement, Row, Stages, code_version, said
from bench.loop.replies import read_whole, write_whole
from bench.loop.tasks import BenchTask, digest_of
from bench.loop.world import Product, begin
from bench.say import finish, say
from bench.subjects import InvalidMeasurementError

from bot.errors import RegreenError
from bot.repair.measuring.baseline import Kind, kind, measure
from bot.repair.types import WHOLE_SUITE, Baseline, FileChange, Patch
from bot.settings import Settings, load
from bot.wiring.models import build_models
from sandbox.errors import SandboxError
from sandbox.spec import File, RunState, TestRun, Tree

PACKAGES = "humanize,sqlparse,toolz"
"""Of `sdists.txt`: a few hundred tests each, in seconds."""
MUTANTS = 20
TOKENS = 12_000
AT_ONCE = 4
INVALID = (InvalidMeasurementError, RegreenError, SandboxError, OSError, ValueError)
MOST_RED = 0.5
"""A fault that turns more of the suite red than this is an outage, which nobody has to look for."""


@dataclass(frozen=True, slots=True)
class Package:
    """A source distribution with what its suite does when it is sound."""

    name: str
    tree: Tree
    baseline: Baseline

    @property
    def repository(self) -> str:
        """Shared by all its mutants, so that they share an environment."""
        return f"bench/{self.name}"

    def task(self, number: int, fault: Fault) -> BenchTask:
        """The tree with one fault; the tests are those of the distribution, and must pass as they did."""
        return BenchTask(
            name=f"{self.name}-{number:02}",
            repository=self.repository,
            tree={**self.tree, fault.path: File(fault.content, self.tree[fault.path].mode)},
            full={},
            title=f"Tests of {self.name} fail",
            sound=frozenset(self.baseline.passing),
            fixed={fault.path: self.tree[fault.path].data},
        )

    def shows(self, run: TestRun) -> bool:
        """Whether a fault with this run is one to repair."""
        outcomes = run.outcomes
        red = sum(
            node_id not in outcomes or kind(outcomes[node_id]) is not Kind.GREEN for node_id in self.baseline.passing
        )
        return run.state is RunState.COMPLETE and 0 < red <= MOST_RED * len(self.baseline.passing)


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 when there is no valid figure."""
    parser = argparse.ArgumentParser(prog="make bench-mutants", description="Regressions that would be published.")
    parser.add_argument("--packages", default=PACKAGES, help="names of source distributions, with commas between")
    parser.add_argument("--mutants", type=int, default=MUTANTS, help="of each package")
    parser.add_argument("--tokens", type=int, default=TOKENS, help="what a model may spend on each")
    parser.add_argument("--keep", type=Path, help="where everything stays; else below REGREEN_DATA_DIR")
    options = parser.parse_args(arguments)
    return finish(lambda: _measured(options), INVALID)


def _measured(options: argparse.Namespace) -> dict[str, Any]:
    settings = load()
    begin(settings)
    models, _ = build_models(settings)
    if models.coder:
        settings = settings.model_copy(update={"model": models.coder.name})
    keep = options.keep or settings.data_dir / "bench-mutants"
    stages = Product()
    measurement = Measurement(stages, settings, options.tokens, keep, code_version())
    arm = ARMS[OURS if models.coder else MUTATION]
    rows: list[Row] = []
    names = [name.strip() for name in options.packages.split(",") if name.strip()]
    for name in names:
        for task in tasks(name, options.mutants, stages, settings, keep):
            rows.append(measurement.row(arm, task))
            said(rows[-1])
    return document(rows, len(names) * options.mutants)


def document(rows: Sequence[Row], wanted: int) -> dict[str, Any]:
    """The last line's content; `met` needs every mutant that was asked for."""
    wrong = [row for row in rows if row.broken]
    for row in wrong:
        say(f"{row.task}: what was published breaks {', '.join(row.broken[:5])}")
    return {
        "mutants": len(rows),
        "published": sum(row.claimed for row in rows),
        "solved": sum(row.solved for row in rows),
        "regressions": len(wrong),
        "unmeasured": sum(row.stop == "tests_failed_to_run" for row in rows),
        "seconds": round(sum(row.seconds for row in rows), 1),
        "met": not wrong and len(rows) == wanted,
    }


def tasks(name: str, count: int, stages: Stages, settings: Settings, keep: Path) -> Iterator[BenchTask]:
    """The first so many faults of a package that its suite shows. Raises `InvalidMeasurementError` where it is red."""
    directory = keep / "sdists"
    directory.mkdir(parents=True, exist_ok=True)
    tree = sdists.fetch(name, directory).tree
    sound = BenchTask(name, f"bench/{name}", tree, {}, name)
    with stages.open(sound, settings, keep / "logs" / f"{name}.jsonl", keep / "replies") as (stage, _, _):
        baseline = measure(stage.ports.workspace, stage.base)
        if baseline.failing:
            say(f"{name}: {len(baseline.failing)} tests are red without any fault and count for nothing")
        package = Package(name, tree, baseline)
        chosen = list(islice(_shown(package, stage, keep), count))
    if len(chosen) < count:
        say(f"{name}: its suite shows only {len(chosen)} faults")
    for number, fault in enumerate(chosen):
        say(f"{name}-{number:02}: {fault.kind} in {fault.path}:{fault.line}")
        yield package.task(number, fault)


def _shown(package: Package, stage: Stage, keep: Path) -> Iterator[Fault]:
    """Faults that the suite shows, by a few runs at once; what a run said is kept."""
    waiting = faults(package.tree, package.name)
    while batch := list(islice(waiting, AT_ONCE)):
        said_of = [keep / "faults" / f"{_digest(package, fault)}.json" for fault in batch]
        known = [read_whole(path) for path in said_of]
        unknown = [fault for fault, found in zip(batch, known, strict=True) if found is None]
        patches = tuple(Patch((FileChange(fault.path, fault.content),)) for fault in unknown)
        runs = iter(stage.ports.workspace.evaluate(stage.base, patches, WHOLE_SUITE) if patches else ())
        for fault, path, found in zip(batch, said_of, known, strict=True):
            told: Mapping[str, Any] = found or {"shows": package.shows(next(runs))}
            write_whole(path, told)
            if told["shows"]:
                yield fault


def _digest(package: Package, fault: Fault) -> str:
    return digest_of({**package.tree, fault.path: File(fault.content)})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
