"""What a person gets: the documented commands in one container that has the network that an install has, tree writable.

The same base image and the same proxy as Regreen's own runs, but none of its detection, plugins or phases.
"""

import io
import re
import secrets
import shlex
import tarfile
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from bench.sdists import Sdist

from sandbox.containers.engine import DockerEngine
from sandbox.environments.install import Installation, InstallSettings
from sandbox.errors import SandboxError
from sandbox.spec import Recipe

LIST = Path(__file__).with_name("by_hand.toml")
OUTPUT = "/env/by-hand.txt"
VENV = "/tmp/by-hand"  # noqa: S108 - the container's own
PIP = ["-e", ".", "pytest"]
TEST = "pytest"

_PASSED = re.compile(r"(?<!subtests )\b(\d+) passed")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_RAN = re.compile(r"^Ran (\d+) tests? in", re.MULTILINE)
_NOT_PASSED = re.compile(r"(?:failures|errors|skipped|expected failures)=(\d+)")


@dataclass(frozen=True, slots=True)
class ByHand:
    """How many tests passed, and the end of what was printed."""

    passed: int
    tail: str
    note: str = ""


def run(sdist: Sdist, engine: DockerEngine, settings: InstallSettings, base: str) -> ByHand:
    """Set up and test by hand; a set-up that fails passes nothing."""
    written = tomllib.loads(LIST.read_text(encoding="utf-8")).get(sdist.name, {})
    pip = shlex.join(written.get("install", PIP))
    # Debian's pip has no --group yet, and a person takes the newest one anyway.
    lines = [
        f"python3 -m venv {VENV}",
        f". {VENV}/bin/activate",
        "python -m pip install -q -U pip",
        f"python -m pip install -q {pip}",
        written.get("test", TEST),
    ]
    script = f"({' && '.join(lines)}) > {OUTPUT} 2>&1; true"
    recipe = Recipe("python", (("sh", "-c", script),), (), "by hand")
    sink = io.BytesIO()
    try:
        with tempfile.TemporaryDirectory() as directory:
            # The container's user passes through it to the proxy's socket.
            Path(directory).chmod(0o755)
            installation = Installation(engine, settings, base, sdist.tree, recipe)
            installation.run(f"by-hand-{secrets.token_hex(4)}", Path(directory), sink)
    except SandboxError as error:
        return ByHand(0, error.cause[-2000:], written.get("note", ""))
    sink.seek(0)
    with tarfile.open(fileobj=sink) as archive:
        member = next(one for one in archive if one.name.endswith("by-hand.txt"))
        content = archive.extractfile(member)
        text = content.read().decode("utf-8", "replace") if content else ""
    return ByHand(passed(text), text[-2000:], written.get("note", ""))


def passed(text: str) -> int:
    """The number that pytest's or unittest's last line gives."""
    text = _COLOUR.sub("", text)
    if ran := _RAN.search(text):
        return int(ran[1]) - sum(int(count) for count in _NOT_PASSED.findall(text[ran.end() :]))
    found = _PASSED.findall(text)
    return int(found[-1]) if found else 0
