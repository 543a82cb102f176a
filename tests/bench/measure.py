"""Measures the pipeline and its floor in turns, and says what came out."""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import httpx
from bench import subjects
from bench.figures import TARGET, Figures, Pair, document, lines
from bench.floor import Floor
from bench.journal import Run
from bench.say import finish, say
from bench.stage import Stage, set_up
from bench.subjects import InvalidMeasurementError, Subject
from docker.errors import DockerException
from model_server import ModelServer

from bot.demo.processes import DemoError
from bot.settings import load

SUBJECTS = ("sample", "real")
WRITE_SPACING = 1.0
"""Seconds between two writes that GitHub asks for, and the setting's default."""

FAILURES = (
    InvalidMeasurementError,
    DemoError,
    DockerException,
    httpx.HTTPError,
    OSError,
    subprocess.TimeoutExpired,
)


@dataclass(frozen=True, slots=True)
class Bench:
    """One stage and one engine, for every measurement of this call."""

    stage: Stage
    floor: Floor

    def cold(self, subject: Subject) -> Pair:
        """Without mirror and environment. The pipeline goes first: what it leaves in any cache helps the floor."""
        run = self.stage.repair(subject)
        return Pair(run, self.floor.measure(subject, self.stage.github, run, install=True))

    def warm(self, subject: Subject, like: Run, *, floor_first: bool) -> Pair:
        """With both. Raises `InvalidMeasurementError` when the run's tests are not those of the run before it."""
        run = None if floor_first else self.stage.repair(subject)
        measured = self.floor.measure(subject, self.stage.github, run or like, install=False)
        run = run or self.stage.repair(subject)
        if run.work != like.work:
            raise InvalidMeasurementError(f"{subject.name}: one run made {like.work}, another {run.work}")
        return Pair(run, measured)

    def figures(self, chosen: Sequence[Subject], repeat: int) -> list[Figures]:
        """Every figure. The subjects take turns, and so does who goes first."""
        cold = [self.cold(subject) for subject in chosen]
        rounds = [
            [self.warm(subject, cold[at].run, floor_first=number % 2 == 1) for at, subject in enumerate(chosen)]
            for number in range(repeat)
        ]
        return [Figures(subject.name, cold[at], tuple(one[at] for one in rounds)) for at, subject in enumerate(chosen)]

    def write_spacing(self, subject: Subject, repeat: int) -> float:
        """What the spacing of writes adds to the steps that write, so that no suite's noise is in it: medians."""
        seconds = []
        for spacing in (0.0, WRITE_SPACING):
            self.stage.restart_worker(spacing)
            seconds.append(median(self.stage.repair(subject).writing for _ in range(repeat)))
        return seconds[1] - seconds[0]


def main(arguments: list[str]) -> int:
    """Measure and print; 1 when there is no valid figure."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, choices=range(1, 51), metavar="N", help="warm repetitions")
    parser.add_argument("--only", choices=SUBJECTS, action="append", help="leave the other subject out")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="regreen-bench-") as place:
        return finish(lambda: _measured(Path(place), options.only or SUBJECTS, options.repeat), FAILURES)


def _measured(place: Path, names: Sequence[str], repeat: int) -> dict[str, Any]:
    chosen = [_subject(name, place) for name in names]
    order = [*chosen * (1 + repeat), *[chosen[0]] * (2 * repeat)]
    floor = Floor(load(), place)
    with ModelServer([{"text": subject.reply} for subject in order], place / "model.jsonl") as model:
        try:
            for subject in chosen:
                floor.forget_images(subject.repository)
            found, spacing = _on_stage(place, chosen, repeat, model.base_url, floor)
        finally:
            for subject in chosen:
                floor.forget_images(subject.repository)
            floor.close()
        if len(model.chats) != len(order):
            raise InvalidMeasurementError(f"The model was asked {len(model.chats)} times in {len(order)} runs")
    return _report(found, spacing)


def _on_stage(
    place: Path, chosen: Sequence[Subject], repeat: int, model_url: str, floor: Floor
) -> tuple[list[Figures], float]:
    stage = set_up(place, chosen, model_url, os.environ)
    try:
        bench = Bench(stage, floor)
        return bench.figures(chosen, repeat), bench.write_spacing(chosen[0], repeat)
    finally:
        stage.processes.stop()
        stage.person.client.close()


def _subject(name: str, place: Path) -> Subject:
    if name == "sample":
        return subjects.sample()
    say(f"Fetching {subjects.PACKAGE}")
    return subjects.real(place / "download")


def _report(found: Sequence[Figures], spacing: float) -> dict[str, Any]:
    say("Label → pull request with a model that answers at once. Floor: a clone, the install if cold, and as many")
    say("plain containers running the same tests, one after the other; the pipeline runs two at once where it can.")
    for one in found:
        for line in lines(one):
            say(line)
    say(f"Write spacing of {WRITE_SPACING:.0f} s, which GitHub asks for, adds {spacing:.2f} s to {found[0].name} warm")
    say(f"Target: warm ratio at most {TARGET}")
    return document(found, SUBJECTS, spacing)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
