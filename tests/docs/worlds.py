"""Where the documentation's commands are run: a directory as its reader would have it, and what is there beside it."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.demo import samples

BIN = Path(sys.executable).parent
SECONDS = 600


@dataclass(frozen=True, slots=True)
class World:
    """One page's directory; commands of the page run in it, one block after the other, as they would for its reader.

    `here` has what a reader's command names, such as a port or a run, and what that is in the test.
    """

    home: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    here: Mapping[str, str] = field(default_factory=dict)

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        """Run a block's text; the shell ends at the first command that fails."""
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self.meant(script)],
            cwd=self.home,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def meant(self, text: str) -> str:
        """A block's text with what is `here` in the place of what its reader has."""
        for said in sorted(self.here, key=len, reverse=True):
            text = text.replace(said, self.here[said])
        return text

    def environment(self) -> dict[str, str]:
        """The variables of whoever types."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("REGREEN_", "OPENAI_"))}
        own = {name: os.environ[name] for name in ENGINE if name in os.environ}
        reader = {
            "HOME": str(self.home),
            "PATH": f"{self.home / 'bin'}:{BIN}:{os.environ['PATH']}",
            "REGREEN_DATA_DIR": str(self.home / "data"),
        }
        return kept | own | reader | dict(self.variables)


ENGINE = ("REGREEN_DOCKER_HOST", "DOCKER_HOST", "REGREEN_CA_BUNDLE", "REGREEN_PRIVATE_HOSTS", "REGREEN_ALLOWED_HOSTS")
"""What the preparation of `make` finds out for this machine; a reader would have pasted it."""


@contextmanager
def plain(home: Path) -> Iterator[World]:
    """A directory with a red repository, `roomwise`, which has a policy file, and a mended copy's diff, `fix.patch`."""
    sample = samples.from_issue()
    for name, content in {**sample.broken, ".github/regreen.yml": b"draft: true\n"}.items():
        path = home / "roomwise" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (home / "fix.patch").write_text(PATCH)
    (home / "data").mkdir(mode=stat.S_IRWXU)
    yield World(home)


def program(home: Path, name: str, text: str) -> None:
    """Put a script into the reader's `PATH`, before everything else."""
    path = home / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\nset -eu\n{text}")
    path.chmod(0o755)


PATCH = """\
--- a/roomwise/spans.py
+++ b/roomwise/spans.py
@@ -59,6 +59,6 @@ def gaps(spans: Iterable[Span], within: Span) -> list[Span]:
         if span.start > cursor:
             free.append(Span(cursor, span.start))
         cursor = max(cursor, span.end)
-    if cursor <= within.end:
+    if cursor < within.end:
         free.append(Span(cursor, within.end))
     return free
"""
