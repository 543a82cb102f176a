"""Attack 10, from end to end: secrets that models and test logs show come into nothing that is kept or posted.

The real wiring, durable engine, git and HTTP against the stand-in; the model and what the suite says are scripted, and
both say every secret that a worker has, in each form.
"""

import base64
import contextlib
import io
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

import pytest
import structlog
from fakes_fix import FILES, ScriptedEnvironments, grading
from fakes_workspace import ScriptedWorkspace
from github_worlds import Keys
from model_server import ModelServer
from pydantic import SecretStr

from bot import wiring
from bot.adapters.journal import read
from bot.adapters.store import SqlRuns, connect
from bot.demo.stand_in import StandIn
from bot.demo.state import AppConfig
from bot.jobs import FixIssue, JobOutcome, State, job_id
from bot.pipeline.ports.job import Environments, Trees
from bot.redaction import MASK
from bot.repair.ports import Workspace
from bot.settings import Settings
from bot.wiring import application
from sandbox.spec import Outcome, TestResult

pytestmark = pytest.mark.attack(10, "secrets")

NAME = "owner/leaky"
SHOWN = "AKIAIOSFODNN7CANARYX"
"""Nobody's in particular: what the repository's own tests print."""
SECONDS = 90
RIGHT = "grades.py\n<<<<<<< SEARCH\n    if score > 50:\n=======\n    if score >= 50:\n>>>>>>> REPLACE\n"
WRONG = RIGHT.replace("score >= 50", "score > 52")


def forms(word: str) -> list[str]:
    """A secret as it is, and encoded as headers, addresses and dumps show it."""
    data = word.encode()
    basic = base64.b64encode(b"x-access-token:" + data).decode()
    inside = base64.b64encode(b"?" + data + b"??").decode()
    return [word, base64.b64encode(data).decode(), basic, inside, data.hex(), quote(word, safe="")]


@dataclass(frozen=True)
class ScriptedSandbox:
    """A `JobSandbox`."""

    workspace: Workspace
    environments: Environments

    def stop(self) -> None:
        """There is nothing to stop."""

    def close(self) -> None:
        """There is nothing to close."""


@dataclass
class Leaky:
    """A worker's secrets, and where they are said."""

    place: Path
    stand_in: StandIn
    keys: Keys
    model: str = "sk-canary-model-0123456789abcdef"
    webhook: str = "canary/webhook+0123456789"
    seen: list[bytes] = field(default_factory=list)

    @property
    def known(self) -> list[str]:
        """Every secret there is by now, tokens included; of the key, a line that is in no other text."""
        tokens = [value for value, token in self.stand_in.state.tokens.items() if token.installation]
        return [self.model, self.webhook, self.keys.private.splitlines()[5], *tokens]

    def said(self) -> str:
        """All of them, in each form."""
        return " ".join(form for word in self.known for form in forms(word)) + f" {SHOWN} {self.keys.private}"

    def suite(self, files: Mapping[str, bytes]) -> dict[str, TestResult]:
        """The three tests; what fails tells all that it knows."""
        results = grading(files)
        return {
            name: result
            if result.outcome is Outcome.PASSED
            else replace(result, message=f"{result.message}\n{self.said()}")
            for name, result in results.items()
        }

    def sandbox_for(self, _settings: Settings, _trees: Trees, _identify: Callable[[str], str]) -> ScriptedSandbox:
        return ScriptedSandbox(ScriptedWorkspace(FILES, self.suite), ScriptedEnvironments())

    def settings(self, url: str) -> Settings:
        key = self.place / "app.pem"
        key.touch(mode=0o600)
        key.write_text(self.keys.private)
        return Settings(
            data_dir=self.place / "data",
            github_url=self.stand_in.base_url,
            github_api_url=self.stand_in.api_url,
            app_id=self.stand_in.state.app.id,
            private_key_file=key,
            webhook_secrets=(SecretStr(self.webhook),),
            openai_base_url=url,
            openai_api_key=SecretStr(self.model),
            model="scripted",
            free_models=("*",),
            roles=("none",),
            mutation_search=False,
            samples=0,
            reflect=False,
            write_spacing=0.0,
            edit_spacing=0.0,
            log_level="debug",
        )


@pytest.fixture(scope="module")
def keys() -> Keys:
    return Keys.make()


@pytest.fixture
def leaky(tmp_path: Path, keys: Keys) -> Iterator[Leaky]:
    with StandIn(AppConfig(keys.public)) as stand_in:
        yield Leaky(tmp_path, stand_in, keys)


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """What the process logs."""
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    yield out
    structlog.reset_defaults()


def run(leaky: Leaky, replies: list[Mapping[str, object]]) -> tuple[JobOutcome, list[bytes]]:
    """Work on one issue to its end; returns the outcome and the command lines that were seen meanwhile."""
    state = leaky.stand_in.state
    repository = state.add_repository(NAME, dict(FILES))
    installation = state.install(repository).id
    number = state.open_issue(NAME, "Fifty should pass", "It fails.", labels=["regreen"]).number
    job = FixIssue("d1", installation, NAME, "main", number, "Fifty should pass", "It fails.", "owner")
    lines: list[bytes] = []
    done = threading.Event()
    watcher = threading.Thread(target=_command_lines, args=(lines, done))
    with ModelServer(replies, leaky.place / "model.jsonl") as model:
        settings = leaky.settings(model.base_url)
        worker = application.worker(settings, leaky.sandbox_for)
        SqlRuns(connect(wiring.database_url(settings))).started(job_id(job), job)
        watcher.start()
        try:
            with worker.engine as engine:
                engine.enqueue(job)
                deadline = time.monotonic() + SECONDS
                while (outcome := engine.outcome(job_id(job))) is None and time.monotonic() < deadline:
                    time.sleep(0.05)
        finally:
            done.set()
            watcher.join()
    assert outcome is not None
    return outcome, lines


def _command_lines(seen: list[bytes], done: threading.Event) -> None:
    while not done.wait(0.02):
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                seen.append(path.read_bytes())


def kept(leaky: Leaky) -> dict[str, bytes]:
    """Every file in the data directory, run logs with their values unpacked."""
    data = leaky.place / "data"
    found = {str(path.relative_to(data)): path.read_bytes() for path in data.rglob("*") if path.is_file()}
    for path in data.rglob("log.jsonl"):
        found[f"{path.relative_to(data)}, unpacked"] = b"\n".join(entry.payload for entry in read(path))
    return found


def posted(leaky: Leaky) -> dict[str, bytes]:
    """Everything that the App wrote at GitHub."""
    repository = leaky.stand_in.state.repository(NAME)
    bot = leaky.stand_in.state.app.bot.login
    texts = {
        f"comment {comment.id}": comment.body
        for issue in repository.issues.values()
        for comment in issue.comments
        if comment.author.login == bot
    }
    texts |= {
        f"pull request {issue.number}": f"{issue.title}\n{issue.body}"
        for issue in repository.issues.values()
        if issue.author.login == bot
    }
    texts |= {f"check {run.id}": json.dumps(run.output) for run in repository.runs.values()}
    files = {
        f"{name} of {branch}": repository.git.blob(entry.sha)
        for branch, head in repository.git.refs("refs/heads/regreen/").items()
        for entry in repository.git.entries(head, recursive=True)
        if entry.type == "blob"
        for name in (entry.path,)
    }
    return {name: text.encode() for name, text in texts.items()} | files


def assert_none(leaky: Leaky, where: Mapping[str, bytes]) -> None:
    words = {form for word in leaky.known for form in forms(word)}
    leaks = [f"{name}: {word}" for name, data in where.items() for word in words if word.encode() in data]
    assert leaks == []


def test_a_fix_whose_model_and_tests_tell_all_secrets_keeps_and_posts_none(leaky: Leaky, logs: io.StringIO) -> None:
    talk = f"CAUSE: {leaky.said()}\nPREDICTION: {leaky.model}\n"
    outcome, lines = run(leaky, [{"text": talk + WRONG}, {"text": talk + RIGHT}])
    assert outcome.state is State.PUBLISHED, logs.getvalue()
    (pull,) = [name for name in posted(leaky) if name.startswith("pull")]
    assert MASK.encode() in posted(leaky)[pull]
    assert len(leaky.known) > 5
    assert_none(
        leaky, {"logs": logs.getvalue().encode(), "command lines": b"\n".join(lines), "outcome": repr(outcome).encode()}
    )
    assert_none(leaky, posted(leaky))
    assert_none(leaky, kept(leaky))
    # what only looks like a secret is in none that is posted; what a run is decided on stays as it is
    assert not any(SHOWN.encode() in data for data in posted(leaky).values())


def test_a_model_server_that_answers_with_the_key_is_told_of_without_it(leaky: Leaky, logs: io.StringIO) -> None:
    refusal = {"status": 400, "message": f"Incorrect API key provided: {leaky.model} ({forms(leaky.model)[1]})"}
    outcome, _ = run(leaky, [refusal] * 20)
    assert outcome.state in {State.FAILED, State.UNSOLVED}
    texts = posted(leaky)
    assert any(b"Incorrect API key provided" in text for text in texts.values()), texts
    assert_none(leaky, texts)
    assert_none(leaky, {"logs": logs.getvalue().encode(), "outcome": repr(outcome).encode()})
    assert_none(leaky, kept(leaky))
