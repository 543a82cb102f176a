"""What GitHub shows at the end, for `storm_verdict`: of each subject, and the App's pull requests."""

import re
from collections.abc import Sequence
from typing import Any

from bench.storm_acts import Plot

from bot.demo.records import Issue
from bot.demo.state import State

_MARKER = re.compile(r"<!--\s*(regreen:[^>]*?)\s*-->")


def shown(state: State, plots: Sequence[Plot]) -> dict[str, Any]:
    """A report's `subjects`, and its `pulls`: repository, head and state of each."""
    with state.lock:
        repositories = {plot.repository for plot in plots}
        return {"subjects": [_subject(state, plot) for plot in plots], "pulls": _pulls(state, repositories)}


def _subject(state: State, plot: Plot) -> dict[str, Any]:
    repository = state.repository(plot.repository)
    seen: dict[str, Any] = {"labels": [], "marks": [], "checks": []}
    if plot.number:
        issue = repository.issues[plot.number]
        seen |= {"labels": list(issue.labels), "marks": _marks(state, issue)}
    else:
        ours = [run for run in repository.runs.values() if run.app.id == state.app.id]
        seen["checks"] = [[run.external_id or "", run.status] for run in ours]
    return {
        "repository": plot.repository,
        "subject": plot.subject,
        "kind": plot.kind.value,
        "word": plot.word,
        **seen,
    }


def _marks(state: State, issue: Issue) -> list[str]:
    bodies = [one.body for one in issue.comments if one.author.login == state.app.bot.login]
    return [found[1] if (found := _MARKER.search(body)) else "" for body in bodies]


def _pulls(state: State, repositories: set[str]) -> list[list[str]]:
    return [
        [name, issue.pull.head, issue.state]
        for name in sorted(repositories)
        for issue in state.repository(name).issues.values()
        if issue.pull and issue.author.login == state.app.bot.login
    ]
