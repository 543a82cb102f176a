"""A job's ports, whose every call is one recorded step: see `bot.pipeline.logs.recording` for what a step holds."""

import dataclasses
from typing import Any

from bot.pipeline.logs.recording import Artifacts, RunStep, recorded
from bot.pipeline.ports.checks import Checks
from bot.pipeline.ports.github import GitHub
from bot.pipeline.ports.job import Environments, Ports, Reviews, Sources
from bot.pipeline.ports.threads import Branches, Threads
from bot.pipeline.reports.labels import Labels
from bot.pipeline.spending.ledger import Ledger
from bot.repair.ports import Clock, Model, Workspace


def record_ports(ports: Ports, run_step: RunStep, artifacts: Artifacts) -> Ports:
    """The same ports, each call a recorded step.

    The journal stays as it is: a replay appends the whole log again, and lines that are there already are skipped,
    which costs no step and restores a log that was lost.
    """

    def record(port: Any, protocol: type) -> Any:
        return recorded(port, protocol, run_step, artifacts)

    return dataclasses.replace(
        ports,
        github=record(ports.github, GitHub),
        sources=record(ports.sources, Sources),
        environments=record(ports.environments, Environments),
        workspace=record(ports.workspace, Workspace),
        models=ports.models.each(lambda _, model: record(model, Model)),
        clock=record(ports.clock, Clock),
        reviews=record(ports.reviews, Reviews),
        checks=record(ports.checks, Checks),
        labels=record(ports.labels, Labels),
        ledger=record(ports.ledger, Ledger),
        threads=record(ports.threads, Threads),
        branches=record(ports.branches, Branches),
    )
