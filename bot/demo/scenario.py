"""The demo: from a label, and from a red check, to a pull request, with everything real but GitHub."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from bot.demo import samples, show
from bot.demo.person import PullView
from bot.demo.processes import DemoError
from bot.demo.samples import Sample
from bot.demo.scene import REPORT_FILE
from bot.demo.show import Facts, Progress
from bot.demo.stage import Stage, set_up
from bot.errors import RegreenError
from bot.settings import Settings, load

RUN_SECONDS = 600.0
POLL_SECONDS = 0.05
LABEL = "regreen"


def run(*, keep: bool = False) -> int:
    """Run every scene; 0 only when each ended as it should. With `keep`, the processes go on running afterwards."""
    console = show.console()
    begin = time.monotonic()
    try:
        settings = load()
        console.print(_introduction(settings))
        stage = set_up(settings, os.environ)
    except (DemoError, RegreenError) as error:
        console.print(f"The demo did not start: {error}", style="bold red", markup=False)
        return 1
    try:
        _play(console, stage, with_model=settings.wants_model)
        if keep:
            stage.processes.check()
    except DemoError as error:
        console.print(f"\nThe demo failed: {error}", style="bold red", markup=False)
        console.print(f"Logs: {stage.directory}", markup=False)
        keep = False
        return 1
    except KeyboardInterrupt:
        keep = False
        return 130
    finally:
        if not keep:
            stage.processes.stop()
    console.print(
        f"\nAll of it took {time.monotonic() - begin:.0f} s; logs and journals: {stage.directory}", markup=False
    )
    if keep:
        console.print(_addresses(stage), markup=False)
        return 0
    return _verdict_of_description(console, stage)


def _play(console: Console, stage: Stage, *, with_model: bool) -> None:
    journals = Journals(stage.runs)
    _from_label(console, stage, journals, with_model=with_model)
    _from_red_check(console, stage, journals)
    _without_a_fix(console, stage, journals, with_model=with_model)


def _from_label(console: Console, stage: Stage, journals: "Journals", *, with_model: bool) -> None:
    sample = samples.from_issue()
    show.title(console, "1. An issue, a label, a pull request")
    issue, since = _label_an_issue(console, stage, sample)
    facts = _follow(console, stage, journals, _status_comment(stage, sample, issue, since))
    pull = _pull_request(stage, sample, facts, f"regreen/issue-{issue}")
    show.pull_request(console, pull)
    show.spent(console, facts, time.monotonic() - since)
    _expect(f"Fixes #{issue}" in pull.body, f"the pull request does not say that it fixes #{issue}")
    if not with_model:
        _expect("regressed" in facts.verdicts, "no attempt was rejected for a regression")
        _expect(pull.draft, "a patch from the mutation search was not published as a draft")


def _from_red_check(console: Console, stage: Stage, journals: "Journals") -> None:
    sample = samples.from_check()
    show.title(console, "2. A commit on the default branch turns its check suite red")
    since = time.monotonic()
    commit = stage.person.push(sample.repository, "main", sample.change, sample.message)
    subject = sample.message.partition("\n")[0]
    console.print(f'{stage.maintainer} pushes {commit[:10]} "{subject}" to {sample.repository}', markup=False)
    facts = _follow(console, stage, journals, lambda _: None)
    pull = _pull_request(stage, sample, facts, "regreen/check-main")
    show.pull_request(console, pull)
    show.spent(console, facts, time.monotonic() - since)


def _without_a_fix(console: Console, stage: Stage, journals: "Journals", *, with_model: bool) -> None:
    sample = samples.without_fix()
    show.title(console, "3. An issue that needs new code")
    issue, since = _label_an_issue(console, stage, sample)
    facts = _follow(console, stage, journals, _status_comment(stage, sample, issue, since))
    comments = stage.person.comments(sample.repository, issue)
    _expect(len(comments) == 1, f"there are {len(comments)} comments on the issue, not one")
    show.comment(console, comments[0])
    show.spent(console, facts, time.monotonic() - since)
    solved = facts.state == "published"
    _expect(facts.state == "unsolved" or (with_model and solved), f"the run ended {facts.state}: {facts.headline}")
    _expect(solved or bool(facts.stop and facts.stop in comments[0]), "the final comment does not name why it stopped")
    _expect(solved or not stage.person.pulls(sample.repository), "there is a pull request without a fix")


def _label_an_issue(console: Console, stage: Stage, sample: Sample) -> tuple[int, float]:
    issue = stage.person.open_issue(sample.repository, sample.title, sample.body)
    console.print(f'{stage.maintainer} files {sample.repository}#{issue} "{sample.title}"', markup=False)
    stage.person.label(sample.repository, issue, LABEL)
    console.print(f"{stage.maintainer} puts the label {LABEL} on it", markup=False)
    return issue, time.monotonic()


def _status_comment(stage: Stage, sample: Sample, issue: int, since: float) -> Callable[[Progress], None]:
    """Says once when the status comment is there."""
    seen: list[bool] = []

    def look(progress: Progress) -> None:
        if not seen and stage.person.comments(sample.repository, issue):
            seen.append(True)
            progress.line(f"✓ the status comment is there after {time.monotonic() - since:.1f} s")

    return look


def _follow(console: Console, stage: Stage, journals: "Journals", look: Callable[[Progress], None]) -> Facts:
    """Show the next run until it has ended. Raises `DemoError` when it does not, or when a process ends."""
    deadline = time.monotonic() + RUN_SECONDS
    with Progress(console) as progress:
        while not progress.facts.state:
            for event, fields in journals.news():
                progress.entry(event, fields)
            look(progress)
            stage.processes.check()
            if time.monotonic() > deadline:
                raise DemoError(f"the run did not end within {RUN_SECONDS:.0f} s")
            time.sleep(POLL_SECONDS)
    journals.finish()
    return progress.facts


def _pull_request(stage: Stage, sample: Sample, facts: Facts, branch: str) -> PullView:
    pulls = stage.person.pulls(sample.repository)
    if not pulls:
        raise DemoError(f"no pull request came: {facts.state}, {facts.headline}")
    _expect(len(pulls) == 1, f"there are {len(pulls)} pull requests, not one")
    _expect(pulls[0].head == branch, f"the pull request is on {pulls[0].head}, not on {branch}")
    _expect(bool(pulls[0].diff.strip()), "the pull request changes nothing")
    return pulls[0]


@dataclass(slots=True)
class Journals:
    """Reads the lines that the worker appends, one run after the other."""

    directory: Path
    _done: set[Path] = field(default_factory=set)
    _current: Path | None = None
    _position: int = 0

    def news(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Whole lines that were not read yet: event and fields."""
        if self._current is None:
            fresh = (path for path in sorted(self.directory.glob("*/log.jsonl")) if path not in self._done)
            self._current = next(fresh, None)
        if self._current is None:
            return
        with self._current.open("rb") as log:
            log.seek(self._position)
            for line in log:
                if not line.endswith(b"\n"):
                    return
                self._position += len(line)
                entry = json.loads(line)
                yield str(entry["event"]), entry["fields"]

    def finish(self) -> None:
        """The run has ended: the next new journal is another one's."""
        if self._current is not None:
            self._done.add(self._current)
        self._current, self._position = None, 0


def _expect(kept: bool, otherwise: str) -> None:  # noqa: FBT001 - reads like the assertion that it is
    if not kept:
        raise DemoError(otherwise)


def _introduction(settings: Settings) -> str:
    if settings.wants_model:
        who = f"Fixes come from the model server {settings.openai_base_url or 'of your API key'}."
    else:
        who = "No model is configured (OPENAI_API_KEY, OPENAI_BASE_URL): fixes come from a mutation search, no tokens."
    return f"Regreen's demo: a stand-in for GitHub, the webhook server and a worker, on this machine only.\n{who}"


def _addresses(stage: Stage) -> str:
    return (
        f"\nLeft running (KEEP):\n  the stand-in for GitHub  {stage.github}\n"
        f"  the webhook server       {stage.server}\n  stop it all with         make stop"
    )


def _verdict_of_description(console: Console, stage: Stage) -> int:
    """The stand-in checked every request against GitHub's own description; a refused one fails the demo."""
    try:
        refused = json.loads((stage.directory / REPORT_FILE).read_text())["violations"]
    except (OSError, ValueError, KeyError):
        refused = ["the stand-in left no report"]
    for one in refused:
        console.print(f"GitHub's description refuses: {one}", style="bold red", markup=False)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(run())
