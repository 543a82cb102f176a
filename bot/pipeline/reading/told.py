"""A run log's events as lines for people: what the demo, `regreen fix` and `regreen logs` print of a run."""

from dataclasses import dataclass, field
from typing import Any

from bot.pipeline.reading import plain
from bot.pipeline.reading.plain import Fields
from bot.pipeline.reports.markdown import line

SHOWN_IDS = 6
MOST_FIELDS = 8
GOOD, BAD, DOUBTFUL, FAINT = "good", "bad", "doubtful", "faint"
_VERDICTS = {"solved": GOOD, "regressed": BAD}


@dataclass(frozen=True, slots=True)
class Told:
    """One line, bounded, of visible characters only; `tone` is `GOOD`, `BAD`, `DOUBTFUL`, `FAINT` or nothing."""

    text: str
    tone: str = ""


@dataclass(slots=True)
class Teller:
    """Tells one run's events in their order: all proposals of a round stand before its first attempt."""

    _proposals: dict[int, Fields] = field(default_factory=dict)

    def tell(self, event: str, fields: Fields) -> tuple[Told, ...]:
        """The lines on an event; none for one that is of no interest, or whose fields are not what they should be."""
        match event:
            case "step_ended":
                seconds = plain.amount(fields, "seconds")
                tone = FAINT if seconds < 1 else ""
                return (Told(f"✓ {line(plain.text(fields, 'step')):<10} {seconds:6.1f} s", tone),)
            case "baseline":
                return _baseline(fields)
            case "proposal":
                self._proposals[plain.whole(fields, "number")] = fields
                return ()
            case "attempt":
                return _attempt(fields, self._proposals.get(plain.whole(fields, "number"), {}))
            case "stop" | "ended":
                return (_end(fields),)
            case _:
                return ()


def rest(event: str, fields: Fields) -> Told:
    """An event that has no lines of its own: its name and the fields that are short."""
    said = [f"{line(str(name), 40)}={text}" for name, value in fields.items() if (text := _value(value))]
    return Told(f"{line(event, 60).replace('_', ' ')}  {'  '.join(said[:MOST_FIELDS])}".rstrip(), FAINT)


def _value(value: Any) -> str:
    match value:
        case bool() | int():
            return str(value).lower()
        case float():
            return f"{value:.3g}"
        case str() if value and "\n" not in value:
            return line(value, 80)
        case list() | tuple() if value:
            return f"({len(value)})"
        case _:
            return ""


def _end(fields: Fields) -> Told:
    state = plain.text(fields, "state")
    if state:
        return Told(f"{line(state)}: {line(plain.text(fields, 'headline'))}", GOOD if state == "published" else "")
    return Told(f"stopped: {line(plain.text(fields, 'stop'))}. {line(plain.text(fields, 'detail'))}".rstrip())


def _baseline(fields: Fields) -> tuple[Told, ...]:
    failing, targets = plain.names(fields, "failing"), plain.names(fields, "targets")
    flaky = plain.total(fields, "flaky", plain.names(fields, "flaky"))
    counts = f"{plain.whole(fields, 'passing')} tests pass and {plain.total(fields, 'failing', failing)} fail"
    doubt = f", {flaky} of which nothing can be said: flaky" if flaky else ""
    goal = "; to turn green:" if targets else ""
    first = Told(f"  {counts}, in {plain.whole(fields, 'runs')} runs{doubt}{goal}")
    return (
        first,
        *(Told(f"    ✗ {line(one)}", BAD) for one in targets[:SHOWN_IDS]),
        *_more(plain.total(fields, "targets", targets) - SHOWN_IDS),
    )


def _more(count: int) -> tuple[Told, ...]:
    return (Told(f"    and {count} more"),) if count > 0 else ()


def _attempt(fields: Fields, proposal: Fields) -> tuple[Told, ...]:
    verdict, deltas = plain.text(fields, "verdict"), plain.inner(fields, "deltas")
    broken = plain.names(deltas, "regressed")
    kinds = ("fixed", "still_failing", "regressed")
    numbers = {kind: plain.total(fields, kind, plain.names(deltas, kind)) for kind in kinds}
    counts = [f"{number} {kind.replace('_', ' ')}" for kind, number in numbers.items() if number]
    said = plain.text(proposal, "explanation") or plain.text(fields, "reason")
    number, much = plain.whole(fields, "number"), f"  ({', '.join(counts)})" if counts else ""
    head = Told(f"attempt {number}: {line(verdict).replace('_', ' ')}{much}", _VERDICTS.get(verdict, DOUBTFUL))
    more = f" and {numbers['regressed'] - 1} more" if broken[1:] else ""
    return (
        head,
        *((Told(f"    {line(said.partition('. ')[0])}"),) if said else ()),
        *(Told(f"    passed before, fails with it: {line(one)}{more}", BAD) for one in broken[:1]),
    )
