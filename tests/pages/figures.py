"""Drives the pages with a browser and counts; the last line is JSON, the exit status says whether all is well.

Each test is a scenario. `serious_a11y` counts what axe-core calls serious or critical on any page, light and dark, at
a phone's width and at a desk's; -1 where it did not get as far. Arguments go to pytest, as does `--screenshots PATH`.
"""

import json
import sys
from pathlib import Path

import pytest

FEWEST = 20
LOOKS = 4
"""Light and dark, phone and desk."""


class Scenarios:
    """A pytest plugin that keeps what became of each."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.bad: set[str] = set()
        self.serious: list[int] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.seen.update(item.nodeid for item in items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            self.bad.add(report.nodeid)
        if report.when == "call":
            self.serious += [int(str(value)) for name, value in report.user_properties if name == "serious_a11y"]


def main() -> int:
    """Run every scenario."""
    kept = Scenarios()
    code = pytest.main(["-q", *sys.argv[1:], str(Path(__file__).parent)], plugins=[kept])
    scenarios, passed = len(kept.seen), len(kept.seen - kept.bad)
    serious = sum(kept.serious) if len(kept.serious) == LOOKS else -1
    met = code == pytest.ExitCode.OK and scenarios == passed >= FEWEST and serious == 0
    print(json.dumps({"scenarios": scenarios, "passed": passed, "serious_a11y": serious, "met": met}))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
