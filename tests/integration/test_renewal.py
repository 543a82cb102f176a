"""A worker that lost its lease begins anew as another process, once the database answers."""

import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bot.commands.renewal import renew
from bot.web.readiness import LOST, Vitals

WORKER = """
import os, pathlib, sys, threading
from types import SimpleNamespace
from bot.commands.renewal import renew

told = pathlib.Path(sys.argv[1])
with told.open("a") as file:
    file.write(f"{os.getpid()} begins\\n")
if told.read_text().count("begins") == 2:
    sys.exit(0)
lost, answers = threading.Event(), iter((False, True))
lost.set()
engine = SimpleNamespace(lost=lost, answers=lambda: next(answers), executor="host-1-aa")
health = SimpleNamespace(vitals=SimpleNamespace(away=""))
remove_own = lambda: told.open("a").write("removes its containers\\n")
worker = SimpleNamespace(engine=engine, remove_own=remove_own, health=health)
threading.Thread(target=renew, args=(worker, threading.Event()), daemon=True).start()
threading.Event().wait(60)
"""


def test_it_removes_what_it_ran_waits_for_the_database_and_takes_its_own_place(tmp_path: Path) -> None:
    script, told = tmp_path / "worker.py", tmp_path / "told"
    script.write_text(WORKER)
    subprocess.run([sys.executable, str(script), str(told)], check=True, cwd=Path(__file__).parents[2], timeout=120)
    first, removed, second = told.read_text().splitlines()
    assert first == second
    assert removed == "removes its containers"


def test_one_that_is_being_stopped_begins_nothing_anew() -> None:
    lost, stop = threading.Event(), threading.Event()
    lost.set()
    stop.set()
    engine = SimpleNamespace(lost=lost, answers=lambda: True, executor="host-1-aa")
    vitals = Vitals({})
    worker: Any = SimpleNamespace(engine=engine, remove_own=lambda: 0, health=SimpleNamespace(vitals=vitals))
    renew(worker, stop)
    assert vitals.absent() == LOST
