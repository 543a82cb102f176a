"""Where the documentation's commands are run: a directory as its reader would have it."""

import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bot.demo import samples

BIN = Path(sys.executable).parent
SECONDS = 600


@dataclass(frozen=True, slots=True)
class World:
    """One page's directory; commands of the page run in it, one block after the other, as they would for its reader."""

    home: Path

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        """Run a block's text; the shell ends at the first command that fails."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("REGREEN_", "OPENAI_"))}
        own = {name: os.environ[name] for name in ENGINE if name in os.environ}
        environment = (
            kept
            | own
            | {
                "HOME": str(self.home),
                "PATH": f"{BIN}:{os.environ['PATH']}",
                "REGREEN_DATA_DIR": str(self.home / "data"),
            }
        )
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.home,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )


ENGINE = ("REGREEN_DOCKER_HOST", "DOCKER_HOST", "REGREEN_CA_BUNDLE", "REGREEN_PRIVATE_HOSTS", "REGREEN_ALLOWED_HOSTS")
"""What the preparation of `make` finds out for this machine; a reader would have pasted it."""


def prepared(home: Path) -> World:
    """A directory with a red repository, `roomwise`, which has a policy file, and a mended copy's diff, `fix.patch`."""
    sample = samples.from_issue()
    for name, content in {**sample.broken, ".github/regreen.yml": b"draft: true\n"}.items():
        path = home / "roomwise" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (home / "fix.patch").write_text(PATCH)
    (home / "data").mkdir(mode=stat.S_IRWXU)
    return World(home)


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
