"""A workspace without containers: a function from the patched files to a test run."""

from collections.abc import Callable, Mapping

from bot.repair.localisation.observed import Covered, Observation, Probe
from bot.repair.types import Base, Patch, Screening, Selection, SourceFile
from sandbox.spec import Outcome, Recipe, RunState, TestResult, TestRun

BASE = Base("owner/name", "c0ffee", Recipe("python", (), ("pytest",), "test"))

Suite = Callable[[Mapping[str, bytes]], Mapping[str, Outcome | TestResult] | TestRun]


def run_of(outcomes: Mapping[str, Outcome | TestResult], seconds: float = 1.0) -> TestRun:
    """A complete run with these outcomes by node id."""
    results = tuple(
        outcome if isinstance(outcome, TestResult) else TestResult(node_id, outcome)
        for node_id, outcome in outcomes.items()
    )
    return TestRun(RunState.COMPLETE, results, len(results), 0, "", seconds)


def heeding(tests: Mapping[str, bytes], suite: Suite) -> Suite:
    """The suite, except that tests fail whose file is another one now: it cannot know what they ask."""

    def run(files: Mapping[str, bytes]) -> Mapping[str, Outcome | TestResult] | TestRun:
        answer = suite(files)
        if isinstance(answer, TestRun):
            return answer
        other = {path for path, data in tests.items() if files.get(path) != data}
        return {key: Outcome.FAILED if key.partition("::")[0] in other else value for key, value in answer.items()}

    return run


class ScriptedWorkspace:
    """Applies each patch to `files` and asks `suite` what the tests do there; a selection keeps only its ids.

    `suite` gives the outcomes by node id, or a whole run, which is handed on as it is. `calls` records each
    evaluation as (patch, selection). `called` are functions by node id, `values` what a test's probes answer; `looks`
    records each coverage and each trace by its name and its tests.
    """

    def __init__(self, files: Mapping[str, bytes], suite: Suite, seconds: float = 1.0) -> None:
        self.files = dict(files)
        self.suite = suite
        self.seconds = seconds
        self.symlinks: dict[str, str] = {}
        self.calls: list[tuple[Patch, Selection]] = []
        self.called: dict[str, tuple[tuple[str, int], ...]] = {}
        self.values: dict[tuple[str, Probe], tuple[str, ...]] = {}
        self.looks: list[tuple[str, tuple[str, ...]]] = []

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        del base
        self.calls += [(patch, selection) for patch in patches]
        return tuple(self._run(patch, selection) for patch in patches)

    def screen(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[Screening, ...]:
        del base
        return tuple(Screening(not self._run(patch, selection).red) for patch in patches)

    def coverage(self, base: Base, patch: Patch, selection: Selection) -> tuple[Covered, ...]:
        del base, patch
        self.looks.append(("coverage", selection.node_ids))
        wanted = selection.node_ids or tuple(self.called)
        return tuple(Covered(node_id, self.called[node_id]) for node_id in wanted if node_id in self.called)

    def trace(self, base: Base, patch: Patch, node_id: str, probes: tuple[Probe, ...]) -> tuple[Observation, ...]:
        del base, patch
        self.looks.append(("trace", (node_id,)))
        return tuple(Observation(probe, self.values.get((node_id, probe), ())) for probe in probes[:10])

    def read(self, base: Base, paths: tuple[str, ...]) -> tuple[SourceFile, ...]:
        del base
        return tuple(SourceFile(path, self.files[path]) for path in paths if path in self.files)

    def paths(self, base: Base) -> tuple[str, ...]:
        del base
        return tuple(sorted(self.files))

    def links(self, base: Base) -> tuple[tuple[str, str], ...]:
        del base
        return tuple(sorted(self.symlinks.items()))

    def _run(self, patch: Patch, selection: Selection) -> TestRun:
        files = dict(self.files)
        for change in patch.changes:
            if change.content is None:
                del files[change.path]
            else:
                files[change.path] = change.content
        answer = self.suite(files)
        if isinstance(answer, TestRun):
            return answer
        kept = {key: value for key, value in answer.items() if not selection.node_ids or key in selection.node_ids}
        return run_of(kept, self.seconds)
