"""Source distributions that nobody prepared, set up and tested by Regreen and by hand; see `environments.py`."""

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench import by_hand, sdists

from bot import settings as settings_module
from bot.errors import RegreenError, SetUpError, WorkspaceError
from bot.repair.measuring.baseline import settle
from bot.repair.types import WHOLE_SUITE, Patch
from bot.wiring.sandbox import Sandbox, build_sandbox, install_settings
from sandbox.environments.toolchains import BaseImages
from sandbox.errors import SandboxError
from sandbox.registries import Registries
from sandbox.spec import Given, Outcome, RunState, TestRun, Tree

LIST = Path(__file__).with_name("sdists.txt")
SHARE = 0.85
"""Of the names: 17 of 20."""


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one name."""

    name: str
    ours: int
    by_hand: int
    said: str
    seconds: float
    recipe: str = ""
    valid: bool = True

    @property
    def as_by_hand(self) -> bool:
        """As many tests pass as by hand, and some do."""
        return self.ours >= max(self.by_hand, 1)

    @property
    def explained(self) -> bool:
        """Fewer pass, and a report about the repository, not about this machine, says what is missing."""
        return self.valid and not self.as_by_hand and bool(self.said)


class Trees:
    """`bot.pipeline.ports.job.Trees` over what was fetched."""

    def __init__(self) -> None:
        self.known: dict[str, Tree] = {}

    def tree(self, repository: str, commit: str) -> Tree:
        """The source distribution's."""
        del commit
        return self.known[repository]


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 where this machine, or the index, kept a name from being measured."""
    options = _options(arguments)
    names = options.names or options.list.read_text(encoding="utf-8").split()
    settings = settings_module.load()
    trees = Trees()
    sandbox = build_sandbox(settings, trees)
    with tempfile.TemporaryDirectory() as scratch:
        keep = options.keep or Path(scratch)
        keep.mkdir(parents=True, exist_ok=True)
        rows = [_row(name, keep, sandbox, trees) for name in names]
    same = sum(row.as_by_hand for row in rows)
    explained = sum(row.explained for row in rows)
    met = same >= SHARE * len(rows) and same + explained == len(rows)
    print(json.dumps({"of": len(rows), "as_by_hand": same, "explained": explained, "met": met}))  # noqa: T201
    return 0 if all(row.valid for row in rows) else 1


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="environments.py", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", type=Path, default=LIST)
    parser.add_argument("--keep", type=Path)
    return parser.parse_args(arguments)


def _row(name: str, keep: Path, sandbox: Sandbox, trees: Trees) -> Row:
    started = time.monotonic()
    try:
        sdist = sdists.fetch(name, keep)
        trees.known[name] = sdist.tree
        row, report = _ours(name, sandbox)
        hand = _by_hand(sdist, sandbox)
    except (OSError, ValueError) as error:
        row, report, hand = Row(name, 0, 0, "", 0.0, valid=False), str(error), by_hand.ByHand(0, "")
    row = replace(row, by_hand=hand.passed, said=row.said or hand.note, seconds=time.monotonic() - started)
    (keep / f"{name}.report.txt").write_text(f"{report}\n\n=== by hand\n{hand.tail}\n", encoding="utf-8")
    mark = "same" if row.as_by_hand else "explained" if row.explained else "FEWER"
    said = "" if row.as_by_hand else f" {' '.join(row.said.split())[:200]}"
    print(  # noqa: T201 - the table
        f"{name:18} {row.ours:6} {row.by_hand:6} {mark:10} {row.seconds:6.1f} s  {row.recipe[:60]}{said}", flush=True
    )
    return row


def _ours(name: str, sandbox: Sandbox) -> tuple[Row, str]:
    """Regreen's way: detect, install, run the whole suite. What is said is what its report would say."""
    try:
        base = sandbox.environments.prepare(name, name, Given())
        runs = sandbox.workspace.evaluate(base, (Patch(),), WHOLE_SUITE)
    except (RegreenError, SandboxError) as error:
        said, valid = f"{error.cause} {error.remedy}".replace("\n", " "), isinstance(error, SetUpError)
        return Row(name, 0, 0, said, 0.0, valid=valid), f"{error.cause}\n{error.remedy}"
    run = runs[0]
    count = sum(result.outcome is Outcome.PASSED for result in run.results) if run.state is RunState.COMPLETE else 0
    said = " ".join((*_unbelieved(run), *base.recipe.unmet))
    red = "\n".join(f"{result.node_id}: {result.exception}: {result.message[:500]}" for result in run.red)
    report = f"{run.state} {base.recipe}\n{red}\n{run.output[-3000:]}"
    return Row(name, count, 0, said, 0.0, " ".join(base.recipe.test_command)), report


def _unbelieved(run: TestRun) -> tuple[str, ...]:
    """What the job would end with where the run is none to start from."""
    try:
        settle((run,))
    except WorkspaceError as error:
        return (error.cause, error.remedy)
    return ()


def _by_hand(sdist: sdists.Sdist, sandbox: Sandbox) -> by_hand.ByHand:
    settings = settings_module.load()
    install = install_settings(settings, Registries())
    return by_hand.run(sdist, sandbox.engine, install, BaseImages(settings.base_images).of_toolchain("python"))
