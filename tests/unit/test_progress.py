"""What a person reads while a fix is under way."""

from bot.commands.progress import Telling
from bot.repair import record
from bot.repair.ports import Json
from bot.repair.types import Attempt, Comparison, Usage, Verdict


class Kept:
    def __init__(self) -> None:
        self.events: list[str] = []

    def append(self, event: str, fields: Json) -> None:
        del fields
        self.events.append(event)


def test_the_baseline_and_each_attempt_are_one_line_and_every_event_is_kept() -> None:
    kept, said = Kept(), list[str]()
    journal = Telling(kept, said.append)
    journal.append("step_started", {"step": "baseline"})
    journal.append("baseline", {"failing": ["a", "b"], "passing": 3, "flaky": ()})
    reason = "x\x1b[2J\nBaseline: none"
    attempt = Attempt(1, Verdict.REGRESSED, None, Comparison(fixed=("a",)), reason, "", None, Usage(), 0.1)
    record.judged(journal, attempt)
    assert kept.events == ["step_started", "baseline", "attempt"]
    assert said[0] == "Baseline: 2 failing, 3 passing, 0 flaky"
    assert said[1].startswith("Attempt 1: ")
    assert "(1 fixed, 0 regressed): x" in said[1]
    assert len(said) == 2
    assert not {"\x1b", "\n"} & set(said[1])
