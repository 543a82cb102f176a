"""`regreen replay LOG`: a run's decisions made again from its log."""

from pathlib import Path

from bot.adapters.journal import read
from bot.commands import Shown
from bot.errors import LogError
from bot.pipeline.logs.replay import Replayed
from bot.pipeline.logs.replay import replay as made_again
from bot.pipeline.logs.runlog import Entry

SHORTEST_HEAD = 12
_NAME_ONE = "Name the log.jsonl of a run, below runs/ in the data directory."


def replay(path: Path, head: str) -> Shown:
    """Verify the log, then make its decisions again; `head` is the digest that a pull request names, if there is one.

    Raises `LogError` for a log that cannot be read or that holds no repair.
    """
    if not path.is_file():
        raise LogError(f"There is no log at {path}", _NAME_ONE)
    entries = read(path)
    if not entries:
        raise LogError(f"{path.name} is no run log, or one without a whole line", _NAME_ONE)
    if head and not _holds(entries, head):
        text = f"No line of the log has the digest {head}: it is another run's, or was made anew."
        return Shown(good=False, document={"same": False, "difference": text}, lines=[text])
    done = made_again(entries)
    return Shown(done.same, _document(done, head), _lines(done, head))


def _holds(entries: tuple[Entry, ...], head: str) -> bool:
    return len(head) >= SHORTEST_HEAD and any(entry.digest.startswith(head.lower()) for entry in entries)


def _document(done: Replayed, head: str) -> dict[str, object]:
    return {
        "same": done.same,
        "whole": done.whole,
        "difference": done.difference,
        "lines": done.lines,
        "replies": done.replies,
        "stop": done.stop,
        "solution": done.solution,
        "head": done.head,
        "head_named": bool(head),
    }


def _lines(done: Replayed, head: str) -> list[str]:
    checked = "the digest that was named is among its lines" if head else "no digest was named to hold it against"
    ended = f"it ended in {done.stop}" if done.stop else "no fix was looked for"
    if done.solution is not None:
        ended += f", with attempt {done.solution}"
    lines = [
        f"The chain of the log verifies; {checked}.",
        f"{done.lines} lines were made again, {done.replies} replies of models read from the log among them; {ended}.",
    ]
    if done.same:
        return [*lines, "Same result: every decision follows from what the log holds."]
    return [*lines, f"Not the same: {done.difference}."]
