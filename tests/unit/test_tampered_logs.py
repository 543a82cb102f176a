"""`regreen replay LOG` on logs that somebody changed: each way shows, or it says what nothing vouches for."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fakes import FakeClock
from fakes_fix import FILES, RECIPE, grading
from fakes_workspace import ScriptedWorkspace

from bot.adapters.journal import FileJournal, read
from bot.commands.replay import replay as command
from bot.errors import LogError
from bot.pipeline.logs.logged import mend_logged
from bot.pipeline.logs.runlog import Entry, line
from bot.pipeline.mend import Terms
from bot.pipeline.ports.job import LoopPorts
from bot.pipeline.steps import Steps
from bot.repair.team.roles import Models
from bot.repair.types import Base, BudgetLimits

BASE = Base("o/r", "c0ffee", RECIPE)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A run's log: the mutation search found a fix, and it was published."""
    log, clock = tmp_path / "log.jsonl", FakeClock()
    journal = FileJournal(log, clock, str)
    ports = LoopPorts(ScriptedWorkspace(FILES, grading), Models(), clock, journal)
    about = ("Fifty should pass", "It fails.")
    mend_logged(BASE, about, lambda baseline: baseline.failing_ids, ports, Steps(clock, journal), Terms(BudgetLimits()))
    journal.append("ended", {"state": "published"})
    return log


def test_the_command_says_how_much_of_the_log_the_head_does_not_cover(path: Path) -> None:
    last, published = (entry.digest for entry in read(path)[-1:-3:-1])
    said = {head: command(path, head) for head in (last, published, "")}
    assert [said[head].document["after_head"] for head in (last, published, "")] == [0, 1, None]
    assert "says nothing of the 1 after it" in said[published].lines[0]


def swapped(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], lines[3], lines[2], *lines[4:]]


def chained(path: Path, event: str) -> None:
    """Append a line that follows from the last one, as the worker does."""
    last = read(path)[-1]
    with path.open("ab") as file:
        file.write(line(Entry(last.number + 1, last.at, event, {}), last.digest))


@pytest.mark.parametrize(
    "tampered",
    [
        lambda lines: [*lines[:3], lines[3].replace(b'"at":1', b'"at":2', 1), *lines[4:]],
        lambda lines: [*lines[:3], *lines[4:]],
        lambda lines: lines[1:],
        swapped,
        lambda lines: [*lines[:3], lines[3], *lines[3:]],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [*lines, b'{"event":"published"}\n'],
    ],
    ids=["edited", "deleted", "beheaded", "reordered", "doubled", "appended again", "appended"],
)
def test_a_log_that_somebody_changed_does_not_verify(
    path: Path, tampered: Callable[[list[bytes]], list[bytes]]
) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    changed = tampered(lines)
    assert changed != lines
    path.write_bytes(b"".join(changed))
    with pytest.raises(LogError, match="does not verify"):
        command(path, "")


def test_a_tail_that_was_cut_off_is_seen_by_the_decisions_or_by_the_head(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    head = read(path)[-1].digest
    for kept in range(len(lines) - 1, 4, -1):
        path.write_bytes(b"".join(lines[:kept]))
        assert not command(path, head).good
        closed = any(entry.event == "closed" for entry in read(path))
        assert command(path, "").good is closed


def test_lines_that_were_chained_on_change_no_decision_and_are_not_covered_by_the_head(path: Path) -> None:
    head = read(path)[-1].digest
    chained(path, "stop")
    shown = command(path, head)
    assert (shown.document["stop"], shown.document["after_head"]) == ("solved", 1)
