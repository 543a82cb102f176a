"""Complaints about tokens and about how a run ends: 22, 23, 24."""

import base64
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fakes import FakeClock
from fakes_bad_github import SiteStage
from fakes_desk import FakePulls
from fakes_fix import FIFTY, Stage, failed
from github_worlds import BOT, Keys, StandInWorld
from pydantic import SecretStr

from bot import log
from bot.adapters.github import InstallationTokens, RestGitHub
from bot.adapters.github.tokens import Permissions
from bot.adapters.journal import FileJournal
from bot.demo.stand_in import StandIn
from bot.engine.starts import FileStarts
from bot.errors import EngineDownError, FetchError, GitHubUnavailableError, SetUpError, StoreError
from bot.jobs import State
from bot.pipeline.abandon import abandon
from bot.pipeline.intake.site import Site
from bot.pipeline.ports.github import CheckReport, CheckState
from bot.pipeline.ports.job import Unkept
from bot.redaction import Redactor

MARK = "<!-- regreen:status issue-1 -->"
READ: Permissions = (("contents", "read"),)


@pytest.fixture(scope="module")
def keys() -> Keys:
    return Keys.make()


@pytest.fixture
def world(keys: Keys) -> Iterator[StandInWorld]:
    with StandIn(StandInWorld.config(keys)) as running:
        yield StandInWorld(running, keys)


class Blind(Redactor):
    """Sees no secret anywhere."""

    def conceal(self, text: str) -> str:
        return text

    def __call__(self, text: str) -> str:
        return text


def posted(world: StandInWorld, keys: Keys, redact: Redactor, directory: Path) -> tuple[str, str]:
    """A token of the App's, and all that is to be read at GitHub and in the run's log once a test printed it."""
    key = SecretStr(keys.private)
    tokens = InstallationTokens(world.state.app.id, key, world.stand_in.api_url, redact=redact)
    token = tokens.token(world.installation, world.full_name, READ).get_secret_value()
    encoded = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    said = f"stdout: {token} and {encoded} and {keys.private}"
    github = RestGitHub(tokens, world.installation, world.full_name, bot_login=BOT, pace=world.pace)
    number = world.open_issue("regreen")
    github.put_comment(number, MARK, f"{MARK}\n{said}")
    head = github.branch_head("main") or ""
    github.put_check(CheckReport(head, "issue-1", CheckState.NEUTRAL, "said", said))
    journal = FileJournal(directory / "log.jsonl", FakeClock(), redact, redact.conceal)
    journal.append("attempt", {"failure": said})
    runs = [str(run.output) for run in world.repository.runs.values()]
    texts = [comment.body for comment in world.comments(number)] + runs + [(directory / "log.jsonl").read_text()]
    return token, "\n".join(texts)


def test_complaint_22_no_token_is_in_comments_checks_or_logs(world: StandInWorld, keys: Keys, tmp_path: Path) -> None:
    """Remedy: a redactor learns each token as it is minted; all that is posted or logged goes through it."""
    token, seen = posted(world, keys, log.redactor(()), tmp_path)
    assert not any(one in seen for one in (token, base64.b64encode(token.encode()).decode().rstrip("=")[:-4]))
    assert keys.private.splitlines()[1] not in seen
    (tmp_path / "blind").mkdir()
    leaked, shown = posted(world, keys, Blind(()), tmp_path / "blind")
    assert leaked in shown


class KeepsForEver(InstallationTokens):
    """Tokens of a bot that mints one when it begins."""

    def token(self, installation_id: int, repository: str, permissions: Permissions) -> SecretStr:
        kept = super().token(installation_id, repository, permissions)
        return self._first.setdefault((repository, permissions), kept)

    def forget(self, installation_id: int, repository: str | None) -> None:
        """Forget none."""

    _first: dict[tuple[str, Permissions], SecretStr]


def an_hour_long(world: StandInWorld, tokens: InstallationTokens) -> State:
    """A run during which every token's hour is over."""
    world.github = RestGitHub(tokens, world.installation, world.full_name, bot_login=BOT, pace=world.pace)
    stage = SiteStage(world)
    stage.meanwhile.act = world.state.expire_tokens
    return stage.run().state


def test_complaint_23_a_run_of_more_than_an_hour_is_published(world: StandInWorld, keys: Keys) -> None:
    """Remedy: a token is asked for at every request; one that is refused is forgotten, and minted anew."""
    assert an_hour_long(world, world.tokens) is State.PUBLISHED
    again = StandInWorld(world.stand_in, keys)
    once = KeepsForEver(world.state.app.id, SecretStr(keys.private), world.stand_in.api_url, backoff=0.01)
    once._first = {}
    assert an_hour_long(again, once) is State.FAILED
    assert again.pulls() == []


def breaks(error: Exception) -> Stage:
    """A run in the middle of which this happens."""
    stage = Stage()
    stage.sources.error = error  # type: ignore[assignment]  # whatever is raised, beyond what the port allows
    return stage


ENDS: tuple[Callable[[], Stage], ...] = (
    lambda: breaks(FetchError("git hung up", "Ask again.")),
    lambda: breaks(GitHubUnavailableError("502", "Ask again.")),
    lambda: breaks(EngineDownError("no engine", "Start it.")),
    lambda: breaks(StoreError("no database", "Repair it.")),
    lambda: breaks(SetUpError("pip failed\nlog\nlog", "Correct it.")),
    lambda: breaks(RuntimeError("nobody thought of this")),
    lambda: breaks(RecursionError()),
    lambda: Stage(suite=lambda _files: {FIFTY: failed()}),
)


def test_complaint_24_every_run_ends_and_says_how(tmp_path: Path) -> None:
    """Remedies: whatever is raised ends in a state with cause and remedy; what kills its worker is given up, and said.

    Endless calls are bounded each where it is made: git, containers, models and GitHub have tests of their own.
    """
    for make in ENDS:
        stage = make()
        assert stage.run().state in {State.FAILED, State.UNSOLVED}
        assert "Working on it" not in stage.comment
        assert "would help" in stage.comment
    # a job that takes its worker down leaves its first word, and without counting starts that would stay for ever
    stage, starts = Stage(), FileStarts(tmp_path / "starts")
    stage.sources.error = KeyboardInterrupt()  # type: ignore[assignment]  # the process ends
    for _ in range(3):
        starts.begin("job")
        with pytest.raises(KeyboardInterrupt):
            stage.run()
    assert "Working on it" in stage.comment
    assert starts.begin("job") > 3
    abandon_it(stage)
    assert "the worker died 3 times" in stage.comment


def abandon_it(stage: Stage) -> None:
    """What the engine does with a job that was begun too often."""
    site = Site("o/r", stage.github, stage.labels, FakePulls())
    abandon(stage.issue, site, stage.reviews, Unkept(), 3)
