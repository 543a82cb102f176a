"""Where a new test goes, and what its writer is shown: a test beside it as the example, and the code it is about."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import basename, dirname, join

from bot.repair.localisation.localise import Suspect
from bot.repair.localisation.mentions import mentioned, overlap, ranked, stem, words
from bot.repair.ports import Workspace
from bot.repair.protection import Protection, protect
from bot.repair.sources.imports import Modules
from bot.repair.sources.languages import GO, JAVASCRIPT, PYTHON
from bot.repair.sources.languages import imported as imported_elsewhere
from bot.repair.types import Base, Baseline, SourceFile

ECOSYSTEMS = frozenset({"python", "unittest", "go", "node-test", "jest", "vitest", "mocha"})
"""Those whose runs tell one test from another and can be narrowed to one."""
MAX_FILES = 60
MAX_BYTES = 400_000
MAX_NUMBER = 99
_JAVASCRIPT = re.compile(r"(?:\.(?:test|spec)|[-_](?:test|spec))?\.[cm]?[jt]sx?$")
_ENDINGS: Mapping[str, tuple[str, ...]] = {"go": (GO,), "python": (PYTHON,), "unittest": (PYTHON,)}


@dataclass(frozen=True, slots=True)
class Ground:
    """What a test is written on. `path` is the new file's, `example` the test beside it that is most like the issue.

    `set_up` are the conftest.py that count for both. `files` are the sources that were read, `suspects` what the
    issue's words point at in them.
    """

    base: Base
    path: str
    example: SourceFile
    set_up: tuple[SourceFile, ...]
    files: Mapping[str, SourceFile]
    suspects: tuple[Suspect, ...]
    known: tuple[str, ...]
    protection: Protection

    @property
    def modules(self) -> Modules:
        """The tree's modules by name."""
        return Modules.of(self.known)


def look(
    workspace: Workspace, base: Base, baseline: Baseline, text: str, name: str, protected: tuple[str, ...] = ()
) -> Ground | None:
    """Read what bears on an issue's text; `name` is the new file's, without what marks it as a test: `issue_7`.

    `None` where no test of a known runner stands anywhere to place another one beside. Raises `WorkspaceError`.
    """
    if base.recipe.ecosystem not in ECOSYSTEMS:
        return None
    known = workspace.paths(base)
    protection = protect(workspace, base, known, baseline, protected)
    tests = [path for path in known if path in protection.files and path.endswith(_endings(base))]
    if not tests:
        return None
    sources = [path for path in known if protection.is_source(path) and path.endswith(_endings(base))]
    files = _read(workspace, base, ranked(sources, text))
    suspects = mentioned(text, files, tuple(files))
    path_of_example = _example(tests, baseline, text, suspects)
    example, *set_up = workspace.read(base, (path_of_example, *_conftests(path_of_example, known)))
    taken = {*known, *(link for link, _ in workspace.links(base))}
    path = place(path_of_example, name, taken)
    if path is None:
        return None
    suspects = _with_imports(example, suspects, known)
    return Ground(base, path, example, tuple(set_up), files, suspects, known, protection)


def place(example: str, name: str, taken: set[str]) -> str | None:
    """The new file's path: the example's directory and kind of name, with a number where that is taken."""
    for number in range(1, MAX_NUMBER):
        numbered = name if number == 1 else f"{name}_{number}"
        path = join(dirname(example), named_like(basename(example), numbered))
        if path not in taken:
            return path
    return None


def named_like(example: str, name: str) -> str:
    """A file name that the runner finds as it finds the example's."""
    if example.endswith(GO):
        return f"{name}_test.go"
    if example.endswith(JAVASCRIPT):
        end = _JAVASCRIPT.search(example)
        return f"{name}{end[0] if end else '.test.js'}"
    return f"{name}_test.py" if example.endswith("_test.py") and not example.startswith("test") else f"test_{name}.py"


def _conftests(path: str, known: Sequence[str]) -> list[str]:
    """Those of the directories above, the nearest first."""
    parts = path.split("/")[:-1]
    wanted = ("/".join([*parts[:depth], "conftest.py"]) for depth in range(len(parts), -1, -1))
    return [one for one in wanted if one in known] if path.endswith(PYTHON) else []


def _endings(base: Base) -> tuple[str, ...]:
    return _ENDINGS.get(base.recipe.ecosystem, JAVASCRIPT)


def _read(workspace: Workspace, base: Base, wanted: Sequence[str]) -> dict[str, SourceFile]:
    files: dict[str, SourceFile] = {}
    room = MAX_BYTES
    for file in workspace.read(base, tuple(wanted[:MAX_FILES])) if wanted else ():
        if len(file.data) <= room:
            room -= len(file.data)
            files[file.path] = file
    return files


def _example(tests: Sequence[str], baseline: Baseline, text: str, suspects: Sequence[Suspect]) -> str:
    """The test file that says most of what the issue says; then the one about the first suspect; then the longest."""
    said = words(text)
    counts: dict[str, int] = dict.fromkeys(tests, 0)
    shared: dict[str, float] = dict.fromkeys(tests, 0.0)
    for node_id in (*baseline.passing, *baseline.failing_ids):
        file, _, test = node_id.partition("::")
        if file in counts:
            counts[file] += 1
            shared[file] = max(shared[file], overlap(test.rpartition("::")[2].partition("[")[0], said))
    about = stem(suspects[0].path).casefold() if suspects and suspects[0].score > 0 else ""

    def rank(path: str) -> tuple[float, int, str]:
        near = about in stem(path).casefold() if about else False
        return -(shared[path] + overlap(stem(path), said) + near), -counts[path], path

    return min(tests, key=rank)


def _with_imports(example: SourceFile, suspects: tuple[Suspect, ...], known: Sequence[str]) -> tuple[Suspect, ...]:
    """Where the words point at nothing, what the example imports comes first."""
    if any(suspect.score > 0 for suspect in suspects):
        return suspects
    imported = frozenset(_imported(example, known))
    return tuple(sorted(suspects, key=lambda suspect: suspect.path not in imported))


def _imported(file: SourceFile, known: Sequence[str]) -> Iterator[str]:
    yield from Modules.of(known).imported(file)
    yield from imported_elsewhere(file.path, file.data, known)
