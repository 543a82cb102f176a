"""Everything that a browser looks at: the stand-in for GitHub, the server twice, and a worker, all on this machine.

One server is as it is by default, read-only here and with an operator's token; the other one listens for elsewhere.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fakes_fix import FILES
from model_server import ModelServer
from pages.staged_worker import ENDLESS

from bot.demo.processes import Processes, free_port
from bot.demo.stage import answers, connection, regreen, write_keys
from bot.demo.stand_in import StandIn
from bot.demo.state import AppConfig, State
from bot.settings import Settings

START_SECONDS = 180.0
TOKEN = "an-operators-token-for-tests"
MAINTAINER = "ines"
REPAIRED, SECRET = "riverside/grades", "riverside/secret-plans"
_REPLY = """\
CAUSE: {cause}
PREDICTION: grade(50) gives 'pass'

grades.py
<<<<<<< SEARCH
    if score > 50:
=======
    if score {operator}:
>>>>>>> REPLACE
"""
REPLIES = (
    {"text": _REPLY.format(cause="every score should pass", operator=">= 0")},
    {"text": _REPLY.format(cause="the comparison leaves the boundary out", operator=">= 50")},
)
MODEL = {
    "REGREEN_MODEL": "scripted",
    "REGREEN_PRICES": json.dumps({"scripted": {"prompt": 100, "completion": 100}}),
    "REGREEN_OPENAI_API_KEY": "",
    "REGREEN_MUTATION_SEARCH": "false",
    "REGREEN_ROLES": "none",
}


@dataclass(frozen=True)
class Staging:
    """What runs. `server` is shown on this machine, `elsewhere` asks everybody for the token."""

    directory: Path
    processes: Processes
    state: State
    github: str
    server: str
    elsewhere: str
    environment: Mapping[str, str]

    @property
    def settings(self) -> Settings:
        """Those of the processes, as far as what is kept depends on them."""
        return Settings(data_dir=self.directory / "data")


@contextmanager
def staged(directory: Path, worker_port: int = 0) -> Iterator[Staging]:
    """Start all of it in an empty directory, and end it; the worker answers at a port where one is given."""
    server, elsewhere = free_port(), free_port()
    write_keys(directory)
    places = directory / "github"
    places.mkdir()
    with (
        ModelServer([*REPLIES, *[REPLIES[1]] * 50], directory / "model.jsonl") as model,
        StandIn(AppConfig((directory / "app.pub").read_text()), directory=places) as stand_in,
    ):
        here = f"http://127.0.0.1:{server}"
        connected = connection(directory, stand_in.base_url, here)
        environment = _environment(connected, model.base_url, here) | {"REGREEN_WORKER_PORT": str(worker_port)}
        _seed(stand_in.state)
        stand_in.hook(f"{here}/webhook", connected["REGREEN_WEBHOOK_SECRETS"])
        processes = Processes(directory)
        try:
            _start(processes, environment, elsewhere)
            away = f"http://127.0.0.1:{elsewhere}"
            for address in (here, away):
                processes.wait_for(address, lambda address=address: answers(f"{address}/readyz"), START_SECONDS)  # type: ignore[misc]  # mypy reads no default here
            yield Staging(directory, processes, stand_in.state, stand_in.base_url, here, away, environment)
        finally:
            processes.stop()


def _environment(connected: Mapping[str, str], model: str, here: str) -> dict[str, str]:
    engine = "REGREEN_DOCKER_HOST"
    own = {name: value for name, value in os.environ.items() if not name.startswith("REGREEN_") or name == engine}
    return {
        **own,
        **connected,
        **MODEL,
        "REGREEN_OPENAI_BASE_URL": model,
        "REGREEN_PUBLIC_URL": here,
        "REGREEN_OPERATOR_TOKEN": TOKEN,
        "REGREEN_HIDDEN_REPOSITORIES": "riverside/secret-*",
        "REGREEN_WRITE_SPACING": "0",
        "REGREEN_EDIT_SPACING": "0",
        "PYTHONPATH": str(Path(__file__).parents[1]),
    }


def _start(processes: Processes, environment: Mapping[str, str], elsewhere: int) -> None:
    regreen(processes, "serve", environment)
    wide = {"REGREEN_HOST": "0.0.0.0", "REGREEN_PORT": str(elsewhere)}  # noqa: S104 - the case that is shown
    command = [sys.executable, "-P", "-c", "from bot.cli import main; main()", "serve"]
    processes.start("elsewhere", command, {**environment, **wide})
    worker = processes.start("worker", [sys.executable, "-P", "-m", "pages.staged_worker"], environment)
    processes.wait_for("the worker", lambda: b"worker_started" in worker.log.read_bytes(), START_SECONDS)


def _seed(state: State) -> None:
    people = {MAINTAINER: "maintain"}
    for name in (REPAIRED, ENDLESS, SECRET):
        state.add_repository(name, FILES, collaborators=people)
    body = "`grade(50)` says `fail`, and `tests/test_grades.py::test_fifty` shows it."
    for name in (REPAIRED, ENDLESS):
        state.open_issue(name, "Fifty points should pass", body, by=MAINTAINER)
