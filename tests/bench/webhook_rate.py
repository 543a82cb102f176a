"""`make bench-webhook`: how fast webhooks are answered while the worker works.

`--seconds S` (30), `--rate R` (200). The webhook server, the worker and the stand-in for GitHub are processes; a fifth
of the deliveries trigger. The last line is one JSON document: `rate` is what was accepted a second, `lost` counts what
was sent and is not in the deliveries table. The exit status is 1 only when the measurement is invalid.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import quantiles
from typing import Any

import httpx
import jwt
import sqlalchemy as sa
from bench.say import finish, say
from bench.storm import MODEL, REPLY
from bench.webhook_load import Ready, Scene, Sent, deliveries, send
from fakes_fix import FILES
from model_server import ModelServer

from bot.adapters.store import connect, metadata
from bot.demo.person import Person
from bot.demo.processes import Child, DemoError, Processes, free_port
from bot.demo.stage import answers, connection, regreen, write_keys

MAINTAINER, LABEL, OWNER = "mona", "regreen", "octo"
REPOSITORIES, ISSUES_EACH = 4, 10
START_SECONDS = 180.0
AIM_MS = 100.0
CLOSE_ENOUGH = 0.98
"""Of the rate that was asked for: the last answers come after the last second."""
BATCH = 500
LEAST = 2
"""Answers without which there is no quantile."""


def measure(place: Path, seconds: float, rate: float) -> dict[str, object]:
    """The last line's content."""
    github, server = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    write_keys(place)
    connected = connection(place, github, server)
    secret, hook = connected["REGREEN_WEBHOOK_SECRETS"], f"{server}/webhook"
    with ModelServer([{"text": REPLY}] * 100_000, place / "model.jsonl") as model:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("REGREEN_", "OPENAI_"))}
        environment = {
            **kept,
            **connected,
            **MODEL,
            "REGREEN_OPENAI_BASE_URL": model.base_url,
            "REGREEN_WRITE_SPACING": "0",
            "REGREEN_EDIT_SPACING": "0",
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        processes = Processes(place)
        try:
            scene = _start(place, processes, environment, (github, server))
            ready = deliveries(scene, hook, secret, round(seconds * rate), random.Random(1))  # noqa: S311 - no secret
            say(f"{len(ready)} deliveries of {sum(len(one.request) for one in ready) // len(ready)} bytes each")
            before = [_processor(child) for child in processes.children]
            sent = asyncio.run(send(hook, ready, rate))
            processes.check()
            for child, used in zip(processes.children, before, strict=True):
                spent = (_processor(child) - used) / len(ready) * 1000
                say(f"{child.name} used {spent:.2f} ms of a processor for each delivery")
            lost = _lost(f"sqlite:///{place / 'data' / 'regreen.sqlite'}", ready)
        finally:
            processes.stop()
    return _report(sent, rate, lost)


def _processor(child: Child) -> float:
    """Seconds of processor time so far (proc(5), /proc/pid/stat)."""
    fields = Path(f"/proc/{child.process.pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _start(place: Path, processes: Processes, environment: Mapping[str, str], sites: tuple[str, str]) -> Scene:
    github, server = sites
    state = place / "github"
    state.mkdir()
    config = _write_config(place)
    command = [sys.executable, "-P", "-m", "bot.demo.server", "--port", github.rpartition(":")[2]]
    stand_in = processes.start("github", [*command, "--state-dir", str(state), "--config", str(config)], environment)
    regreen(processes, "serve", environment)
    worker = processes.start("worker", [sys.executable, "-P", "-m", "bench.storm_worker"], environment)
    processes.wait_for("the stand-in", lambda: "listening on" in stand_in.tail(), START_SECONDS)
    processes.wait_for("the webhook server", lambda: answers(f"{server}/readyz"), START_SECONDS)
    processes.wait_for("the worker", lambda: b"worker_started" in worker.log.read_bytes(), START_SECONDS)
    person = Person.at(f"{github}/api/v3", json.loads((state / "tokens.json").read_text())[MAINTAINER])
    try:
        return _scene(person, f"{github}/api/v3", (place / "app.pem").read_text())
    finally:
        person.client.close()


def _write_config(place: Path) -> Path:
    """The stand-in's configuration; it sends no webhooks itself."""
    for name, content in FILES.items():
        file = place / "source" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    repositories = [
        {"full_name": f"{OWNER}/r{number}", "source": "source", "collaborators": {MAINTAINER: "maintain"}}
        for number in range(REPOSITORIES)
    ]
    path = place / "stand-in.json"
    path.write_text(json.dumps({"app": {"public_key_file": "app.pub"}, "repositories": repositories}))
    return path


def _scene(person: Person, api: str, key: str) -> Scene:
    def get(path: str) -> Any:
        return person.client.get(path).raise_for_status().json()

    issues, names = [], [f"{OWNER}/r{number}" for number in range(REPOSITORIES)]
    for at, name in enumerate(names):
        for number in range(ISSUES_EACH):
            body = "`grade(50)` fails, see tests/test_grades.py::test_fifty."
            issue = person.open_issue(name, f"Fifty does not pass, {number}", body)
            person.label(name, issue, LABEL)
            issues.append((at, get(f"repos/{name}/issues/{issue}")))
    now = int(time.time())
    claim = jwt.encode({"iss": "1", "iat": now - 10, "exp": now + 300}, key, algorithm="RS256")
    found = httpx.get(f"{api}/app/installations", headers={"Authorization": f"Bearer {claim}"}, trust_env=False)
    label = get(f"repos/{names[0]}/labels/{LABEL}")
    return Scene(found.json()[0]["id"], [get(f"repos/{name}") for name in names], issues, get("user"), label)


def _lost(database: str, ready: Sequence[Ready]) -> int:
    table, engine = metadata.tables["deliveries"], connect(database)
    there = 0
    try:
        with engine.connect() as opened:
            for start in range(0, len(ready), BATCH):
                guids = [one.guid for one in ready[start : start + BATCH]]
                counted = sa.select(sa.func.count()).where(table.c.delivery_id.in_(guids))
                there += opened.scalar(counted) or 0
            decided = opened.scalar(sa.select(sa.func.count()).where(table.c.decided_at.is_not(None)))
    finally:
        engine.dispose()
    say(f"{decided} of them were decided by the end")
    return len(ready) - there


def _report(sent: Sent, rate: float, lost: int) -> dict[str, object]:
    if len(sent.seconds) < LEAST:
        raise DemoError(f"hardly anything was accepted: {sorted(set(sent.refused))}")
    if sent.refused:
        say(f"{len(sent.refused)} were not accepted: {sorted(set(sent.refused))}")
    cuts = quantiles(sent.seconds, n=100, method="inclusive")
    achieved = len(sent.seconds) / sent.elapsed
    met = cuts[98] * 1000 < AIM_MS and not lost and achieved >= CLOSE_ENOUGH * rate
    return {
        "rate": round(achieved, 1),
        "p50_ms": round(cuts[49] * 1000, 1),
        "p99_ms": round(cuts[98] * 1000, 1),
        "lost": lost,
        "met": met,
    }


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 when there is no valid figure."""
    parser = argparse.ArgumentParser(prog="make bench-webhook", description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--rate", type=float, default=200.0)
    options = parser.parse_args(arguments)
    # So that what was started is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    invalid = (DemoError, httpx.HTTPError, OSError, ValueError, sa.exc.SQLAlchemyError)
    with tempfile.TemporaryDirectory(prefix="regreen-webhook-") as place:
        return finish(lambda: measure(Path(place), options.seconds, options.rate), invalid)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
