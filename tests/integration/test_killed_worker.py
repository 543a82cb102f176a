"""A worker that is killed in the middle of a job resumes there: nothing that was recorded is done or paid for twice."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

from bot.adapters import journal
from bot.adapters.store import SqlRuns, connect
from bot.engine.durable import MAX_STARTS
from bot.jobs import JobOutcome, State

WORKER = Path(__file__).parents[1] / "worker_under_test.py"
WORDS = ("alpha", "beta", "gamma", "delta", "omega")
LESSON = "CAUSE: the word is wrong\nLESSON: not {word}"
PATIENCE = 60.0

pytestmark = pytest.mark.slow


def script(**extra: Any) -> list[dict[str, Any]]:
    """A proposal and, for all but the last, a lesson; `extra` changes the reply to the third proposal."""
    replies: list[dict[str, Any]] = []
    for word in WORDS:
        replies += [{"text": word}, {"text": LESSON.format(word=word)}]
    replies[4] |= extra
    return replies[:-1]


@dataclass(frozen=True)
class Site:
    """One data directory and the model server beside it."""

    directory: Path
    server: ModelServer

    def start(self, hold: str = "") -> subprocess.Popen[str]:
        command = [sys.executable, str(WORKER), str(self.directory), self.server.base_url, hold]
        environment = {"PYTHONPATH": f"{WORKER.parents[1]}:{WORKER.parent}", "PATH": ""}
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self) -> str:
        process = self.start()
        stdout, stderr = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, stderr
        return stdout.strip()

    @property
    def prompts(self) -> list[str]:
        return [json.dumps(chat["body"]["messages"], sort_keys=True) for chat in self.server.chats]

    @property
    def evaluations(self) -> Counter[str]:
        return Counter((self.directory / "evaluations").read_text().split())

    @property
    def events(self) -> list[str]:
        return [entry.event for entry in journal.read(self.directory / "log.jsonl")]


@contextmanager
def site(directory: Path, replies: list[dict[str, Any]]) -> Iterator[Site]:
    directory.mkdir()
    with ModelServer(replies, directory / "requests.jsonl") as server:
        yield Site(directory, server)


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def until(process: subprocess.Popen[str], condition: Any) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str], Counter[str], list[str]]:
    """What the same job does when nobody kills anything."""
    with site(tmp_path_factory.mktemp("undisturbed") / "site", script()) as calm:
        return calm.finish(), calm.prompts, calm.evaluations, calm.events


def test_a_worker_killed_in_the_third_iteration_asks_the_model_nothing_twice(
    tmp_path: Path, undisturbed: tuple[str, list[str], Counter[str], list[str]]
) -> None:
    headline, prompts, evaluations, events = undisturbed
    with site(tmp_path / "site", script()) as place:
        process = place.start(hold="gamma")
        until(process, (place.directory / "holding").exists)
        kill(process)
        before = place.prompts
        assert before == prompts[:5]
        assert place.finish() == headline == "solved after 5"
        after = place.prompts[len(before) :]
        assert not set(after) & set(before)
        assert place.prompts == prompts
        assert len(set(prompts)) == len(prompts) == 9
        # The run that was cut off is made again, nothing else is.
        assert place.evaluations - evaluations == Counter({"gamma": 1})
        assert place.events == events


def test_a_worker_killed_while_the_model_thinks_asks_that_one_question_again(
    tmp_path: Path, undisturbed: tuple[str, list[str], Counter[str], list[str]]
) -> None:
    _, prompts, evaluations, _ = undisturbed
    replies = script(delay=3.0)
    replies.insert(5, replies[4] | {"delay": 0})
    with site(tmp_path / "site", replies) as place:
        process = place.start()
        until(process, lambda: len(place.server.chats) == 5)
        kill(process)
        assert place.finish() == "solved after 5"
        assert place.prompts == [*prompts[:5], *prompts[4:]]
        assert place.evaluations == evaluations


def test_a_worker_killed_again_and_again_still_ends_once(tmp_path: Path) -> None:
    with site(tmp_path / "site", script()) as place:
        for word in ("nothing", *WORDS):
            (place.directory / "holding").unlink(missing_ok=True)
            process = place.start(hold=word)
            until(process, (place.directory / "holding").exists)
            kill(process)
        assert place.finish() == place.finish() == "solved after 5"
        assert len(place.prompts) == len(set(place.prompts)) == 9
        engine = connect(f"sqlite:///{place.directory / 'regreen.sqlite'}")
        (run,) = SqlRuns(engine).recent(5)
        engine.dispose()
        assert run.outcome is not None
        assert run.outcome.state is State.PUBLISHED
    assert not (place.directory / "abandoned").exists()


def test_a_job_that_kills_its_worker_in_the_same_step_each_time_is_given_up_and_that_is_told_once(
    tmp_path: Path,
) -> None:
    with site(tmp_path / "site", script()) as place:
        for _ in range(1 + MAX_STARTS):
            (place.directory / "holding").unlink(missing_ok=True)
            process = place.start(hold="gamma")
            until(process, (place.directory / "holding").exists)
            kill(process)
        assert place.finish() == place.finish() == "given up"
        assert place.evaluations["gamma"] == 1 + MAX_STARTS
        engine = connect(f"sqlite:///{place.directory / 'regreen.sqlite'}")
        (run,) = SqlRuns(engine).recent(5)
        engine.dispose()
    assert run.outcome == JobOutcome(State.FAILED, "given up")
    assert (place.directory / "abandoned").read_text() == f"{MAX_STARTS}\n"
