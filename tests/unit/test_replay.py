import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import FakeClock, ScriptedModel
from fakes_fix import FIFTY, FILES, RECIPE, grading
from fakes_workspace import ScriptedWorkspace, Suite, run_of
from pydantic import SecretStr

from bot import log
from bot.adapters.journal import FileJournal, read
from bot.commands.replay import replay as command
from bot.errors import LogError, NoTestsError
from bot.pipeline.logs.logged import mend_logged
from bot.pipeline.logs.replay import Replayed, replay
from bot.pipeline.logs.runlog import FIRST, Entry, line
from bot.pipeline.mend import Mended, Terms
from bot.pipeline.ports.job import LoopPorts
from bot.pipeline.steps import Steps
from bot.repair.ports import Model
from bot.repair.team.capabilities import assumed
from bot.repair.team.facts import Facts, ModelFacts
from bot.repair.team.roles import Models
from bot.repair.types import Base, Baseline, BudgetLimits, StopReason
from sandbox.spec import TestResult

BASE = Base("o/r", "c0ffee", RECIPE)
FACTS = Facts(ModelFacts(can=replace(assumed(""), search=False)))
"""So that a model, where there is one, is asked at once."""
SECRET = "hunter2-and-then-some"
FIX = """\
CAUSE: fifty is left out
PREDICTION: it passes
grades.py
<<<<<<< SEARCH
    if score > 50:
=======
    if score >= 50:
>>>>>>> REPLACE
"""
WRONG = FIX.replace(">= 50:", "> 51:")


def first_red(baseline: Baseline) -> tuple[str, ...]:
    return baseline.failing_ids


def run(
    path: Path, model: Model | None = None, suite: Suite = grading, files: Mapping[str, bytes] = FILES, **limits: int
) -> Mended:
    redact = log.redactor((SecretStr(SECRET),))
    journal = FileJournal(path, FakeClock(), redact, redact.conceal)
    clock = FakeClock()
    ports = LoopPorts(ScriptedWorkspace(files, suite), Models(coder=model), clock, journal)
    terms = Terms(BudgetLimits(**limits), facts=FACTS)
    mended = mend_logged(BASE, ("Fifty should pass", "It fails."), first_red, ports, Steps(clock, journal), terms)
    journal.append("ended", {"state": "published"})
    return mended


def made_again(path: Path) -> Replayed:
    return replay(read(path))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


def test_the_mutation_search_comes_to_the_same_result_from_its_log_alone(path: Path) -> None:
    mended = run(path)
    again = made_again(path)
    assert mended.result is not None
    assert mended.result.stop is StopReason.SOLVED
    assert (again.same, again.difference, again.stop) == (True, "", "solved")
    assert mended.result.solution is not None
    assert again.solution == mended.result.solution.number
    assert again.replies == 0


def test_a_models_replies_are_read_from_the_log(path: Path) -> None:
    mended = run(path, ScriptedModel([WRONG, FIX, *[FIX] * 20]))
    again = made_again(path)
    assert mended.result is not None
    assert mended.result.stop is StopReason.SOLVED
    assert again.same, again.difference
    assert again.replies >= 2


def test_a_run_without_a_fix_ends_alike(path: Path) -> None:
    mended = run(path, ScriptedModel([WRONG] * 40), iterations=3)
    again = made_again(path)
    assert mended.result is not None
    assert again.same, again.difference
    assert again.stop == mended.result.stop.value != "solved"
    assert again.solution is None


def test_a_suite_that_cannot_be_measured_ends_alike(path: Path) -> None:
    with pytest.raises(NoTestsError):
        run(path, suite=lambda _: run_of({}))
    assert made_again(path).same


def test_decisions_are_made_on_what_the_log_holds(path: Path) -> None:
    model = ScriptedModel([f"{FIX}\n# {SECRET}", *[FIX] * 20])
    mended = run(path, model)
    assert SECRET.encode() not in path.read_bytes()
    assert not [entry for entry in read(path) if SECRET.encode() in entry.payload]
    assert SECRET not in str(mended)
    assert made_again(path).same


def test_files_and_names_that_look_like_secrets_stay_what_they_are(path: Path) -> None:
    token = "sk-" + "a" * 24
    named = f"tests/test_grades.py::test_fifty[{token}]"
    source = b"# sk-" + b"a" * 24 + b"\n" + FILES["grades.py"]

    def suite(files: Mapping[str, bytes]) -> dict[str, TestResult]:
        return {named: replace(grading(files)[FIFTY], node_id=named)}

    mended = run(path, suite=suite, files={**FILES, "grades.py": source})
    assert mended.baseline.failing_ids == (named,)
    assert mended.result is not None
    assert mended.result.solution is not None
    assert mended.result.solution.proposal is not None
    (change,) = mended.result.solution.proposal.patch.changes
    assert change.content is not None
    assert change.content.startswith(source[:29])
    assert token.encode() not in path.read_bytes()
    assert made_again(path).same


def forged(path: Path, change: Callable[[Entry], Entry]) -> None:
    """Change entries and make the chain anew, as somebody who can write the file would."""
    head, data = FIRST, b""
    for entry in read(path):
        written = line(change(entry), head)
        head, data = hashlib.sha256(written).hexdigest(), data + written
    path.write_bytes(data)


def other_reply(entry: Entry) -> Entry:
    if entry.fields.get("call") != "Model.complete" or FIX.encode()[:20] not in entry.payload:
        return entry
    record = json.loads(entry.payload)
    record["value"]["text"] = WRONG
    payload = json.dumps(record, sort_keys=True, separators=(",", ":")).encode()
    return replace(entry, payload=payload, fields={**entry.fields, "result": hashlib.sha256(payload).hexdigest()})


def test_another_reply_leads_to_other_decisions(path: Path) -> None:
    run(path, ScriptedModel([FIX] * 20))
    forged(path, other_reply)
    again = made_again(path)
    assert not again.same
    assert "made again, it is" in again.difference


def test_another_verdict_does_not_follow_from_the_runs(path: Path) -> None:
    run(path, ScriptedModel([WRONG] * 40), iterations=2)

    def solved(entry: Entry) -> Entry:
        return replace(entry, fields={**entry.fields, "stop": "solved"}) if entry.event == "stop" else entry

    forged(path, solved)
    assert made_again(path).difference


def test_a_result_that_is_not_what_its_digest_says_is_found(path: Path) -> None:
    run(path, ScriptedModel([FIX] * 20))

    def other_payload(entry: Entry) -> Entry:
        return replace(entry, payload=entry.payload + b" ") if entry.fields.get("call") == "Model.complete" else entry

    forged(path, other_payload)
    assert "digest" in made_again(path).difference


def test_a_log_that_ends_early_is_not_whole(path: Path) -> None:
    run(path, ScriptedModel([FIX] * 20))
    lines = path.read_bytes().splitlines(keepends=True)
    for kept in range(2, len(lines) - 2, 7):
        path.write_bytes(b"".join(lines[:kept]))
        again = made_again(path)
        assert not again.whole
        assert not again.same


def test_a_run_that_was_killed_goes_on_in_the_same_log(path: Path) -> None:
    run(path, ScriptedModel([WRONG, FIX, *[FIX] * 20]))
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    run(path, ScriptedModel([WRONG, FIX, *[FIX] * 20]))
    assert [entry.fields for entry in read(path)] == [json.loads(text)["fields"] for text in lines]
    assert made_again(path).same


def test_a_run_that_goes_on_with_other_settings_keeps_those_that_it_began_with(path: Path) -> None:
    run(path, ScriptedModel([WRONG] * 40), iterations=2)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    run(path, ScriptedModel([WRONG] * 40), iterations=1)
    assert len(read(path)) == len(lines)
    assert made_again(path).same


def test_a_run_that_goes_on_with_other_results_stops(path: Path) -> None:
    run(path, ScriptedModel([WRONG] * 40), iterations=2)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    with pytest.raises(LogError, match=r"put the label on again|run log"):
        run(
            path,
            ScriptedModel([WRONG] * 40),
            iterations=2,
            files={**FILES, "grades.py": b"# other\n" + FILES["grades.py"]},
        )


def test_a_log_without_a_repair_says_so(path: Path) -> None:
    FileJournal(path, FakeClock(), str).append("ended", {})
    with pytest.raises(LogError, match="holds no repair"):
        made_again(path)


@pytest.mark.parametrize("data", [b"", b"one line and no end", b"# Regreen\n"])
def test_the_command_says_of_another_file_that_it_is_no_log(tmp_path: Path, data: bytes) -> None:
    other = tmp_path / "other.txt"
    other.write_bytes(data)
    with pytest.raises(LogError, match=r"other\.txt is no run log"):
        command(other, "")


def test_the_command_holds_the_head_of_a_pull_request_against_the_log(path: Path) -> None:
    run(path)
    head = read(path)[-2].digest
    assert command(path, head).good
    assert command(path, head[:12]).good
    assert command(path, "").good
    assert not command(path, "0" * 64).good
    assert not command(path, head[:4]).good


def test_the_command_names_a_log_that_is_not_there(path: Path) -> None:
    with pytest.raises(LogError, match="no log"):
        command(path, "")


def test_the_targets_are_those_of_the_log(path: Path) -> None:
    run(path)
    started = next(entry for entry in read(path) if entry.event == "baseline")
    assert started.fields["targets"] == [FIFTY]
