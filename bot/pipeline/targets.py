"""Which red tests a job is about. Pure; the texts are untrusted and only ever select among ids that fail here.

Texts and ids may be long and many, so each text is read once, and ids are looked up in it instead of searched for.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from posixpath import basename

from bot.pipeline import job_logs
from bot.repair.localisation.mentions import parts, words
from bot.repair.types import Baseline
from sandbox.spec import TestResult

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\S+")
_FILE = re.compile(r"[\w./-]+")
MAX_LOG_IDS = 2000
MAX_FATES = 20
SHORTEST_NAME = 4
MAX_BLANKS = 200
MAX_LINE = 1000
"""Characters of a log's line that are looked at; a longer id is not recognised in a log."""


def for_issue(failing: tuple[str, ...], text: str) -> tuple[str, ...]:
    """The red ids that the text names, by full id or by test function; all of them when it names none."""
    return named(failing, text) or failing


def named(failing: tuple[str, ...], text: str) -> tuple[str, ...]:
    """The red ids that the text names, by full id or by test function; where it names none, those of files it names."""
    said = frozenset(_WORD.findall(text))
    found = tuple(node_id for node_id in failing if _names(text, said, node_id))
    files = frozenset(name.rstrip(".") for name in _FILE.findall(text))
    return found or tuple(node_id for node_id in failing if _in_one_of(files, node_id.partition("::")[0]))


def bearing(failing: Sequence[TestResult], text: str) -> tuple[str, ...]:
    """The red ids that bear on the text, unnamed: it says every word of the test's name, or where its traceback runs.

    A guess, for when nothing better is to be had: whoever uses it says so.
    """
    said, names = words(text), frozenset(_WORD.findall(text))
    files = frozenset(name.rstrip(".") for name in _FILE.findall(text))
    return tuple(result.node_id for result in failing if _bears(result, said, names, files))


def for_check(failing: tuple[str, ...], logs: tuple[str, ...], others: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The red ids that failed in CI too: none when none of those fails here, all of them when the logs name no id.

    `others` are the ids that are not red here. Names without a file count as soon as one of them is a test's here.
    """
    named, known = named_in_logs(logs), (*failing, *others)
    if not named:
        told = _told(known, logs)
        return tuple(node_id for node_id in failing if node_id in told) if told else failing
    ids = _Ids(known)
    found = {node_id for line in named for node_id in ids.meant(line)}
    return tuple(node_id for node_id in failing if node_id in found)


class _Ids:
    """Known ids, found by what a summary line of pytest begins with."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = frozenset(known)
        self._tails: dict[str, list[str]] = {}
        for node_id in sorted(self._known):
            self._tails.setdefault(_tail(node_id), []).append(node_id)

    def meant(self, line: str) -> tuple[str, ...]:
        """The ids that a line may mean, the longest first: it goes on with " - reason", and ids may hold blanks.

        CI may run in a directory of the repository, or above it: then an id there is a part of one here.
        """
        blanks = [at for at, char in enumerate(line) if char == " "][:MAX_BLANKS]
        parts = [line[:end] for end in (len(line), *reversed(blanks))]
        exact = tuple(part for part in parts if part in self._known)
        return exact or tuple(
            node_id
            for part in parts
            for node_id in self._tails.get(_tail(part), ())
            if node_id.endswith(f"/{part}") or part.endswith(f"/{node_id}")
        )


def _tail(node_id: str) -> str:
    """An id without the directories of its file."""
    file, separator, test = node_id.partition("::")
    return f"{basename(file)}{separator}{test}"


def _told(known: tuple[str, ...], logs: tuple[str, ...]) -> frozenset[str]:
    """The ids whose name below their file is one that the logs say failed."""
    names = job_logs.names(logs)
    return frozenset(node_id for node_id in known if node_id.partition("::")[2] in names)


def named_in_logs(logs: tuple[str, ...]) -> frozenset[str]:
    """What pytest's short summaries say behind FAILED and ERROR, bounded; other runners' logs say nothing."""
    found: set[str] = set()
    for log in logs:
        for line in log.split("\n"):
            named = _summary(_ANSI.sub("", line[:MAX_LINE]))
            if named:
                found.add(named)
            if len(found) >= MAX_LOG_IDS:
                return frozenset(found)
    return frozenset(found)


def _summary(line: str) -> str:
    if "::" not in line:
        return ""
    tokens = list(_TOKEN.finditer(line))
    for word, following in pairwise(tokens):
        if word[0].endswith(("FAILED", "ERROR")) and following[0].find("::") > 0:
            return _slashed(line[following.start() :].rstrip())
    # With -v the outcome stands behind the id, and no summary may follow.
    first = next((token for token in tokens if ".py::" in token[0]), None)
    last = next((token for token in tokens if token[0] in {"FAILED", "ERROR"}), None)
    return (
        _slashed(line[first.start() : last.start()].rstrip()) if first and last and first.end() < last.start() else ""
    )


def _slashed(named: str) -> str:
    """An id as it is anywhere but on Windows."""
    file, separator, test = named.partition("::")
    return file.replace("\\", "/") + separator + test


def _names(text: str, said: frozenset[str], node_id: str) -> bool:
    function = node_id.rsplit("::", 1)[-1].split("[", 1)[0]
    if not said.issuperset(_WORD.findall(function)):
        return False
    return (function.startswith("test") and (function.isidentifier() or function in text)) or node_id in text


def _bears(result: TestResult, said: frozenset[str], names: frozenset[str], files: frozenset[str]) -> bool:
    file, _, test = result.node_id.partition("::")
    of_name = parts(test.rpartition("::")[2].partition("[")[0])
    if of_name and of_name <= said:
        return True
    frames = [frame for frame in result.frames if frame.path != file]
    return any(
        (len(frame.function) >= SHORTEST_NAME and frame.function in names) or _in_one_of(files, frame.path)
        for frame in frames
    )


def _in_one_of(files: frozenset[str], path: str) -> bool:
    return path in files or basename(path) in files


def fates(baseline: Baseline, logs: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """What became here of each id that the logs name, at most 20 of them: why a red check is not reproduced."""
    flaky = {flake.node_id: flake.evidence for flake in baseline.flakes}
    known = {
        **dict.fromkeys(baseline.skipped, "is skipped here"),
        **dict.fromkeys(baseline.passing, f"passes here in {baseline.runs} of {baseline.runs} runs"),
        **{node_id: f"is flaky here: {flaky.get(node_id, 'it came out both ways')}" for node_id in baseline.flaky},
        **dict.fromkeys(baseline.failing_ids, "fails here, too"),
    }
    found = {node_id: known[node_id] for node_id in sorted(_told(tuple(known), logs))}
    ids = _Ids(known)
    for line in sorted(named_in_logs(logs)):
        node_id = next(iter(ids.meant(line)), line.partition(" - ")[0])
        found[node_id] = known.get(node_id, "is not there")
    return tuple(found.items())[:MAX_FATES]
