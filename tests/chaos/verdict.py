"""What chaos left of some subjects, held against a fix that nobody disturbs: nothing may tell them apart."""

from collections.abc import Iterator, Sequence

import sqlalchemy as sa
from bench.storm import call_of
from bench.storm_acts import Plot
from bench.storm_shown import shown
from bench.storm_verdict import Left, Ran, duplicates, unfinished
from chaos import holds
from chaos.stage import Stage
from pydantic import SecretStr

from bot.adapters.store import metadata
from bot.pipeline.ports.reading import Reader
from bot.settings import Settings
from bot.wiring.reading import build_reader


def judge(stage: Stage, plots: Sequence[Plot]) -> list[str]:
    """A line for each thing that is wrong; empty when each job ended once, in order, and made everything once."""
    left = _left(stage, plots)
    return [*unfinished(left), *duplicates(left), *_unpublished(stage, left), *_disordered(stage, left)]


def _left(stage: Stage, plots: Sequence[Plot]) -> Left:
    runs, spends = metadata.tables["runs"], metadata.tables["spends"]
    repositories = {plot.repository for plot in plots}
    settings = Settings(
        data_dir=stage.place / "data", database_url=SecretStr(stage.environment["REGREEN_DATABASE_URL"])
    )
    reader = build_reader(settings, stage.database)
    with stage.database.connect() as connection:
        rows = connection.execute(sa.select(runs).where(runs.c.repository.in_(repositories)).order_by(runs.c.sequence))
        ran = [Ran(row.identity, row.repository, row.subject, row.state or "", 0) for row in rows]
        money = sa.select(spends).where(spends.c.repository.in_(repositories))
        spent = [(row.identity, int(row.spent), row.settled_at is not None) for row in connection.execute(money)]
    words = [plot.word for plot in plots]
    calls = [call for call in map(call_of, stage.model.chats) if any(word in call.prompt for word in words)]
    ended = [Ran(one.identity, one.repository, one.subject, one.state, _ends(reader, one.identity)) for one in ran]
    report = shown(stage.stand_in.state, plots)
    return Left(report, ended, 0, calls, spent, stage.kills, stage.cuts)


def _ends(reader: Reader, identity: str) -> int:
    return sum(entry.event == "ended" for entry in reader.entries(identity, -1))


def _unpublished(stage: Stage, left: Left) -> Iterator[str]:
    status = sa.text("SELECT status FROM dbos.workflow_status WHERE workflow_uuid = :identity")
    for one in left.runs:
        if one.state != "published":
            yield f"{one.identity} ended {one.state or 'never'}"
        with stage.database.connect() as connection:
            known = connection.scalar(status, {"identity": one.identity})
        if known != "SUCCESS":
            yield f"{one.identity} is {known} to the engine"


def _disordered(stage: Stage, left: Left) -> Iterator[str]:
    for repository in sorted({one.repository for one in left.runs}):
        queued = tuple(one.identity for one in left.runs if one.repository == repository)
        worked = holds.order_of(stage.database, repository)
        if worked != queued:
            yield f"{repository} worked on {worked}, though {queued} were queued"
