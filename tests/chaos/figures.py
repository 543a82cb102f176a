"""`make chaos`: three workers on one Postgres, killed, cut off, paused, stopped; Postgres down; clocks that go wrong.

`--lease S` (10), `--cut S` (60) how long one is cut off, `--every N` (1) of the steps of a fix at which one is killed,
`--only WORD` in a case's name, `--keep DIRECTORY`. The workers, the webhook server and Postgres are processes, the
stand-in for GitHub is the demo's; a model's replies and what suites do are scripted. A case holds when each of its
jobs ended once, in order in its repository, with one pull request, one comment and one spend. The last line is one
JSON document; the exit status is 1 only when the measurement is invalid.
"""

import argparse
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import sqlalchemy as sa
from bench.say import finish, say
from bench.storm_acts import Plot
from chaos import cases
from chaos.holds import steps_of
from chaos.stage import Stage, place_of, staged
from chaos.verdict import judge
from postgres_server import programs, running

from bot.demo.processes import DemoError
from bot.errors import RegreenError

BESIDE = 4
"""At every so manieth step a second issue of the same repository waits behind the first."""


@dataclass(frozen=True, slots=True)
class Case:
    """A name for people, and what is done."""

    name: str
    act: Callable[[Stage], tuple[Plot, ...]]


def kills(steps: Sequence[str], every: int) -> Iterator[Case]:
    """One for each step of a fix."""
    for number, name in enumerate(steps, start=1):
        if (number - 1) % every == 0:
            issues = 2 if number % BESIDE == 0 else 1
            act = partial(cases.killed_at, step=number, issues=issues)
            yield Case(f"killed at step {number}, {name}", act)


def others(middle: int, lease: float, cut: float) -> Iterator[Case]:
    """What is done to more than one process, or for longer."""
    late, reset = (partial(cases.cut_off, step=middle, seconds=cut, reset=reset) for reset in (False, True))
    yield Case(f"cut off for {cut:.0f} s, and what it sent arrives late", late)
    yield Case(f"cut off for {cut:.0f} s, and its connections are reset", reset)
    yield Case("its machine stands still for longer than its lease", partial(cases.paused, step=middle))
    yield Case("stopped in good order", partial(cases.drained, step=middle))
    yield Case("all killed at once", partial(cases.all_killed, step=middle))
    yield Case("Postgres restarted", partial(cases.restarted, step=middle, down=0.5, crash=False))
    longer = partial(cases.restarted, step=middle, down=2 * lease, crash=True)
    yield Case("Postgres crashed, and down for longer than a lease", longer)
    yield Case("one clock ahead and one behind", partial(cases.wrong_clocks, step=middle))


def measure(place: Path, asked: argparse.Namespace) -> dict[str, object]:
    """The last line's content."""
    binaries = programs()
    if binaries is None:
        raise DemoError("there is no Postgres on this machine")
    with running(binaries) as cluster, staged(place, cluster, asked.lease) as stage:
        first = Case("undisturbed", cases.undisturbed)
        calm = first.act(stage)
        if found := judge(stage, calm):
            raise DemoError(f"even undisturbed: {found}")
        steps = steps_of(stage.database, place_of(calm[-1]))
        say(f"a fix has {len(steps)} steps")
        middle = middle_of(steps)
        wanted = [
            [one for one in group if asked.only in one.name]
            for group in (kills(steps, asked.every), *([one] for one in others(middle, asked.lease, asked.cut)))
        ]
        held = [verdict for group in wanted for verdict in _run(stage, group)]
    return {"cases": len(held), "held": sum(held), "met": bool(held) and all(held)}


def middle_of(steps: Sequence[str]) -> int:
    """A step about the middle of a fix that asks no model: whoever takes over asks that again, by design."""
    order = sorted(range(1, len(steps) + 1), key=lambda number: abs(number - len(steps) // 2))
    return next(number for number in order if "Model" not in steps[number - 1])


def _run(stage: Stage, group: Sequence[Case]) -> list[bool]:
    """What each did is looked at when all of its group have been done: those of a group may overlap."""
    done = []
    for case in group:
        done.append((case, *_act(stage, case)))
        say(f"done   {case.name}")
    stage.await_ends([plot for _, plots, _ in done for plot in plots], cases.END_SECONDS)
    verdicts = []
    for case, plots, trouble in done:
        found = [trouble] if trouble else judge(stage, plots)
        verdicts.append(not found)
        say(f"{'holds' if not found else 'FAILS'}  {case.name}")
        for line in found:
            say(f"       {line}")
    return verdicts


def _act(stage: Stage, case: Case) -> tuple[tuple[Plot, ...], str]:
    try:
        return case.act(stage), ""
    except (DemoError, RegreenError) as error:
        stage.muster()
        return (), str(error)


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 when there is no valid figure."""
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--lease", type=float, default=10.0)
    parser.add_argument("--cut", type=float, default=60.0)
    parser.add_argument("--every", type=int, default=1, choices=range(1, 1001), metavar="N")
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--keep", type=Path, default=None, help="an empty directory for logs")
    options = parser.parse_args(arguments)
    # So that what was started is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    invalid = (DemoError, OSError, RuntimeError, ValueError, sa.exc.SQLAlchemyError)
    if options.keep:
        options.keep.mkdir(parents=True)
        return finish(lambda: measure(options.keep.absolute(), options), invalid)
    with tempfile.TemporaryDirectory(prefix="regreen-chaos-") as place:
        return finish(lambda: measure(Path(place), options), invalid)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
