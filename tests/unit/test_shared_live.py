"""A run that several people follow is read and drawn once, and only where a line touches it."""

from dataclasses import dataclass, replace

from fakes_reading import ScriptedReader, row

from bot.pipeline.logs.runlog import Entry
from bot.pipeline.ports.reading import RunRow
from bot.pipeline.reading.matrix import MOST_CELLS, matrix
from bot.pipeline.reading.view import Reading
from bot.pipeline.reading.views import AttemptView, TrialView
from bot.repair.types import Comparison
from bot.web.pages.live import _Followed, _Page
from bot.web.pages.rendering import Rendering
from bot.web.pages.sections import Sections
from bot.web.pages.visitor import Visitor

ONE = row(1)


class Counting(Rendering):
    """Notes which templates are drawn."""

    def __init__(self) -> None:
        super().__init__("", lambda: 1000.0)
        self.drawn: list[str] = []

    def text(self, template: str, **context: object) -> str:
        self.drawn.append(template)
        return super().text(template, **context)


@dataclass
class Growing(ScriptedReader):
    """One run."""

    one: RunRow = ONE

    def run(self, identity: str) -> RunRow:
        del identity
        return self.one

    def add(self, event: str, **fields: object) -> None:
        log = self.logs.get(ONE.identity, ())
        self.logs[ONE.identity] = (*log, Entry(len(log), 1000.0, event, fields))


def proposal(number: int) -> dict[str, object]:
    return {"number": number, "origin": "model", "explanation": f"the idea {number}", "reply": "x"}


def test_a_line_has_only_the_sections_drawn_that_it_touches_and_once_for_all() -> None:
    reader, rendering = Growing(), Counting()
    reader.add("proposal", **proposal(1))
    followed = _Followed(reader, Sections(rendering, Visitor()), ONE)
    pages = [_Page(Sections(rendering, Visitor()), 0) for _ in range(3)]
    followed.now = followed.look()
    assert all("summary" in page.news(followed.now) for page in pages)
    rendering.drawn.clear()
    reader.add("called", call="x")
    assert followed.look() is followed.now, "nobody sees a call"
    reader.add("step_started", step="repair")
    followed.now = followed.look()
    texts = {page.news(followed.now) for page in pages}
    assert len(texts) == 1
    assert ">repair<" in texts.pop()
    drawn = [one for one in rendering.drawn if one != "run/summary.html"]
    assert sorted(drawn) == ["run/now.html", "run/steps.html"]
    assert [page.news(followed.now) for page in pages] == ["", "", ""]


def test_who_comes_late_gets_new_attempts_into_their_slot_and_old_ones_in_their_place() -> None:
    reader = Growing()
    for number in (1, 2):
        reader.add("proposal", **proposal(number))
    followed = _Followed(reader, Sections(Counting(), Visitor()), ONE)
    text = _Page(Sections(Counting(), Visitor()), 0).news(followed.look())
    assert 'id="attempt-1" hx-swap-oob' in text
    assert 'id="slot-2" hx-swap-oob' in text
    assert 'id="slot-1"' not in text


def test_a_run_that_ends_without_attempts_says_so_in_the_page_that_follows_it() -> None:
    reader = Growing()
    reader.add("step_started", step="repair")
    followed = _Followed(reader, Sections(Counting(), Visitor()), ONE)
    page = _Page(Sections(Counting(), Visitor()), 0)
    followed.now = followed.look()
    assert "No attempt yet." in page.news(followed.now)
    reader.one = replace(ONE, ended_at=1100.0, state="failed")
    text = page.news(followed.look())
    assert 'id="slot-1" hx-swap-oob="true"><p class="empty">No attempt was made.' in text


def test_the_grid_is_made_anew_only_where_it_changed_and_draws_so_many_cells() -> None:
    reading = Reading()
    assert reading.view().matrix is reading.view().matrix
    # each test is broken by attempts of its own
    broken = [tuple(f"t::{test}" for test in range(1, 501) if test >> number % 9 & 1) for number in range(100)]
    run = (TrialView("suite", "complete", 500, 1, 1.0),)
    ran = [
        AttemptView(number, 1.0, verdict="regressed", comparison=Comparison(regressed=ids), trials=run)
        for number, ids in enumerate(broken, 1)
    ]
    grid = matrix({"passing": [f"t::{test}" for test in range(1, 501)]}, ran, ())
    assert sum(len(one.cells) for one in grid.rows) <= MOST_CELLS
    assert (len(grid.rows) + grid.cut, len(grid.rows) > 300) == (500, True)
