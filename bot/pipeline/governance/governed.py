"""A job's ports as its repository's policy lets them act: commits are looked at, and a dry run writes nothing.

What a port offers that is not known to read counts as writing: a new operation is held back until somebody says here
what it does.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, get_type_hints

from bot.codec import codec_for
from bot.errors import GitHubError
from bot.pipeline.governance.cast import cast
from bot.pipeline.governance.guard import require_allowed
from bot.pipeline.ports.checks import Checks
from bot.pipeline.ports.github import GitHub, NewCommit, PullRequest
from bot.pipeline.ports.job import Ports
from bot.pipeline.ports.threads import Branches, Merged, Merging, Threads
from bot.pipeline.reports.labels import Labels
from bot.policy import RepoPolicy
from bot.repair.ports import Journal

PORTS: Mapping[str, type] = {
    "github": GitHub,
    "checks": Checks,
    "labels": Labels,
    "threads": Threads,
    "branches": Branches,
}
"""The fields of `Ports` that reach GitHub."""
READS: Mapping[type, frozenset[str]] = {
    GitHub: frozenset({
        "repository", "permission", "file", "issue", "closing", "lacking", "branch_head", "failed_jobs",
        "pull_requests",
    }),
    Checks: frozenset({"of_commit", "pull_request", "distance"}),
    Labels: frozenset(),
    Threads: frozenset({"review", "remarks", "text", "changed"}),
    Branches: frozenset({"person"}),
}  # fmt: skip
ANSWERS: Mapping[object, object] = {
    type(None): None,
    str: "",
    tuple[str, ...]: (),
    bool: True,
    PullRequest: PullRequest(0, "", "", is_open=True, merged=False),
    Merged: Merged(Merging.CURRENT, ""),
}
"""What a write that was not made comes to, by its type."""
MAX_TEXT = 70_000


def governed(ports: Ports, policy: RepoPolicy) -> Ports:
    """The same ports under this policy."""
    held: dict[str, Any] = {
        name: _Held(getattr(ports, name), protocol, ports, policy) for name, protocol in PORTS.items()
    }
    return replace(ports, **held, models=cast(ports.models, policy))


class _Held:
    """A port in front of which the policy stands; methods are found by name, as in `bot.pipeline.logs.recording`."""

    def __init__(self, port: object, protocol: type, ports: Ports, policy: RepoPolicy) -> None:
        self._port, self._protocol = port, protocol
        self._ports, self._policy = ports, policy

    def __getattr__(self, name: str) -> Any:
        declared = getattr(self._protocol, name)  # raises AttributeError for what the protocol does not offer
        call = getattr(self._port, name)
        if isinstance(declared, property) or name in READS[self._protocol]:
            return call

        def write(*args: Any, **kwargs: Any) -> Any:
            for new in (*args, *kwargs.values()):
                if isinstance(new, NewCommit):
                    require_allowed(new, self._policy, self._ports.github)
            if self._policy.dry_run:
                return _unwritten(f"{self._protocol.__name__}.{name}", declared, (args, kwargs), self._ports.journal)
            return call(*args, **kwargs)

        return write


def _unwritten(
    name: str, declared: Callable[..., Any], given: tuple[tuple[Any, ...], dict[str, Any]], journal: Journal
) -> Any:
    """Log the write with its arguments, and answer as if it had been made."""
    hints = get_type_hints(declared)
    bound = inspect.signature(declared).bind(None, *given[0], **given[1]).arguments
    said = {key: _short(codec_for(hints[key]).encode(value)) for key, value in bound.items() if key in hints}
    journal.append("not_written", {"call": name, "arguments": said})
    if hints["return"] not in ANSWERS:
        raise GitHubError(f"A dry run does not go on behind {name}", "Take `dry_run` out of the policy file.")
    return ANSWERS[hints["return"]]


def _short(value: Any) -> Any:
    match value:
        case str():
            return value if len(value) <= MAX_TEXT else f"{value[:MAX_TEXT]}…"
        case list():
            return [_short(one) for one in value]
        case dict():
            return {key: _short(one) for key, one in value.items()}
        case _:
            return value
