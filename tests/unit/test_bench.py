"""What `make bench` says of its figures; measuring itself takes minutes and is not a test."""

import json
from pathlib import Path

import pytest
from bench import subjects
from bench.figures import Figures, Pair, document, lines
from bench.floor import Measured
from bench.journal import Run
from bench.subjects import InvalidMeasurementError, Subject

from bot.repair.editing.edits import apply

EVENTS = (
    ("step_ended", {"step": "admit", "seconds": 0.5}),
    ("evaluated", {"base": 2, "patched": 0, "selected": [], "seconds": [0.8, 1.0]}),
    ("evaluated", {"base": 1, "patched": 0, "selected": [], "seconds": [0.9]}),
    ("baseline", {"runs": 3, "targets": ["t.py::a"], "seconds": 1.0}),
    ("proposal", {"seconds": 0.1}),
    ("evaluated", {"base": 0, "patched": 1, "selected": ["t.py::a"], "seconds": [0.2]}),
    ("run", {"scope": "targets", "seconds": 0.2}),
    ("evaluated", {"base": 0, "patched": 1, "selected": [], "seconds": [1.0]}),
    ("run", {"scope": "suite", "seconds": 1.0}),
    ("evaluated", {"base": 1, "patched": 1, "selected": ["t.py::a", "t.py::canary"], "seconds": [0.2, 0.3]}),
    ("step_ended", {"step": "repair", "seconds": 2.4}),
    ("step_ended", {"step": "publish", "seconds": 0.25}),
)


def run(directory: Path, seconds: float) -> Run:
    log = directory / "log.jsonl"
    written = [json.dumps({"event": name, "at": 101.0, "fields": fields}) for name, fields in EVENTS]
    log.write_text("\n".join(written) + '\n{"event": "torn')
    return Run(seconds, 100.0, log)


def figures(directory: Path, name: str, *seconds: float) -> Figures:
    """Warm pairs over floors of 4 s."""
    pairs = [Pair(run(directory, one), Measured(1.0, 0.0, (0.7,) * 4, (0.2,))) for one in seconds]
    return Figures(name, Pair(run(directory, 20.0), Measured(1.0, 6.0, (0.7,) * 4, (0.2,))), tuple(pairs))


def test_a_journal_tells_how_many_suites_the_floor_has_to_run(tmp_path: Path) -> None:
    found = run(tmp_path, 5.0)
    assert (found.base_suites, found.fix_suites) == (3, 1)
    assert found.selections == ((("t.py::a",), True), (("t.py::a",), False), (("t.py::a",), True))
    assert found.writing == 0.75
    assert found.seconds_in_turn == pytest.approx(6.0)
    assert found.breakdown()["label to first step"] == 1.0
    assert found.breakdown()["  of all: in containers, side by side"] == pytest.approx(4.4)


def test_the_last_line_holds_medians_and_the_counts_of_runs(tmp_path: Path) -> None:
    both = [figures(tmp_path, "sample", 5.0, 4.0, 9.0), figures(tmp_path, "real", 6.0)]
    result = document(both, ("sample", "real"), 1.5)
    warm = {"seconds": 5.0, "floor_seconds": 4.0, "suite_runs": 4, "selected_runs": 1, "ratio": 1.25}
    assert result["sample"] == {"cold": {**warm, "seconds": 20.0, "floor_seconds": 10.0, "ratio": 2.0}, "warm": warm}
    assert (result["write_spacing_seconds"], result["met"]) == (1.5, True)
    assert any("4.00 to 9.00" in line for line in lines(both[0]))


def test_the_target_is_missed_by_one_warm_ratio_above_it_or_by_a_subject_that_was_left_out(tmp_path: Path) -> None:
    good, bad = figures(tmp_path, "sample", 6.0), figures(tmp_path, "real", 6.1)
    assert document([good, bad], ("sample", "real"), 0.0)["met"] is False
    assert document([good], ("sample", "real"), 0.0)["met"] is False


def test_the_scripted_reply_repairs_the_sample() -> None:
    subject = subjects.sample()
    patch = apply(subject.reply, "stop", {subject.path: subject.tree[subject.path]}).patch
    assert [(change.path, change.content) for change in patch.changes] == [(subject.path, subject.fixed[subject.path])]


def test_a_subject_whose_wrong_line_is_gone_is_no_measurement() -> None:
    with pytest.raises(InvalidMeasurementError, match="exactly once"):
        Subject("x", {"a.py": b"x = 1\n"}, "a.py", "x = 2", "x = 1", "", "")
