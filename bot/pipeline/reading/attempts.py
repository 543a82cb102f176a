"""From what a log says of the attempts to one view of each."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

from bot.pipeline.logs.runlog import Entry
from bot.pipeline.reading import plain
from bot.pipeline.reading.payloads import document
from bot.pipeline.reading.plain import Fields
from bot.pipeline.reading.views import AttemptView, JudgeView, TrialView
from bot.repair.types import Comparison, Reflection

MOST_DIFF = 60_000
"""Characters of a diff that are shown; the rest is in the artifact."""
_PREDICTION = re.compile(r"^\W*PREDICTION\W*:", re.IGNORECASE | re.MULTILINE)
_CAUSE = re.compile(r"^\W*CAUSE\W*:\s*", re.IGNORECASE)
_OUTPUT = re.compile(r"[0-9a-f]{64}")


@dataclass(slots=True)
class Attempts:
    """The attempts so far; each `on_…` takes one event in.

    `outputs` are artifacts' names and the outputs' digests, `sources` the names of diffs and prompts and the numbers of
    the lines that hold them: an arm that broke off leaves its attempts' numbers to the next one.
    """

    found: dict[int, AttemptView] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    sources: dict[str, int] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    _counsel: Fields = field(default_factory=dict)
    _models: list[str] = field(default_factory=list)

    def on_advice(self, entry: Entry) -> None:
        """What the next round's prompt says beside the facts."""
        self._counsel = entry.fields

    def on_completion(self, entry: Entry) -> None:
        """A model's answer, of which a proposal follows."""
        self._models.append(plain.text(entry.fields, "model"))

    def on_proposal(self, entry: Entry) -> None:
        """A candidate, or why there is none: of an arm that has nothing left, that is a remark."""
        said = entry.fields
        refusal, origin = plain.text(said, "refusal"), plain.text(said, "origin")
        if not origin and said.get("exhausted") is True:
            self.remarks += [refusal] if refusal else []
            return
        number, reply = plain.whole(said, "number"), plain.text(said, "reply")
        explanation, prediction = _told(plain.text(said, "explanation"))
        asked = (f"attempt-{number}-prompt.txt",) if reply or said.get("prompt") else ()
        self.sources |= dict.fromkeys(asked, entry.number)
        self.found[number] = AttemptView(
            number,
            entry.at,
            origin=origin,
            rung=plain.text(said, "rung"),
            model=self._models.pop(0) if self._models and reply else "",
            explanation=explanation,
            prediction=prediction,
            detail=plain.text(said, "detail"),
            refusal=refusal,
            paths=plain.names(said, "paths"),
            reply=reply,
            observed=plain.text(self._counsel, "observed"),
            condensed=plain.text(self._counsel, "digest"),
            advice=plain.text(self._counsel, "remedy"),
            usage=plain.usage(said),
            files=asked,
        )

    def on_patch(self, entry: Entry) -> None:
        """What a candidate changes."""
        diff = entry.payload.decode(errors="replace")
        added, removed = _sizes(diff)
        self._change(entry, diff=diff[:MOST_DIFF], cut=len(diff) > MOST_DIFF, added=added, removed=removed)
        number = plain.whole(entry.fields, "number")
        if number in self.found:
            name = f"attempt-{number}.diff"
            self.sources[name] = entry.number
            self._change(entry, files=(name, *self.found[number].files))

    def on_run(self, entry: Entry) -> None:
        """One test run."""
        said, number = entry.fields, plain.whole(entry.fields, "number")
        attempt = self.found.get(number)
        if attempt is None:
            return
        scope, digest = plain.text(said, "scope"), plain.text(said, "output")
        name = f"attempt-{number}-run-{len(attempt.trials) + 1}.txt" if _OUTPUT.fullmatch(digest) else ""
        if name:
            self.outputs[name] = digest
        trial = TrialView(
            scope,
            plain.text(said, "state"),
            plain.whole(said, "collected"),
            plain.whole(said, "red"),
            plain.amount(said, "seconds"),
            plain.maybe(said, "exit_code"),
            name,
        )
        files = (*attempt.files, name) if name else attempt.files
        self._change(entry, trials=(*attempt.trials, trial), files=files)

    def on_flaky(self, entry: Entry) -> None:
        """Tests that turned out to be flaky."""
        flakes = plain.several(entry.fields, "flakes")
        self._change(entry, flaky=tuple(plain.text(one, "node_id") for one in flakes))

    def on_review(self, entry: Entry) -> None:
        """A reviewer's word."""
        said = entry.fields
        self._change(entry, judge=JudgeView(said.get("approve") is True, plain.text(said, "reason")))

    def on_attempt(self, entry: Entry) -> None:
        """What became of a candidate; it may be judged again."""
        said, lesson = entry.fields, plain.inner(entry.fields, "reflection")
        told = (plain.text(lesson, "cause"), plain.text(lesson, "lesson"))
        self._counsel = {}
        self._change(
            entry,
            round=plain.whole(said, "round"),
            verdict=plain.text(said, "verdict"),
            reason=plain.text(said, "reason"),
            failure=plain.text(said, "failure"),
            passed=plain.whole(said, "passed"),
            total=plain.whole(said, "total"),
            comparison=_comparison(plain.inner(said, "deltas")),
            # until all of them are named, as they are next
            complete=not plain.inner(said, "totals"),
            reflection=Reflection(*told, stated=lesson.get("stated") is True) if any(told) else None,
            seconds=plain.amount(said, "seconds"),
            usage=plain.usage(said),
        )

    def on_deltas(self, entry: Entry) -> None:
        """Everything that a candidate did to the tests, where it is more than a line of the log shows."""
        whole = document(entry.payload)
        if isinstance(whole, dict):
            self._change(entry, comparison=_comparison(whole), complete=True)
        else:
            self._change(entry, complete=False)
            number = plain.whole(entry.fields, "number")
            self.remarks.append(f"What attempt {number} did to the tests cannot be read as a whole")

    def _change(self, entry: Entry, **changes: Any) -> None:
        number = plain.whole(entry.fields, "number")
        if number in self.found:
            self.found[number] = replace(self.found[number], **changes)


def _sizes(diff: str) -> tuple[int, int]:
    """Lines added and removed: what is in a hunk, since a line may begin like a header."""
    in_hunk, counts = False, {"+": 0, "-": 0}
    for line in diff.split("\n"):
        if line.startswith(("@@ ", "diff --git ")):
            in_hunk = line.startswith("@@ ")
        elif in_hunk and line[:1] in counts:
            counts[line[0]] += 1
    return counts["+"], counts["-"]


def _comparison(deltas: Fields) -> Comparison:
    known = Comparison.__dataclass_fields__
    return Comparison(**{name: plain.names(deltas, name) for name in known})


def _told(explanation: str) -> tuple[str, str]:
    """What its author says of the cause, and what it says will happen."""
    found = _PREDICTION.search(explanation)
    cause = explanation[: found.start()] if found else explanation
    return _CAUSE.sub("", cause.strip()), explanation[found.end() :].strip() if found else ""
