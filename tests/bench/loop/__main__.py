"""`make bench-loop SET=quixbugs SOURCE=PATH [ARMS=…] [TASKS=…] [TOKENS=…]`: repairs for each token, arm by arm.

SET is `quixbugs` (SOURCE is a checkout of `jkoppel/QuixBugs`) or `dir` (SOURCE holds a directory for each task, see
`directory.py`). The model is the operator's: REGREEN_OPENAI_BASE_URL, REGREEN_MODEL, REGREEN_FREE_MODELS. Replies and
finished results are kept in KEEP, so that the same command goes on where it was killed. The last line is one JSON
document; the exit status is 1 only where the measurement is invalid.
"""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.loop import arms as known_arms
from bench.loop import directory, quixbugs
from bench.loop.arms import Arm
from bench.loop.measure import Measurement, Row, code_version, said
from bench.loop.report import document, table
from bench.loop.tasks import BenchTask, chosen
from bench.loop.world import Product, begin
from bench.say import finish, say
from bench.subjects import InvalidMeasurementError

from bot.errors import RegreenError
from bot.settings import Settings, load
from bot.wiring.models import build_models
from sandbox.errors import SandboxError

SETS: Mapping[str, Callable[[Path], tuple[BenchTask, ...]]] = {"quixbugs": quixbugs.tasks, "dir": directory.tasks}
TOKENS = 12_000


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 when there is no valid figure."""
    options = _options(arguments)
    return finish(lambda: _measured(options), (InvalidMeasurementError, RegreenError, SandboxError, OSError))


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-loop", description="Repairs for each token, arm by arm.")
    parser.add_argument("--set", choices=SETS, default="quixbugs")
    parser.add_argument("--source", type=Path, required=True, help="what the tasks are made of")
    parser.add_argument("--arms", default="", help=f"of {', '.join(known_arms.ARMS)}, with commas between")
    parser.add_argument("--tasks", default="", help="names with commas between, or how many; else all")
    parser.add_argument("--tokens", type=int, default=TOKENS, help="what every arm may spend on a task")
    parser.add_argument("--keep", type=Path, help="where replies and results stay; else below REGREEN_DATA_DIR")
    return parser.parse_args(arguments)


def _measured(options: argparse.Namespace) -> dict[str, Any]:
    settings = load()
    begin(settings)
    arms = known_arms.named(options.arms)
    tasks = chosen(SETS[options.set](options.source), options.tasks)
    settings, model = _with_model(settings, arms)
    keep = options.keep or settings.data_dir / "bench-loop"
    measurement = Measurement(Product(), settings, options.tokens, keep, code_version())
    say(f"{len(tasks)} tasks, {len(arms)} arms, {options.tokens} tokens a task, model {model or 'none'}")
    say(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start")
    rows: list[Row] = []
    for row in measurement.rows(arms, tasks):
        rows.append(row)
        said(row)
    for line in table(rows):
        say(line)
    return document(options.set, rows, options.tokens, model)


def _with_model(settings: Settings, arms: Sequence[Arm]) -> tuple[Settings, str]:
    """The model by its name, so that it is asked for once; arms that ask one cannot do without."""
    if not any(arm.asks for arm in arms):
        return settings, ""
    models, _ = build_models(settings)
    if models.coder is None:
        raise InvalidMeasurementError("These arms ask a model: set REGREEN_OPENAI_BASE_URL")
    return settings.model_copy(update={"model": models.coder.name}), models.coder.name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
