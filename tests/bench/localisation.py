"""`make bench-localisation [PACKAGES=…] [MUTANTS=12]`: where faulty functions rank, with coverage and without.

Faults are put into published packages as `make bench-mutants` does; no model is asked, nothing is repaired. The last
line is one JSON document: {"mutants":, "observed": {k: share}, "read": {k: share}}, the shares of faults whose function
is among the first k suspects. It goes on where it was killed.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.loop.found import Stage
from bench.loop.mutants import PACKAGES, tasks
from bench.loop.replies import read_whole, write_whole
from bench.loop.tasks import BenchTask
from bench.loop.world import Product
from bench.say import finish, say
from bench.subjects import InvalidMeasurementError

from bot.errors import RegreenError
from bot.repair.localisation.evidence import Investigation
from bot.repair.localisation.observed import Covered
from bot.repair.localisation.ranking import accuracy, ranks
from bot.repair.measuring.baseline import measure
from bot.repair.ports import Workspace
from bot.repair.types import Base, Baseline, FileChange, Patch, Selection, SourceFile, Task
from bot.settings import load

MUTANTS = 12
OBSERVED, READ = "observed", "read"


@dataclass(frozen=True, slots=True)
class Unobserved:
    """The same workspace, in which no call is seen."""

    workspace: Workspace

    def coverage(self, base: Base, patch: Patch, selection: Selection) -> tuple[Covered, ...]:
        """None."""
        del base, patch, selection
        return ()

    def read(self, base: Base, paths: tuple[str, ...]) -> tuple[SourceFile, ...]:
        """As it does."""
        return self.workspace.read(base, paths)

    def __getattr__(self, name: str) -> Any:
        """Everything else as well."""
        return getattr(self.workspace, name)


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 when there is no valid figure."""
    parser = argparse.ArgumentParser(prog="make bench-localisation", description="Ranks of faulty functions.")
    parser.add_argument("--packages", default=PACKAGES, help="names of source distributions, with commas between")
    parser.add_argument("--mutants", type=int, default=MUTANTS, help="of each package")
    parser.add_argument("--keep", type=Path, help="where everything stays; else below REGREEN_DATA_DIR")
    options = parser.parse_args(arguments)
    return finish(lambda: _measured(options), (InvalidMeasurementError, RegreenError, OSError, ValueError))


def _measured(options: argparse.Namespace) -> dict[str, Any]:
    settings, stages = load(), Product()
    keep: Path = options.keep or settings.data_dir / "bench-localisation"
    found: list[dict[str, int]] = []
    for name in options.packages.split(","):
        for task in tasks(name.strip(), options.mutants, stages, settings, keep):
            said_of = keep / "ranks" / f"{task.name}.json"
            told = read_whole(said_of)
            if told is None:
                with stages.open(task, settings, keep / "logs" / f"{task.name}.jsonl", keep / "replies") as (
                    stage,
                    _,
                    _,
                ):
                    told = ranked(stage, task)
                write_whole(said_of, told)
            say(f"{task.name}: {json.dumps(told)}")
            found.append({kind: int(told[kind]) for kind in (OBSERVED, READ)})
    shares = {kind: accuracy([one[kind] for one in found]) for kind in (OBSERVED, READ)}
    return {"mutants": len(found), **shares}


def ranked(stage: Stage, task: BenchTask) -> dict[str, int]:
    """The best rank of what a person would edit, with coverage and without; 0 where it is no suspect."""
    workspace = stage.ports.workspace
    baseline = measure(workspace, stage.base)
    return {
        kind: _rank(one, stage.base, baseline, task)
        for kind, one in ((OBSERVED, workspace), (READ, Unobserved(workspace)))
    }


def _rank(workspace: Workspace, base: Base, baseline: Baseline, task: BenchTask) -> int:
    evidence = Investigation(workspace).look(Task(base, task.title, task.text, baseline.failing_ids), baseline)
    fix = Patch(tuple(FileChange(path, data) for path, data in sorted(task.fixed.items())))
    found = ranks(fix, {path: task.tree[path].data for path in fix.paths if path in task.tree}, evidence.suspects)
    return found[0].rank if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
