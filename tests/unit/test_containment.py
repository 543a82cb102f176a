"""A worker works only where every limit holds, and does not ask again at each start."""

import json
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fakes import FakeClock
from fakes_selfcheck import ScriptedContainers

from bot.adapters.containment import KEPT_SECONDS, Containment
from bot.commands.worker import work
from bot.errors import ConfigurationError
from sandbox.selfchecks.observed import Container

ALL = len(Container)
BROKEN = {"pids": {"children": 256}, "network": {"reached": ["169.254.169.254 port 80"]}}


@pytest.fixture
def engine() -> ScriptedContainers:
    return ScriptedContainers()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(step=0.0)


@pytest.fixture
def containment(engine: ScriptedContainers, clock: FakeClock, tmp_path: Path) -> Containment:
    return Containment(engine, "image:1", None, tmp_path / "data" / "limits.json", clock)


def test_a_good_answer_is_kept_for_a_while_and_readable_by_nobody_else(
    containment: Containment, engine: ScriptedContainers, clock: FakeClock
) -> None:
    assert containment.require() == engine.facts
    assert containment.record.stat().st_mode & 0o777 == 0o600
    assert engine.runs == ALL
    clock.time += KEPT_SECONDS - 1
    containment.require()
    assert engine.runs == ALL
    clock.time += 2
    containment.require()
    assert engine.runs == 2 * ALL


def test_a_clock_that_went_back_makes_the_answer_worthless(
    containment: Containment, engine: ScriptedContainers, clock: FakeClock
) -> None:
    containment.require()
    clock.time -= 10
    containment.require()
    assert engine.runs == 2 * ALL


def test_every_limit_that_does_not_hold_is_named_with_what_helps_and_nothing_is_kept(
    containment: Containment, engine: ScriptedContainers
) -> None:
    containment.require()
    engine.facts = replace(engine.facts, configuration="other")
    engine.changed = BROKEN
    for _ in range(2):
        with pytest.raises(ConfigurationError, match=r"processes \(256 .*network \(.*169\.254") as caught:
            containment.require()
        assert "--network=none" in caught.value.remedy
    assert engine.runs == 3 * ALL
    assert not containment.record.exists()


def test_asking_openly_always_tries_and_a_bad_answer_undoes_a_good_one(
    containment: Containment, engine: ScriptedContainers
) -> None:
    containment.require()
    engine.changed = BROKEN
    assert [probe.name for probe in containment.probes() if not probe.holds] == ["processes", "network"]
    with pytest.raises(ConfigurationError):
        containment.require()


def newer_engine(engine: ScriptedContainers, _: Path) -> None:
    engine.facts = replace(engine.facts, version="29.0")


def other_configuration(engine: ScriptedContainers, _: Path) -> None:
    engine.facts = replace(engine.facts, configuration="other")


def other_image(engine: ScriptedContainers, _: Path) -> None:
    engine.images["image:1"] = "sha256:2"


def readable_by_others(_: ScriptedContainers, record: Path) -> None:
    record.chmod(0o644)


def a_link(_: ScriptedContainers, record: Path) -> None:
    record.rename(record.with_name("elsewhere"))
    record.symlink_to("elsewhere")


def a_pipe(_: ScriptedContainers, record: Path) -> None:
    record.unlink()
    os.mkfifo(record, 0o600)


def no_record(_: ScriptedContainers, record: Path) -> None:
    record.write_text("[" * 4096)


def of_another_shape(_: ScriptedContainers, record: Path) -> None:
    record.write_text(json.dumps({"held": json.loads(record.read_text())["held"], "at": "now"}))


@pytest.mark.parametrize(
    "change",
    [
        *(newer_engine, other_configuration, other_image),
        *(readable_by_others, a_link, a_pipe, no_record, of_another_shape),
    ],
)
def test_what_changed_is_tried_again(
    containment: Containment, engine: ScriptedContainers, change: Callable[[ScriptedContainers, Path], None]
) -> None:
    containment.require()
    change(engine, containment.record)
    containment.require()
    assert engine.runs == 2 * ALL


def test_another_runtime_is_tried_for_itself(containment: Containment, engine: ScriptedContainers) -> None:
    containment.require()
    replace(containment, runtime="runsc").require()
    assert engine.runs == 2 * ALL
    assert engine.specs["around"].runtime == "runsc"


def test_a_runtime_that_the_engine_does_not_know_is_named(containment: Containment, engine: ScriptedContainers) -> None:
    with pytest.raises(ConfigurationError, match="kata"):
        replace(containment, runtime="kata").require()
    assert engine.runs == 0


def test_a_missing_base_image_is_named(containment: Containment) -> None:
    with pytest.raises(ConfigurationError, match="regreen base"):
        replace(containment, image="image:2").require()


def test_a_data_directory_that_cannot_be_written_to_costs_only_time(
    containment: Containment, engine: ScriptedContainers, tmp_path: Path
) -> None:
    (tmp_path / "data").write_text("a file where the directory should be")
    containment.require()
    assert engine.runs == ALL


def test_a_worker_does_not_start_where_a_limit_does_not_hold(
    containment: Containment, engine: ScriptedContainers
) -> None:
    engine.changed = BROKEN
    health = SimpleNamespace(serve=lambda: None, vitals=None)
    # everything else is untouched
    worker: Any = SimpleNamespace(containment=containment, health=health)
    with pytest.raises(ConfigurationError, match="network"):
        work(worker, threading.Event())
