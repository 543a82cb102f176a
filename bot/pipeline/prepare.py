"""The steps that get a repository here and ready, and what the log says of the network that its set-up asked for."""

from bot.errors import RegreenError
from bot.pipeline.ports.job import Environments, Ports
from bot.pipeline.steps import Steps
from bot.repair.ports import Journal
from bot.repair.types import Base
from sandbox.spec import Egress, Given

MOST = 50
"""Refusals, and hosts reached, that the log names one by one."""


def prepare(environments: Environments, journal: Journal, repository: str, commit: str, given: Given) -> Base:
    """As `Environments.prepare`; what was reached and every refusal stand in the log, whether it succeeded or not.

    What is logged is what a recorded call returned: a replay must find the same lines.
    """
    try:
        base = environments.prepare(repository, commit, given)
    except RegreenError:
        _log(journal, environments.egress())
        raise
    _log(journal, environments.egress())
    return base


def fetched(ports: Ports, steps: Steps, repository: str, commit: str, given: Given) -> Base:
    """A commit brought here and made ready, each a step. Raises as `Sources.fetch` and `Environments.prepare` do."""
    with steps.step("fetch"):
        ports.sources.fetch(repository, commit)
    with steps.step("prepare"):
        return prepare(ports.environments, ports.journal, repository, commit, given)


def _log(journal: Journal, asked: tuple[Egress, ...]) -> None:
    reached = [one for one in asked if one.allowed]
    refused = [one for one in asked if not one.allowed]
    if reached:
        hosts = {f"{one.host}:{one.port}": one.count for one in reached[:MOST]}
        journal.append("egress_allowed", {"hosts": hosts, "requests": sum(one.count for one in reached)})
    for one in refused[:MOST]:
        fields = {"host": one.host, "port": one.port, "reason": one.reason, "count": one.count}
        journal.append("egress_refused", fields)
    if len(refused) > MOST:
        requests = sum(one.count for one in refused[MOST:])
        journal.append("egress_refused_more", {"hosts": len(refused) - MOST, "requests": requests})
