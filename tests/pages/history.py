"""Runs of the past, written straight into the store: a large one, a hidden one, and enough for a repository's plots."""

import time
from dataclasses import dataclass
from urllib.parse import quote

from fakes_store import fix_issue
from pages.bigrun import write_log
from pages.staging import REPAIRED, SECRET, Staging

from bot.adapters.store import SqlRuns, connect
from bot.jobs import JobOutcome, State, job_id
from bot.wiring import database_url

DAY = 86_400.0


@dataclass(frozen=True)
class Known:
    """A run that is there from the beginning."""

    identity: str

    @property
    def path(self) -> str:
        """Its page."""
        return f"/runs/{quote(self.identity, safe='')}"


BIG = Known(job_id(fix_issue(9, "riverside/large", "big")))
HIDDEN = Known(job_id(fix_issue(9, SECRET, "hidden")))
ENDS = (State.PUBLISHED, State.PUBLISHED, State.UNSOLVED, State.PUBLISHED, State.NOT_REPRODUCED, State.CANCELLED)


def write_history(staging: Staging) -> None:
    """Write all of it."""
    database = connect(database_url(staging.settings))
    moment = [0.0]
    runs = SqlRuns(database, lambda: moment[0])
    now = time.time()
    try:
        for number in reversed(range(40)):
            moment[0] = now - DAY * (number * 0.7 + 1)
            job = fix_issue(100 + number, REPAIRED, f"past-{number}")
            runs.started(job_id(job), job)
            took = 60.0 + 37 * (number % 7)
            moment[0] += took
            state = ENDS[number % len(ENDS)]
            pull = 200 + number if state is State.PUBLISHED else None
            address = f"{staging.github}/{REPAIRED}/pull/{pull}" if pull else ""
            ended = JobOutcome(
                state, HEADLINES[state], "", pull, address, 4000 + 13 * number, 0.05 + 0.01 * (number % 5), took
            )
            runs.ended(job_id(job), ended)
        for known, job in ((BIG, fix_issue(9, "riverside/large", "big")), (HIDDEN, fix_issue(9, SECRET, "hidden"))):
            moment[0] = now - DAY
            runs.started(known.identity, job)
            moment[0] = now - DAY + 900
            runs.ended(known.identity, JobOutcome(State.UNSOLVED, "No attempt passed the gate", "budget", seconds=900))
    finally:
        database.dispose()
    write_log(staging.settings, BIG.identity)


HEADLINES = {
    State.PUBLISHED: "Fifty points pass again",
    State.UNSOLVED: "No attempt passed the gate",
    State.NOT_REPRODUCED: "No test shows what the issue says",
    State.CANCELLED: "Stopped: somebody who may write to the repository said to stop",
}
