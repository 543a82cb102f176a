from fakes import MemoryJournal
from fakes_workspace import BASE, ScriptedWorkspace

from bot.repair.measuring.counted import CountedRuns
from bot.repair.types import WHOLE_SUITE, FileChange, Patch, Selection
from sandbox.spec import Outcome

FIX = Patch((FileChange("calc.py", b"2"),))


def test_every_run_is_in_the_journal_and_nothing_else_changes() -> None:
    inner, journal = ScriptedWorkspace({"calc.py": b"1"}, lambda _: {"a": Outcome.PASSED}, seconds=2.0), MemoryJournal()
    counted = CountedRuns(inner, journal)

    runs = counted.evaluate(BASE, (Patch(), FIX, FIX), Selection(("a",), 7))
    counted.evaluate(BASE, (Patch(),), WHOLE_SUITE)

    assert runs == inner.evaluate(BASE, (Patch(), FIX, FIX), Selection(("a",)))
    assert journal.named("evaluated") == [
        {"base": 1, "patched": 2, "selected": ["a"], "seed": 7, "seconds": [2.0, 2.0, 2.0]},
        {"base": 1, "patched": 0, "selected": [], "seed": None, "seconds": [2.0]},
    ]


def test_what_only_reads_is_handed_on() -> None:
    inner = ScriptedWorkspace({"calc.py": b"1"}, lambda _: {})
    inner.symlinks["a"] = "b"
    counted = CountedRuns(inner, MemoryJournal())

    assert counted.paths(BASE) == inner.paths(BASE)
    assert counted.read(BASE, ("calc.py",)) == inner.read(BASE, ("calc.py",))
    assert counted.links(BASE) == (("a", "b"),)
    assert counted.screen(BASE, (FIX,), WHOLE_SUITE)[0].plausible
