"""What the demo prints when it goes on running: where everything is, and the one line that leads the commands there."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, cast

from bot.demo import samples, scenario
from bot.demo.processes import Processes
from bot.demo.stage import Stage

if TYPE_CHECKING:
    from bot.demo.person import Person


class Filing:
    """Files issues, and nothing else: whoever puts a label on one is not scripted."""

    def __init__(self) -> None:
        self.filed: list[tuple[str, str, str]] = []

    def open_issue(self, repository: str, title: str, body: str) -> int:
        self.filed.append((repository, title, body))
        return 2 + len(self.filed)


def stage(directory: Path, person: Filing) -> Stage:
    processes = Processes(directory)
    return Stage(directory, processes, cast("Person", person), "ines", "http://127.0.0.1:1", "http://127.0.0.1:2", {})


def test_an_issue_without_a_label_is_left_in_a_repository_whose_tests_show_its_bug(tmp_path: Path) -> None:
    person, sample = Filing(), samples.left_to_label()
    assert scenario.leave_an_issue(stage(tmp_path, person), sample) == f"{sample.repository}#3"
    assert person.filed == [(sample.repository, sample.title, sample.body)]
    assert sample.title
    assert (sample.repository, sample.tree) == (samples.from_issue().repository, samples.from_issue().tree)
    assert sample.title != samples.from_issue().title


def test_one_line_leads_the_commands_to_its_runs_and_their_pages(tmp_path: Path) -> None:
    text = scenario.addresses(stage(tmp_path / "my demo", Filing()), "riverside/roomwise#3")
    (line,) = (one.partition("export ")[2] for one in text.splitlines() if "export " in one)
    given = dict(word.split("=", 1) for word in shlex.split(line))
    assert given == {
        "REGREEN_DATA_DIR": str(tmp_path / "my demo" / "data"),
        "REGREEN_PUBLIC_URL": "http://127.0.0.1:2",
    }
    assert "put the label regreen on riverside/roomwise#3" in text
    assert "http://127.0.0.1:2/runs" in text
