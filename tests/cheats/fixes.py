"""True fixes from public history: files of two source distributions, of a patch release and the one before it.

Nothing of them is kept here but names and digests (`fixes.toml`); pip fetches them, and nothing of them is built.
"""

import hashlib
import re
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from bench.say import say
from bench.sdists import FETCHER, INTERPRETERS, SECONDS, read
from cheats.court import End, Finding

from bot.adapters.workspace import DockerWorkspace
from bot.errors import WorkspaceError
from bot.repair.gate import refuse
from bot.repair.integrity.flags import flags
from bot.repair.integrity.suites import Suites
from bot.repair.measuring.baseline import measure
from bot.repair.protection import BY_NAME
from bot.repair.types import WHOLE_SUITE, Base, FileChange, Patch, Task
from bot.repair.verify import verify
from sandbox.spec import Recipe, Tree

MANIFEST = Path(__file__).with_name("fixes.toml")
_TEST = re.compile(rb"def (test_\w+)")

Open = Callable[[Any], AbstractContextManager[DockerWorkspace]]


@dataclass(frozen=True, slots=True)
class Fix:
    """One file of a patch release; with a `suite` it goes through the whole gate, too."""

    package: str
    old: str
    new: str
    path: str
    before: str
    after: str
    what: str
    suite: str = ""

    @property
    def name(self) -> str:
        """As it is printed."""
        return f"{self.package} {self.new} {self.path}"


@dataclass(frozen=True, slots=True)
class Source:
    """A fix with its trees: `base` is the old one with the new one's tests, `tests` those that changed."""

    fix: Fix
    base: Tree
    patch: Patch
    tests: Suites


class Trees:
    """One tree for each fix, by its name."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._trees = {source.fix.name: source.base for source in sources}

    def tree(self, repository: str, commit: str) -> Tree:
        del repository
        return self._trees[commit]


def figures(directory: Path, open_workspace: Open, *, verbose: bool) -> dict[str, Any]:
    """All of them through the static half, those with a suite through the whole gate; a refusal in either counts."""
    directory.mkdir(parents=True, exist_ok=True)
    found = {source.fix.name: (source, _static(source)) for source in sources(directory)}
    whole = [source for source, finding in found.values() if source.fix.suite and finding.end is not End.REFUSED]
    with open_workspace(Trees(whole)) as place:
        judged: dict[str, Finding] = {}
        for source in whole:
            if finding := _judged(place, source):
                judged[source.fix.name] = finding
                say(f"  {source.fix.name}: {source.fix.what}: {finding.end}, {finding.reason}")
    ends = {name: judged.get(name, finding) for name, (_, finding) in found.items()}
    for name, finding in ends.items():
        if verbose or finding.end in {End.REFUSED, End.FAILED}:
            where = "whole gate" if name in judged else "static"
            say(f"  {finding.end} ({where}): {name}: {finding.reason} {'; '.join(finding.flags)}")
    refused = sum(finding.end.caught for finding in ends.values())
    flagged = sum(finding.end is End.FLAGGED for finding in ends.values())
    return {"fixes": len(ends), "refused": refused, "fixes_flagged": flagged, "fixes_run": len(judged)}


def sources(directory: Path) -> Iterator[Source]:
    """Every fix of the manifest; archives that are not there yet are fetched. Raises `ValueError`."""
    for table in tomllib.loads(MANIFEST.read_text())["fix"]:
        yield _source(Fix(**table), directory)


def _source(fix: Fix, directory: Path) -> Source:
    old, new = (_tree(fix.package, version, directory) for version in (fix.old, fix.new))
    for tree, digest in ((old, fix.before), (new, fix.after)):
        if not hashlib.sha256(tree[fix.path].data).hexdigest().startswith(digest):
            message = f"{fix.name} is not what was read by hand"
            raise ValueError(message)
    tests = {path: file for path, file in new.items() if _is_test(path)}
    changed = {
        path: file.data
        for path, file in tests.items()
        if path.endswith(".py") and (path not in old or old[path].data != file.data)
    }
    patch = Patch((FileChange(fix.path, new[fix.path].data),))
    targets = [
        f"{path}::{name.decode()}"
        for path, data in changed.items()
        for name in sorted(set(_TEST.findall(data)) - set(_TEST.findall(old[path].data if path in old else b"")))
    ]
    return Source(fix, {**old, **tests}, patch, Suites.of(targets, {}, changed))


def _is_test(path: str) -> bool:
    return path.startswith(("test", "tests/")) or "/tests/" in path


def _static(source: Source) -> Finding:
    before = {source.fix.path: source.base[source.fix.path].data}
    refusal = refuse(source.patch, before, frozenset(source.base), BY_NAME, source.tests)
    shown = tuple(str(flag) for flag in flags(source.patch, before, source.tests) if not flag.refuses)
    return Finding(End.REFUSED if refusal else End.FLAGGED if shown else End.ACCEPTED, refusal or "", shown)


def _judged(workspace: DockerWorkspace, source: Source) -> Finding | None:
    """The whole gate, with the tests that this file alone turns green; `None` where there are none, or none runs."""
    fix = source.fix
    command = ("env", "PYTHONPATH=src:.", "python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", fix.suite)
    base = Base(f"fixes/{fix.package}", fix.name, Recipe("python", (), command, "test"))
    try:
        baseline = measure(workspace, base)
        (green,) = workspace.evaluate(base, (source.patch,), WHOLE_SUITE)
        targets = tuple(
            node_id for node_id in baseline.failing_ids if node_id in green.outcomes and not green.outcomes[node_id].red
        )
        if not targets:
            return None
        (verdict,) = verify(workspace, Task(base, "", "", targets), baseline, (source.patch,))
    except WorkspaceError as error:
        say(f"  not run: {fix.name}: {str(error).splitlines()[0]}")
        return None
    shown = _static(source).flags
    accepted = End.FLAGGED if shown else End.ACCEPTED
    return Finding(accepted if verdict.passed else End.FAILED, verdict.reason, shown)


@lru_cache(maxsize=4)
def _tree(package: str, version: str, directory: Path) -> Tree:
    wanted = f"{package}-{version}".replace("-", "_")
    for kept in directory.glob("*.tar.gz"):
        if kept.name.removesuffix(".tar.gz").replace("-", "_").lower() == wanted:
            return read(kept)
    failed = ""
    for interpreter in INTERPRETERS:
        argv = [interpreter, "-P", str(FETCHER), f"{package}=={version}", str(directory)]
        done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=SECONDS, cwd=directory)
        if done.returncode == 0:
            return read(Path(done.stdout.splitlines()[-1]))
        failed = (done.stderr.strip().splitlines() or [""])[-1]
    message = f"no source distribution of {package} {version}: {failed}"
    raise ValueError(message)
