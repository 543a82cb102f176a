"""Pages that `make docs` writes from the code are what the code says now."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def written() -> list[tuple[str, str]]:
    """(page, what prints it) of each, as the Makefile lists them."""
    found = re.search(r"^WRITTEN := ((?:.*\\\n)*.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert found is not None
    return [(page, script) for page, _, script in (pair.partition(":") for pair in found[1].replace("\\", " ").split())]


@pytest.mark.parametrize(("page", "script"), written())
def test_a_page_is_what_its_script_prints(page: str, script: str) -> None:
    command = [sys.executable, "-P", DOCS / "reference" / f"{script}.py"]
    printed = subprocess.run(command, capture_output=True, check=True, text=True, cwd=ROOT)
    assert printed.stdout == (DOCS / page).read_text(encoding="utf-8"), "run `make docs`"


def test_every_script_beside_the_pages_writes_one_of_them() -> None:
    scripts = {path.stem for path in (DOCS / "reference").glob("*.py")}
    assert scripts == {script for _, script in written()}
