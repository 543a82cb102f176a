"""The demo: from a label, and from a red check, to a pull request, with everything real but GitHub."""

import json
import os
import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from bot.demo import samples, show
from bot.demo.person import PullView
from bot.demo.processes import DemoError, demo_directory, stop_left_running
from bot.demo.samples import Sample
from bot.demo.scene import REPORT_FILE
from bot.demo.show import Facts, Progress
from bot.demo.stage import Stage, set_up
from bot.errors import RegreenError
from bot.settings import Settings, load

RUN_SECONDS = 600.0
POLL_SECONDS = 0.05
LABEL = "regreen"
NEXT = "Next: `make demo KEEP=1` keeps it running for your browser; `.venv/bin/regreen fix PATH` repairs code of yours."


@dataclass(frozen=True, slots=True)
class Ended:
    """How the demo ended: `began` without a `cause` is all that it should show; seconds in all, and where logs are."""

    began: bool
    cause: str = ""
    seconds: float = 0.0
    logs: str = ""


def run(*, keep: bool = False, aside: bool = False) -> Ended:
    """Run every scene, and say whether each ended as it should. With `keep`, the processes go on running afterwards.

    It is shown on standard output, or, `aside`, on standard error.
    """
    console = show.console(stderr=aside)
    begin = time.monotonic()
    try:
        settings = load()
        console.print(_introduction(settings))
        if stop_left_running(demo_directory(settings)):
            console.print("An earlier demo was still running (KEEP): it was ended.")
        stage = set_up(settings, os.environ)
    except (DemoError, RegreenError) as error:
        console.print(f"The demo did not start: {error}", style="bold red", markup=False)
        return Ended(began=False, cause=str(error))
    try:
        _play(console, stage, with_model=settings.wants_model)
        left = ""
        if keep:
            left = leave_an_issue(stage, samples.left_to_label())
            stage.processes.check()
    except DemoError as error:
        console.print(f"\nThe demo failed: {error}", style="bold red", markup=False)
        console.print(f"Logs: {stage.directory}", markup=False)
        keep = False
        return Ended(began=True, cause=str(error), logs=str(stage.directory))
    except KeyboardInterrupt:
        keep = False
        raise
    finally:
        if not keep:
            stage.processes.stop()
    seconds = time.monotonic() - begin
    console.print(f"\nAll of it took {seconds:.0f} s; logs and journals: {stage.directory}", markup=False)
    if keep:
        console.print(addresses(stage, left), markup=False, soft_wrap=True)
        return Ended(began=True, seconds=seconds, logs=str(stage.directory))
    refused = _refused_by_description(console, stage)
    if not refused:
        console.print(NEXT, markup=False)
    cause = f"GitHub's description refuses {refused} of the requests" if refused else ""
    return Ended(began=True, cause=cause, seconds=seconds, logs=str(stage.directory))


def _play(console: Console, stage: Stage, *, with_model: bool) -> None:
    first = samples.from_issue()
    show.title(console, "1. An issue, a label, a pull request")
    labelled = _label_an_issue(console, stage, first)
    _from_label(console, stage, first, labelled, with_model=with_model)
    show.title(console, "2. A commit on the default branch turns its check suite red")
    second, third = samples.from_check(), samples.without_fix()
    pushed = _push(console, stage, second)
    console.print("Meanwhile, in a third repository:")
    waiting = _label_an_issue(console, stage, third)
    _from_red_check(console, stage, second, pushed)
    show.title(console, "3. The issue in the third repository needs new code")
    _without_a_fix(console, stage, third, waiting, with_model=with_model)


def _from_label(console: Console, stage: Stage, sample: Sample, labelled: "Labelled", *, with_model: bool) -> None:
    facts = _follow(console, stage, sample, _status_comment(stage, sample, labelled))
    pull = _pull_request(stage, sample, facts, f"regreen/issue-{labelled.issue}")
    show.pull_request(console, pull)
    show.spent(console, facts, labelled.at)
    _expect(f"Fixes #{labelled.issue}" in pull.body, f"the pull request does not fix #{labelled.issue}")
    if not with_model:
        _expect("regressed" in facts.verdicts, "no attempt was rejected for a regression")
        _expect(pull.draft, "a patch from the mutation search was not published as a draft")


def _from_red_check(console: Console, stage: Stage, sample: Sample, pushed: float) -> None:
    facts = _follow(console, stage, sample, lambda _: None)
    pull = _pull_request(stage, sample, facts, "regreen/check-main")
    show.pull_request(console, pull)
    show.spent(console, facts, pushed)


def _without_a_fix(console: Console, stage: Stage, sample: Sample, labelled: "Labelled", *, with_model: bool) -> None:
    facts = _follow(console, stage, sample, lambda _: None)
    comments = stage.person.comments(sample.repository, labelled.issue)
    _expect(len(comments) == 1, f"there are {len(comments)} comments on the issue, not one")
    show.comment(console, comments[0])
    show.spent(console, facts, labelled.at)
    solved = facts.state == "published"
    _expect(facts.state == "unsolved" or (with_model and solved), f"the run ended {facts.state}: {facts.headline}")
    _expect(solved or bool(facts.stop and facts.stop in comments[0]), "the final comment does not name why it stopped")
    _expect(solved or not stage.person.pulls(sample.repository), "there is a pull request without a fix")


@dataclass(frozen=True, slots=True)
class Labelled:
    """An issue, and when its label was put on, in seconds since the epoch."""

    issue: int
    at: float


def _push(console: Console, stage: Stage, sample: Sample) -> float:
    commit = stage.person.push(sample.repository, "main", sample.change, sample.message)
    subject = sample.message.partition("\n")[0]
    console.print(f'{stage.maintainer} pushes {commit[:10]} "{subject}" to {sample.repository}', markup=False)
    return time.time()


def _label_an_issue(console: Console, stage: Stage, sample: Sample) -> Labelled:
    issue = stage.person.open_issue(sample.repository, sample.title, sample.body)
    console.print(f'{stage.maintainer} files {sample.repository}#{issue} "{sample.title}"', markup=False)
    stage.person.label(sample.repository, issue, LABEL)
    console.print(f"{stage.maintainer} puts the label {LABEL} on it", markup=False)
    return Labelled(issue, time.time())


def leave_an_issue(stage: Stage, sample: Sample) -> str:
    """One without a label, for whoever looks around; returns what it is called."""
    return f"{sample.repository}#{stage.person.open_issue(sample.repository, sample.title, sample.body)}"


def _status_comment(stage: Stage, sample: Sample, labelled: Labelled) -> Callable[[Progress], None]:
    """Says once when the status comment is there."""
    seen: list[bool] = []

    def look(progress: Progress) -> None:
        if not seen and stage.person.comments(sample.repository, labelled.issue):
            seen.append(True)
            progress.line(f"✓ the status comment is there after {time.time() - labelled.at:.1f} s")

    return look


def _follow(console: Console, stage: Stage, sample: Sample, look: Callable[[Progress], None]) -> Facts:
    """Show the repository's run until it has ended. Raises `DemoError` when it does not, or when a process ends."""
    deadline = time.monotonic() + RUN_SECONDS
    journal = JournalTail(stage.runs, sample.repository)
    with Progress(console) as progress:
        while not progress.facts.state:
            for entry in journal.news():
                progress.entry(str(entry["event"]), float(entry["at"]), entry["fields"])
            look(progress)
            stage.processes.check()
            if time.monotonic() > deadline:
                raise DemoError(f"the run did not end within {RUN_SECONDS:.0f} s")
            time.sleep(POLL_SECONDS)
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
class JournalTail:
    """Reads what the worker appends to the journal of a repository's only run."""

    runs: Path
    repository: str
    _position: int = 0

    def news(self) -> Iterator[Mapping[str, Any]]:
        """Whole lines that were not read yet."""
        # The directory is named like the job: repository, subject and delivery, made safe for a file name.
        found = next(self.runs.glob(f"{self.repository.replace('/', '_')}_*/log.jsonl"), None)
        if found is None:
            return
        with found.open("rb") as log:
            log.seek(self._position)
            for line in log:
                if not line.endswith(b"\n"):
                    return
                self._position += len(line)
                yield json.loads(line)


def _expect(kept: bool, otherwise: str) -> None:  # noqa: FBT001 - reads like the assertion that it is
    if not kept:
        raise DemoError(otherwise)


def _introduction(settings: Settings) -> str:
    if settings.wants_model:
        who = f"Fixes come from the model server {settings.openai_base_url or 'of your API key'}."
    else:
        who = "No model is configured (OPENAI_API_KEY, OPENAI_BASE_URL): fixes come from a mutation search, no tokens."
    return f"Regreen's demo: a stand-in for GitHub, the webhook server and a worker, on this machine only.\n{who}"


def addresses(stage: Stage, left: str) -> str:
    """What is left running, and how to get there; `left` is the issue without a label."""
    # the server's address, too: `regreen show` names the page of a run
    variables = {"REGREEN_DATA_DIR": str(stage.directory / "data"), "REGREEN_PUBLIC_URL": stage.server}
    export = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
    return (
        f"\nLeft running (KEEP):\n"
        f"  the stand-in for GitHub  {stage.github}  (act as {stage.maintainer}, put the label {LABEL} on {left})\n"
        f"  the server and its pages {stage.server}/runs\n"
        f"  the command line         export {export}\n"
        f"                           .venv/bin/regreen runs\n"
        f"  stop it all with         make stop  (a new demo ends it too)"
    )


def _refused_by_description(console: Console, stage: Stage) -> int:
    """The stand-in checked every request against GitHub's own description; how many were refused."""
    try:
        refused = json.loads((stage.directory / REPORT_FILE).read_text())["violations"]
    except (OSError, ValueError, KeyError):
        refused = ["the stand-in left no report"]
    for one in refused:
        console.print(f"GitHub's description refuses: {one}", style="bold red", markup=False)
    return len(refused)
