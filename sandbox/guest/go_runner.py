"""Runs `go test` with `-json` inside the container and writes what became of each test; one standard-library file.

Run as `go_runner.py go test …` in the repository. It writes one JSON object a line to `<nonce>.jsonl` in the results
directory, as the pytest plugin does. Where `selection.json` beside it lists node ids, only their packages are run, and
in these the tests of their names: a superset, since go takes one pattern for all packages. Ends as `go test` did.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Told = dict[str, Any]

MESSAGE = 4000
FRAMES = 16
KEPT = 400
HERE = Path(__file__).resolve().parent
ROOT = str(Path.cwd())
WARM = Path("/env/go-cache")
FUNCTION = re.compile(r"^func ((?:Test|Fuzz|Example|Benchmark)\w*)\(", re.MULTILINE)
MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
NOISE = re.compile(r"^\s*(?:=== \w+|--- \w+:|FAIL$|exit status)")
ASSERTED = re.compile(r"^\s+(?:(\w+)\.go):(\d+): ")
TRACED = re.compile(r"^\t(/\S+\.go):(\d+)")
COMPILED = re.compile(r"^(?:vet: )?(?:\./)?(\S+\.go):(\d+):(?:\d+:)? (.*)$")
BROKEN = re.compile(r"^FAIL\t(\S+) \[(?:build|setup) failed\]$")
ENDED = re.compile(r"--- (PASS|FAIL|SKIP): (\S+) \(\d")
OUTCOMES = {"pass": "passed", "fail": "failed", "skip": "skipped"}
WORSE = ("passed", "skipped", "unfinished", "failed", "error")
NAME = 4000
LEFT = f".regreen-{HERE.name}"
"""What the test binary writes into its package's directory when `testing` is through with all tests, and only then."""


class Package:
    """One package: its tests in the order in which they began, and what they printed."""

    def __init__(self, folder: str) -> None:
        """`folder` is relative to the repository, `.` for its root."""
        self.folder = folder
        self.files = _functions(folder)
        self.tests: dict[str, Told] = {}
        self.printed: dict[str, list[str]] = {"": []}
        self.running: set[str] = set()
        self.failed = False
        self.vouched = False

    def take(self, event: Told) -> None:
        """Take one event of test2json."""
        action, test = str(event.get("Action")), str(event.get("Test") or "")
        if action == "output":
            lines = self.printed.setdefault(test, [])
            text = str(event.get("Output", ""))
            # A test that prints no line break hides both this line and its own end from test2json before Go 1.20.
            self.vouched = self.vouched or text.endswith("PASS\n")
            for ended in ENDED.finditer(text):
                self.end(ended.group(2), OUTCOMES[ended.group(1).lower()], 0.0)
            lines.append(text[:MESSAGE])
            # A test that floods its output says last what it failed of.
            del lines[KEPT // 2 : -KEPT // 2]
        elif action == "run" and test:
            self.tests.setdefault(test, {})
            self.running.add(test)
        elif action in OUTCOMES and test:
            self.end(test, OUTCOMES[action], max(float(event.get("Elapsed") or 0), 0.0))
        elif action == "fail":
            self.failed = True

    def end(self, test: str, outcome: str, seconds: float) -> None:
        """Take an end; of tests of one name, as of a package and its external tests or of `-cpu=1,2`, the worst."""
        told = self.tests.setdefault(test, {})
        self.running.discard(test)
        told["outcome"] = max(outcome, told.get("outcome", "passed"), key=WORSE.index)
        told["seconds"] = max(seconds, told.get("seconds", 0.0))

    def left_early(self) -> bool:
        """Whether it ended well without saying so, or without `testing` being through, whatever the tests printed."""
        home = Path(self.folder)
        return not self.failed and not (self.vouched and ((home / LEFT).is_file() or not home.is_dir()))

    def records(self) -> Iterator[tuple[str, Told]]:
        """A line for each test. One without an end has crashed; a package that fails by itself fails its last test.

        A package that ends well without saying so was left early: its tests count as unfinished.
        """
        early = self.left_early()
        for name, told in self.tests.items():
            if early:
                told["outcome"] = "unfinished"
            elif name in self.running:
                told["outcome"] = "error" if self.failed else "unfinished"
        red = any(told["outcome"] in {"failed", "error"} for told in self.tests.values())
        if self.failed and not red:
            if not self.tests:
                yield "collect_error", {"id": self.folder, **_described("".join(self.printed[""]), self.folder, "")}
                return
            last = list(self.tests)[-1]
            self.tests[last].update(outcome="error", phase="teardown")
            self.printed[last] = self.printed[""]
        for name, told in self.tests.items():
            if told["outcome"] in {"failed", "error"}:
                told.update(_described("".join(self.printed.get(name, [])), self.folder, name))
            yield "test", {"id": self.node_id(name), "seconds": 0.0, **told}

    def node_id(self, test: str) -> str:
        """`folder/file_test.go::Test/subtest`."""
        return _short(f"{self.files.get(test.partition('/')[0], self.folder)}::{test}")


class Runs:
    """All packages of one run, and what go says besides the events: the compiler's errors."""

    def __init__(self) -> None:
        """Learn the module's path."""
        manifest = Path("go.mod")
        found = MODULE.search(manifest.read_text(encoding="utf-8", errors="replace")) if manifest.is_file() else None
        self.module = found.group(1) if found else ""
        self.packages: dict[str, Package] = {}
        self.broken: list[str] = []
        self.errors: dict[str, list[str]] = {}
        self.about = ""

    def folder(self, package: str) -> str:
        """An import path's directory, relative to the repository."""
        inside = package == self.module or package.startswith(f"{self.module}/")
        return package[len(self.module) :].strip("/") or "." if inside else package

    def line(self, line: str) -> str:
        """Take a line of stdout; returns what a person would have seen."""
        event = _event(line)
        if event is None:
            if broken := BROKEN.match(line.rstrip()):
                self.broken.append(broken.group(1))
            return line
        name = str(event.get("Package") or event.get("ImportPath") or "")
        text = str(event.get("Output", ""))
        if str(event.get("Action", "")).startswith("build-"):
            self.complaint(text)
            return text
        if broken := BROKEN.match(text.rstrip()):
            self.broken.append(broken.group(1))
        if name:
            self.packages.setdefault(name, Package(self.folder(name))).take(event)
        return text

    def complaint(self, line: str) -> None:
        """Take a line of stderr: `# package`, then the compiler's errors."""
        if line.startswith("# "):
            self.about = line[2:].strip().partition(" ")[0]
        kept = self.errors.setdefault(self.about, [])
        if len(kept) < KEPT:
            kept.append(line[:MESSAGE])

    def records(self) -> Iterator[tuple[str, Told]]:
        """A line for each package that could not be built, then one for each test."""
        for name in dict.fromkeys(self.broken):
            self.packages.pop(name, None)
            yield "collect_error", {"id": self.folder(name), **self._compiler(name)}
        for name in sorted(self.packages):
            yield from self.packages[name].records()

    def _compiler(self, package: str) -> Told:
        lines = [line for about in (package, "") for line in self.errors.get(about, [])]
        lines = lines or [line for found in self.errors.values() for line in found]
        frames = [[hit.group(1)[:NAME], int(hit.group(2)[:9]), ""] for hit in map(COMPILED.match, lines) if hit]
        return {"exception": "build failed", "message": _capped("".join(lines)), "frames": frames[:FRAMES]}


def _event(line: str) -> Told | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and "Action" in event else None


def _functions(folder: str) -> dict[str, str]:
    """Test function → the file that defines it."""
    home = Path(folder)
    paths = sorted(home.glob("*_test.go")) if home.is_dir() else []
    found: dict[str, str] = {}
    for path in paths:
        names = FUNCTION.findall(path.read_text(encoding="utf-8", errors="replace"))
        found.update({name: path.as_posix() for name in names})
    return found


def _described(printed: str, folder: str, test: str) -> Told:
    lines = [line for line in printed.splitlines() if not NOISE.match(line)]
    panic = next((line for line in lines if line.lstrip().startswith(("panic:", "fatal error:"))), "")
    message = "\n".join(lines[: lines.index(panic) + 1] if panic else lines)
    frames = (
        _traced(lines)
        if panic
        else [
            [os.path.normpath(f"{folder}/{hit.group(1)}.go")[:NAME], int(hit.group(2)[:9]), test[:NAME]]
            for hit in map(ASSERTED.match, lines)
            if hit
        ]
    )
    return {"exception": "panic" if panic else "", "message": _capped(message), "frames": frames[-FRAMES:]}


def _traced(lines: list[str]) -> list[list[Any]]:
    """The frames of a goroutine's trace that lie in the repository, the innermost last."""
    found: list[list[Any]] = []
    for above, line in pairwise(lines):
        hit = TRACED.match(line)
        if hit and hit.group(1).startswith(ROOT + os.sep):
            function = above.rpartition("/")[2].partition("(")[0].rpartition(".")[2]
            found.append([hit.group(1)[len(ROOT) + 1 :][:NAME], int(hit.group(2)[:9]), function[:NAME]])
    return found[::-1]


def _short(name: str) -> str:
    """A name that fits, and is still its own."""
    return name if len(name) <= NAME else f"{name[:NAME]}~{hashlib.sha256(ascii(name).encode()).hexdigest()[:16]}"


def _capped(text: str) -> str:
    return text if len(text) <= MESSAGE else text[: MESSAGE // 2] + "\n[...]\n" + text[-MESSAGE // 2 :]


def command(words: list[str], wanted: list[str] | None) -> list[str]:
    """`go test` with events, without the cache of results, without stopping early; narrowed to the selection."""
    at = words.index("test") + 1
    rest = [word for word in words[at:] if word.lstrip("-") not in {"failfast", "json", "v", "v=true"}]
    own = rest.index("-args") if "-args" in rest else rest.index("--args") if "--args" in rest else len(rest)
    rest, last = rest[:own], ["-args", f"-test.memprofile={LEFT}", *rest[own + 1 :]]
    head = [*words[:at], "-json", "-count=1"]
    if wanted is None:
        return head + rest + last
    names = sorted({re.escape(node_id.partition("::")[2].partition("/")[0]) for node_id in wanted})
    files = {node_id.partition("::")[0] for node_id in wanted}
    folders = sorted({path if not path.endswith(".go") else str(Path(path).parent) for path in files})
    flags = [word for word in rest if not (word in {".", "..."} or word.startswith("./") or word.endswith("/..."))]
    return [*head, *flags, f"-run=^({'|'.join(names)})$", *(f"./{folder}" for folder in folders), *last]


def environment() -> dict[str, str]:
    """A build cache that can be written: links to the one of the installation, which cannot."""
    cache = Path(os.environ.get("GOCACHE") or "/tmp/go-cache")
    if WARM.is_dir() and not cache.exists():
        cache.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-as", str(WARM), str(cache)], check=False)
    return {**os.environ, "GOCACHE": str(cache)}


def main() -> int:
    """Run, print as go would have, and write the results."""
    wanted = json.loads((HERE / "selection.json").read_text(encoding="utf-8"))
    argv = command(sys.argv[1:], wanted)
    if shutil.which(argv[0]) is None:
        sys.exit(f"{argv[0]} is not there")
    process = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(), text=True, errors="replace",
    )  # fmt: skip
    runs = Runs()
    complaints = Thread(target=_complaints, args=(process, runs))
    complaints.start()
    for line in process.stdout or ():
        sys.stderr.write(runs.line(line))
    complaints.join()
    code = process.wait()
    found = list(runs.records())
    written = [(kind, told) for kind, told in found if told.get("outcome") != "unfinished"]
    tests = [told for kind, told in written if kind == "test"]
    red = any(told["outcome"] in {"failed", "error"} for told in tests) or len(tests) < len(written)
    collected = len(tests) + len(found) - len(written)
    results = HERE.parent / "results"
    results.mkdir(parents=True, exist_ok=True)
    with (results / (HERE.name + ".jsonl")).open("w", encoding="ascii") as file:
        for kind, told in [("collected", {"count": collected}), *written]:
            file.write(json.dumps({"kind": kind, **told}) + "\n")
        file.write(json.dumps({"kind": "finished", "exit": int(red), "count": len(tests)}) + "\n")
    return code if code >= 0 else 128 - code


def _complaints(process: subprocess.Popen[str], runs: Runs) -> None:
    for line in process.stderr or ():
        sys.stderr.write(line)
        runs.complaint(line)


if __name__ == "__main__":
    sys.exit(main())
