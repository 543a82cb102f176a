"""Runs the 25 complaints and prints which are answered; the last line is JSON, the exit status says whether all are.

Each complaint of peers' users is one test named `test_complaint_NN_…`. It shows the complaint's situation twice: as it
is, and with the remedy switched off, where it has to go wrong; so it fails without its remedy. A complaint that is
missing, skipped or expected to fail is not answered.
"""

import json
import re
import sys
from pathlib import Path

import pytest

WANTED = 25
_NAME = re.compile(r"test_complaint_(\d\d)_(\w+)")


class Complaints:
    """A pytest plugin that keeps what became of every complaint; one with parameters passes when all of them do."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.passed: dict[int, bool] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if found := _NAME.match(item.name):
                self.names[int(found[1])] = found[2].replace("_", " ")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        found = _NAME.match(report.nodeid.rpartition("::")[2])
        if found:
            # An expected failure is reported as skipped: it is not answered either.
            good = report.outcome == "passed" and not hasattr(report, "wasxfail")
            self.passed[int(found[1])] = self.passed.get(int(found[1]), True) and good


def main() -> int:
    """Run every complaint; further arguments go to pytest."""
    kept = Complaints()
    code = pytest.main(["-q", *sys.argv[1:], str(Path(__file__).parent)], plugins=[kept])
    for number in range(1, WANTED + 1):
        word = "answered" if kept.passed.get(number) else "OPEN" if number in kept.names else "MISSING"
        print(f"{number:>2}  {word:<9} {kept.names.get(number, '?')}")
    passed = sum(kept.passed.get(number, False) for number in range(1, WANTED + 1))
    met = passed == WANTED and code == pytest.ExitCode.OK
    print(json.dumps({"complaints": WANTED, "passed": passed, "met": met}))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
