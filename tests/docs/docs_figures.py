"""`make docs-check`: what the documentation names is there, and what it tells to type works. The last line is JSON.

A command is run, or loaded as settings, or says on its block why it is left to people. The exit status says whether
everything held.
"""

import json
import sys
from collections import Counter
from pathlib import Path

import pytest
from documents import SHELL, blocks, output_of, pages


class Outcomes:
    """A pytest plugin that counts what became of the tests."""

    def __init__(self) -> None:
        self.failed: list[str] = []
        self.passed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)
        elif report.when == "call" and report.passed:
            self.passed += 1


def main() -> int:
    """Check every page; further arguments go to pytest."""
    seen = Outcomes()
    code = pytest.main(["-q", *sys.argv[1:], str(Path(__file__).parent)], plugins=[seen])
    kinds: Counter[str] = Counter()
    for block in blocks():
        if block.language in SHELL:
            kinds[block.kind] += len(block.commands)
            kinds["outputs"] += output_of(block) is not None
    met = code == pytest.ExitCode.OK and not seen.failed
    figures = {
        "pages": len(pages()),
        "links": sum(len(page.links) for page in pages()),
        "commands": sum(kinds[kind] for kind in ("run", "starts", "settings", "by-hand")),
        "run": kinds["run"] + kinds["starts"],
        "loaded": kinds["settings"],
        "by_hand": kinds["by-hand"],
        "outputs": kinds["outputs"],
        "checks": seen.passed,
        "failed": len(seen.failed),
        "met": met,
    }
    print(json.dumps(figures))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
