"""Three machines with a worker each on one Postgres, a webhook server, and the stand-in for GitHub."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import sqlalchemy as sa
from bench.storm import BUDGETS, MODEL, REPLY
from bench.storm_acts import LABEL, MAINTAINER, OUTSIDER, Kind, Plot
from chaos import holds
from chaos.proxy import Proxy
from fakes_fix import FILES
from model_server import ModelServer
from postgres_server import Cluster

from bot.adapters.store import connect, metadata
from bot.demo.processes import Child, DemoError, Processes, free_port
from bot.demo.stage import answers, connection, regreen, write_keys
from bot.demo.stand_in import StandIn
from bot.demo.state import AppConfig

MACHINES = ("a", "b", "c")
START_SECONDS = 300.0
POLL_SECONDS = 0.1
REPLIES = 100_000
THINKING_SECONDS = 0.3
"""So long a model thinks, so that a job takes some time."""
BODY = "`grade(50)` fails, see tests/test_grades.py::test_fifty ({})."


@dataclass
class Machine:
    """A machine's data directory, its way to Postgres, how wrong its clock goes, and its worker."""

    name: str
    directory: Path
    proxy: Proxy
    clock: float = 0.0
    worker: Child | None = None
    boots: int = 0


@dataclass
class Stage:
    """What cases act on. `kills` are seconds since the epoch, `cuts` spans of them in which records were lost."""

    place: Path
    cluster: Cluster
    lease: float
    url: str
    stand_in: StandIn
    model: ModelServer
    processes: Processes
    environment: dict[str, str]
    machines: dict[str, Machine]
    database: sa.Engine
    kills: list[float] = field(default_factory=list)
    cuts: list[tuple[float, float]] = field(default_factory=list)
    made: int = 0

    def muster(self) -> None:
        """Start the worker of each machine that has none that lives, and wait until all work."""
        for machine in self.machines.values():
            if machine.worker is None or machine.worker.process.poll() is not None:
                self.start(machine)
        for machine in self.machines.values():
            self.processes.wait_for(f"worker {machine.name}", partial(_works, machine), START_SECONDS)

    def muster_two(self) -> None:
        """Wait until two work, whatever the third does."""
        self.until("two workers", lambda: sum(map(_works, self.machines.values())) > 1, START_SECONDS)

    def start(self, machine: Machine) -> None:
        """Start its next worker."""
        self._forget(machine)
        machine.boots += 1
        environment = {
            **self.environment,
            "REGREEN_DATA_DIR": str(machine.directory),
            "REGREEN_DATABASE_URL": _through(self.url, machine.proxy.port),
            "CHAOS_CLOCK": str(machine.clock),
        }
        command = [sys.executable, "-P", "-m", "chaos.worker"]
        machine.worker = self.processes.start(f"worker-{machine.name}-{machine.boots}", command, environment)

    def kill(self, machine: Machine) -> None:
        """Kill its worker with everything in it."""
        assert machine.worker is not None
        self.kills.append(time.time())
        machine.worker.process.kill()
        machine.worker.process.wait()
        self._forget(machine)

    def stop(self, machine: Machine, seconds: float) -> int:
        """End its worker in good order; the exit code. Raises `TimeoutExpired`."""
        assert machine.worker is not None
        machine.worker.process.terminate()
        code = machine.worker.process.wait(seconds)
        self._forget(machine)
        return code

    def signal(self, machine: Machine, number: signal.Signals) -> None:
        """Send a signal."""
        assert machine.worker is not None
        machine.worker.process.send_signal(number)

    def holder(self, client_port: int) -> Machine:
        """The machine through whose proxy a connection comes."""
        return next(one for one in self.machines.values() if client_port in one.proxy.local_ports)

    def repository(self) -> str:
        """The name of a new repository with a fault in it."""
        self.made += 1
        name = f"octo/r{self.made}"
        self.stand_in.state.add_repository(name, dict(FILES), collaborators={MAINTAINER: "maintain"})
        return name

    def issue(self, repository: str) -> Plot:
        """A labelled issue in it, as soon as a run is queued for it: so issues come in order."""
        self.made += 1
        word = f"storm-{self.made}."
        state = self.stand_in.state
        issue = state.open_issue(repository, f"Fifty does not pass: {word}", BODY.format(word), by=OUTSIDER)
        plot = Plot(state, repository, Kind.FIX, word, issue.number)
        state.add_label(repository, issue.number, LABEL, by=MAINTAINER)
        self.until(f"a run of {place_of(plot)}", partial(self._queued, plot), START_SECONDS)
        return plot

    def until(self, what: str, condition: Callable[[], bool], seconds: float) -> None:
        """Wait without caring who lives. Raises `DemoError`."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise DemoError(f"{what} did not come within {seconds:.0f} s; the logs are in {self.place}")
            time.sleep(POLL_SECONDS)

    def open_runs(self, plots: Sequence[Plot]) -> int:
        """How many of these have no run, or one that did not end, in its row and for the engine."""
        runs = metadata.tables["runs"]
        ended = sa.select(runs.c.repository, runs.c.subject).where(runs.c.ended_at.is_not(None))
        active = sa.text("SELECT workflow_uuid FROM dbos.workflow_status WHERE status IN ('ENQUEUED', 'PENDING')")
        with self.database.connect() as connection:
            over = {(row.repository, row.subject) for row in connection.execute(ended)}
            working = tuple(connection.execute(active).scalars())
        return sum(
            (plot.repository, plot.subject) not in over or any(one.startswith(place_of(plot)) for one in working)
            for plot in plots
        )

    def await_ends(self, plots: Sequence[Plot], seconds: float) -> bool:
        """Wait until all of these have ended; whether they have."""
        deadline = time.monotonic() + seconds
        while self.open_runs(plots):
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def started(self, plot: Plot) -> int:
        """How often a worker began with the jobs of this subject, by the workers' logs."""
        lines = [line for log in self.place.glob("worker-*.log") for line in log.read_text().splitlines()]
        return sum("job_started" in line and place_of(plot) in line for line in lines)

    def _queued(self, plot: Plot) -> bool:
        runs = metadata.tables["runs"]
        query = sa.select(sa.func.count()).where(runs.c.repository == plot.repository, runs.c.subject == plot.subject)
        with self.database.connect() as connection:
            return bool(connection.scalar(query))

    def _forget(self, machine: Machine) -> None:
        if machine.worker in self.processes.children:
            self.processes.children.remove(machine.worker)
        machine.worker = None


def place_of(plot: Plot) -> str:
    """What the identities of a subject's jobs begin with."""
    return f"{plot.repository}:{plot.subject}:"


@contextmanager
def staged(place: Path, cluster: Cluster, lease: float) -> Iterator[Stage]:
    """Everything runs, and the engine's tables are prepared for holds. Raises `DemoError`."""
    with ExitStack() as stack:
        write_keys(place)
        stand_in = StandIn(AppConfig((place / "app.pub").read_text()), directory=_made(place / "github"))
        stand_in.state.add_user(OUTSIDER)
        stand_in.start()
        stack.callback(stand_in.stop)
        replies = [{"text": REPLY, "delay": THINKING_SECONDS}] * REPLIES
        model = stack.enter_context(ModelServer(replies, place / "model.jsonl"))
        url = cluster.create()
        stack.callback(cluster.drop, url)
        machines = {name: Machine(name, place / f"machine-{name}", Proxy(cluster.port)) for name in MACHINES}
        for machine in machines.values():
            stack.callback(machine.proxy.close)
        processes = Processes(place)
        stack.callback(processes.stop)
        environment = _environment(place, stand_in, model, lease, url)
        database = connect(url)
        stack.callback(database.dispose)
        stage = Stage(place, cluster, lease, url, stand_in, model, processes, environment, machines, database)
        _begin(stage)
        yield stage


def _begin(stage: Stage) -> None:
    port = stage.environment["REGREEN_PORT"]
    regreen(stage.processes, "serve", stage.environment)
    stage.processes.wait_for("the webhook server", lambda: answers(f"http://127.0.0.1:{port}/readyz"), START_SECONDS)
    stage.stand_in.hook(f"http://127.0.0.1:{port}/webhook", stage.environment["REGREEN_WEBHOOK_SECRETS"])
    # One makes the engine's tables, the others find them.
    stage.start(stage.machines["a"])
    stage.processes.wait_for("the first worker", partial(_works, stage.machines["a"]), START_SECONDS)
    holds.set_up(stage.database)
    stage.muster()


def _environment(place: Path, stand_in: StandIn, model: ModelServer, lease: float, url: str) -> dict[str, str]:
    server = f"http://127.0.0.1:{free_port()}"
    return {
        **{key: value for key, value in os.environ.items() if not key.startswith(("REGREEN_", "OPENAI_"))},
        **connection(place, stand_in.base_url, server),
        **MODEL,
        **{f"REGREEN_MAX_DOLLARS_{name}": "1000000" for name in BUDGETS},
        "REGREEN_OPENAI_BASE_URL": model.base_url,
        "REGREEN_DATABASE_URL": _through(url),
        "REGREEN_LEASE_SECONDS": json.dumps(lease),
        "REGREEN_WRITE_SPACING": "0",
        "REGREEN_EDIT_SPACING": "0",
        "REGREEN_PARALLEL_JOBS": "4",
        "REGREEN_WORKER_PORT": "0",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }


def _through(url: str, port: int | None = None) -> str:
    """As an operator writes it; through the proxy on this port."""
    address = sa.make_url(url).set(drivername="postgresql")
    return (address.set(port=port) if port else address).render_as_string(hide_password=False)


def _works(machine: Machine) -> bool:
    """Also after a worker that lost its lease began anew, in the same process and log."""
    if machine.worker is None or machine.worker.process.poll() is not None:
        return False
    said = machine.worker.log.read_bytes()
    return said.count(b"worker_started") > said.count(b"lease_lost")


def _made(directory: Path) -> Path:
    directory.mkdir()
    return directory
