"""The running system: the stand-in, the webhook server and the worker as processes, and a maintainer at it."""

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.journal import Run, events
from bench.subjects import InvalidMeasurementError, Subject

from bot.demo.person import Person
from bot.demo.processes import Processes, free_port
from bot.demo.stage import answers, connection, regreen, write_keys

MAINTAINER = "ines"
LABEL = "regreen"
START_SECONDS = 60.0
RUN_SECONDS = 900.0
POLL_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Stage:
    """What runs. `github` and `server` are base addresses, `environment` is that of the processes."""

    directory: Path
    processes: Processes
    person: Person
    github: str
    environment: Mapping[str, str]

    def restart_worker(self, write_spacing: float) -> None:
        """Another worker in place of the one that runs, with so many seconds between two writes."""
        old = next(child for child in self.processes.children if child.name.startswith("worker"))
        self.processes.children.remove(old)
        old.process.terminate()
        old.process.wait(START_SECONDS)
        _start_worker(self.processes, self.environment, write_spacing)

    def repair(self, subject: Subject) -> Run:
        """File an issue, put the label on, wait for the pull request, close it again."""
        where, runs = subject.repository, self.directory / "data" / "runs"
        issue = self.person.open_issue(where, subject.title, subject.body)
        before = set(runs.glob("*"))
        labelled, begin = time.time(), time.monotonic()
        self.person.label(where, issue, LABEL)
        pull = self._pull_request(where, f"regreen/issue-{issue}", lambda: set(runs.glob("*")) - before)
        seconds = time.monotonic() - begin
        (directory,) = set(runs.glob("*")) - before
        log = directory / "log.jsonl"
        self.processes.wait_for("the end of the run", lambda: _reached(log, "ended"), START_SECONDS)
        self.person.client.patch(f"repos/{where}/pulls/{pull}", json={"state": "closed"}).raise_for_status()
        return Run(seconds, labelled, log)

    def _pull_request(self, repository: str, head: str, fresh: Callable[[], set[Path]]) -> int:
        """Its number once it is there. Nobody asks the stand-in before the run publishes, so that nothing slows it."""
        query = {"state": "open", "head": f"{repository.partition('/')[0]}:{head}"}
        deadline = time.monotonic() + RUN_SECONDS
        while time.monotonic() < deadline:
            self.processes.check()
            logs = [directory / "log.jsonl" for directory in fresh()]
            ended = any(_reached(log, "ended") for log in logs)
            if ended or any(_reached(log, "step_started", "publish") for log in logs):
                answer = self.person.client.get(f"repos/{repository}/pulls", params=query).raise_for_status().json()
                if answer:
                    return int(answer[0]["number"])
            if ended:
                said = [event.fields for log in logs for event in events(log) if event.name in {"attempt", "ended"}]
                raise InvalidMeasurementError(f"{repository}: no pull request came: {said}")
            time.sleep(POLL_SECONDS)
        raise InvalidMeasurementError(f"{repository}: no pull request within {RUN_SECONDS:.0f} s")


def set_up(directory: Path, subjects: Sequence[Subject], model_url: str, environ: Mapping[str, str]) -> Stage:
    """Start everything in an empty directory and wait until it answers."""
    github, server = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    write_keys(directory)
    connected = connection(directory, github, server)
    config = _write_config(directory, subjects, f"{server}/webhook", connected["REGREEN_WEBHOOK_SECRETS"])
    environment = {**environ, **connected, **_model(model_url)}
    processes = Processes(directory)
    try:
        command = [sys.executable, "-P", "-m", "bot.demo.server", "--port", github.rpartition(":")[2]]
        state = directory / "github"
        state.mkdir()
        stand_in = processes.start(
            "github", [*command, "--state-dir", str(state), "--config", str(config)], environment
        )
        regreen(processes, "serve", environment)
        processes.wait_for("the stand-in", lambda: "listening on" in stand_in.tail(), START_SECONDS)
        processes.wait_for("the webhook server", lambda: answers(f"{server}/readyz"), START_SECONDS)
        _start_worker(processes, environment, 0.0)
    except BaseException:
        processes.stop()
        raise
    token = json.loads((state / "tokens.json").read_text())[MAINTAINER]
    return Stage(directory, processes, Person.at(f"{github}/api/v3", token), github, environment)


def _start_worker(processes: Processes, environment: Mapping[str, str], write_spacing: float) -> None:
    spaced = {**environment, "REGREEN_WRITE_SPACING": str(write_spacing)}
    worker = regreen(processes, "worker", spaced)
    processes.wait_for("the worker", lambda: "worker_started" in worker.tail(), START_SECONDS)


def _reached(log: Path, name: str, step: str = "") -> bool:
    return any(event.name == name and (not step or event.fields["step"] == step) for event in events(log))


def _model(url: str) -> dict[str, str]:
    return {
        "REGREEN_OPENAI_BASE_URL": url,
        "REGREEN_OPENAI_API_KEY": "",
        "REGREEN_MODEL": "scripted",
        "REGREEN_FREE_MODELS": "*",
    }


def _write_config(directory: Path, subjects: Sequence[Subject], hook: str, secret: str) -> Path:
    """The stand-in's configuration, see `bot.demo.server`, with the subjects' files beside it."""
    for subject in subjects:
        for path, content in subject.tree.items():
            file = directory / "sources" / subject.name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    hidden = directory / "webhook.secret"
    hidden.touch(mode=0o600)
    hidden.write_text(secret)
    repositories = [
        {"full_name": one.repository, "source": f"sources/{one.name}", "collaborators": {MAINTAINER: "maintain"}}
        for one in subjects
    ]
    config = {
        "app": {"public_key_file": "app.pub"},
        "webhook": {"url": hook, "secret_file": hidden.name},
        "repositories": repositories,
    }
    path = directory / "stand-in.json"
    path.write_text(json.dumps(config))
    return path
