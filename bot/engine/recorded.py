"""A job's ports, whose every call is one recorded step: see `bot.pipeline.recording` for what a step holds."""

import dataclasses
from typing import Any

from bot.pipeline.checks_port import Checks
from bot.pipeline.github_port import GitHub
from bot.pipeline.labels import Labels
from bot.pipeline.ledger import Ledger
from bot.pipeline.ports import Environments, Ports, Reviews, Sources
from bot.pipeline.recording import Artifacts, RunStep, recorded
from bot.pipeline.threads_port import Branches, Threads
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
