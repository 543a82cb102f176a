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
    after = _after(entries, head) if head else None
    if head and after is None:
        text = f"No line of the log has the digest {head}: it is another run's, or was made anew."
        return Shown(good=False, document={"same": False, "difference": text}, lines=[text])
    done = made_again(entries)
    return Shown(done.same, _document(done, after), _lines(done, after))


def _after(entries: tuple[Entry, ...], head: str) -> int | None:
    """How many lines come after the one with this digest, `None` where none has it."""
    named = [entry.digest.startswith(head.lower()) for entry in entries]
    return len(named) - 1 - named.index(True) if len(head) >= SHORTEST_HEAD and any(named) else None


def _document(done: Replayed, after: int | None) -> dict[str, object]:
    return {
        "same": done.same,
        "whole": done.whole,
        "difference": done.difference,
        "lines": done.lines,
        "replies": done.replies,
        "stop": done.stop,
        "solution": done.solution,
        "head": done.head,
        "head_named": after is not None,
        "after_head": after,
    }


def _lines(done: Replayed, after: int | None) -> list[str]:
    checked = "no digest was named to hold it against" if after is None else "the digest that was named is its last"
    if after:
        checked = f"the digest that was named is among its lines and says nothing of the {after} after it"
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
