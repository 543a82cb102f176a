"""Runs patches in containers: the base tree with the patch over it, in a fresh container each time."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from bot.errors import EngineDownError, NoRoomError, SetUpError, TreeError, WorkspaceError
from bot.log import carried
from bot.pipeline.ports.job import Trees
from bot.repair.localisation.observed import Covered, Observation, Probe
from bot.repair.types import Base, FileChange, Patch, Screening, Selection, SourceFile
from sandbox.containers.upload import Packed, upload
from sandbox.environments.generated import feeds
from sandbox.errors import DiskFullError, EngineUnavailableError, SandboxError, TreeTooLargeError
from sandbox.results import ecosystems, observing, screening
from sandbox.results.plan import MOUNT, Plan
from sandbox.spec import File, Limits, RunResult, RunSpec, RunState, TestRun, Tree

REGULAR = frozenset({0o100644, 0o100755})
SYMLINK = 0o120000
BASES = 2
PROBES = 10
HITS = 10
EXPRESSION = 500
# A look at a run is worth no more than this, and no test of it begins after half of it.
LOOK_SECONDS = 180.0
# Of the time that a screening container has; the rest is for starting it and for its results.
SCREENING_SHARE = 0.9
ENVIRONMENT = (
    ("PATH", "/env/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("HOME", "/tmp"),  # noqa: S108 (the container's)
    ("LANG", "C.UTF-8"),
    ("TZ", "UTC"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONHASHSEED", "0"),
)
_KINDS: tuple[tuple[type[SandboxError], type[WorkspaceError]], ...] = (
    (EngineUnavailableError, EngineDownError),
    (TreeTooLargeError, TreeError),
    (DiskFullError, NoRoomError),
    (SandboxError, SetUpError),
)


class Runner(Protocol):
    """What is needed of `sandbox.containers.ahead.Ahead`."""

    def run(self, spec: RunSpec, archive: Iterable[bytes]) -> RunResult:
        """One run in one container."""
        ...

    def prepare(self, spec: RunSpec, base: Packed) -> None:
        """Make the next run's container ahead, if that is done at all."""
        ...


@contextmanager
def sandbox_errors() -> Iterator[None]:
    """Raise the sandbox's errors as the bot's: cause and remedy stay."""
    try:
        yield
    except SandboxError as error:
        kind = next(ours for theirs, ours in _KINDS if isinstance(error, theirs))
        raise kind(error.cause, error.remedy) from error


def _nothing(image: str) -> tuple[str, ...]:
    del image
    return ()


@dataclass
class DockerWorkspace:
    """Implements `bot.repair.ports.Workspace`.

    `images` names the environment image of a base, and builds it when it is missing. `parallel` is how many containers
    run at once for one evaluation. `token` gives a new word of letters and digits with each call. `trees` is asked at
    every call, so it should remember. The last `BASES` trees are kept, packed. `generated` names the files that an
    image lays under the tree, made from it: what would change them is not run, but a `TestRun` that says so.
    """

    engine: Runner
    trees: Trees
    images: Callable[[Base], str]
    limits: Limits
    runtime: str | None
    parallel: int
    token: Callable[[], str]
    generated: Callable[[str], tuple[str, ...]] = _nothing
    _packed: Mapping[tuple[str, str], Packed] = field(default_factory=dict, init=False, repr=False)

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        """One container for each patch, at most `parallel` at once.

        After a single patch the next is likely to be a single one too, so its container is made while somebody thinks.
        """
        with sandbox_errors():
            packed, image = self._base(base), self.images(base)
            unbuilt = self._unbuilt(image, patches)
            trees = [overlay(packed.tree, patch) for patch, run in zip(patches, unbuilt, strict=True) if run is None]
            with ThreadPoolExecutor(max_workers=max(1, min(self.parallel, len(trees)))) as pool:
                ran = pool.map(carried(partial(self._evaluate, base, image, selection, packed)), trees)
                runs = tuple(run or next(ran) for run in unbuilt)
            if len(patches) == 1:
                self.engine.prepare(self._spec(base, image, ()), packed)
            return runs

    def _unbuilt(self, image: str, patches: tuple[Patch, ...]) -> tuple[TestRun | None, ...]:
        """For each patch the run that says why it is none, `None` where nothing that is generated depends on it."""
        generated = self.generated(image)
        return tuple(_unbuilt(patch, generated) for patch in patches)

    def _evaluate(self, base: Base, image: str, selection: Selection, packed: Packed, tree: Tree) -> TestRun:
        nonce = self.token()
        seed = selection.seed if ecosystems.shuffles(base.recipe) else None
        plan = ecosystems.plan(base.recipe, selection.node_ids, nonce, seed)
        result = self.engine.run(self._spec(base, image, plan.command), _over(packed, tree, plan))
        return replace(ecosystems.parse(base.recipe, result, nonce), seed=seed)

    def screen(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[Screening, ...]:
        """One container for all patches; where the recipe does not start pytest itself, one for each."""
        if not patches:
            return ()
        nonce = self.token()
        seconds = self.limits.wall_seconds * SCREENING_SHARE
        with sandbox_errors():
            packed = self._base(base)
            shared = _added_by_all(patches, packed.tree)
            tree = overlay(packed.tree, Patch(shared))
            mutants = [{one.path: one.content for one in patch.changes if one not in shared} for patch in patches]
            plan = screening.plan(base.recipe, selection.node_ids, tree, mutants, seconds, nonce)
            if plan is None:
                return tuple(_screening(run) for run in self.evaluate(base, patches, selection))
            image = self.images(base)
            unbuilt = self._unbuilt(image, patches)
            result = self.engine.run(self._spec(base, image, plan.command), _over(packed, tree, plan))
            hints = screening.parse(result, len(patches), nonce)
            return tuple(
                Screening(*hint) if run is None else _screening(run) for hint, run in zip(hints, unbuilt, strict=True)
            )

    def coverage(self, base: Base, patch: Patch, selection: Selection) -> tuple[Covered, ...]:
        """One container; functions of regular files of the tree only."""
        nonce = self.token()
        plan = observing.coverage_plan(base.recipe, selection.node_ids, LOOK_SECONDS / 2, nonce)
        if plan is None:
            return ()
        looked = self._look(base, patch, plan)
        if looked is None:
            return ()
        tree, result = looked
        kept = (
            Covered(node_id, tuple((path, line) for path, line in functions if path in tree))
            for node_id, functions in observing.called(base.recipe, result, nonce)
        )
        return tuple(covered for covered in kept if covered.functions)

    def trace(self, base: Base, patch: Patch, node_id: str, probes: tuple[Probe, ...]) -> tuple[Observation, ...]:
        """One container for one test."""
        nonce, asked = self.token(), probes[:PROBES]
        questions = [(probe.path, probe.line, probe.expression[:EXPRESSION], HITS) for probe in asked]
        plan = observing.trace_plan(base.recipe, node_id, questions, LOOK_SECONDS / 2, nonce) if asked else None
        if plan is None:
            return ()
        looked = self._look(base, patch, plan)
        told = observing.answers(base.recipe, looked[1], questions, nonce) if looked else ()
        return tuple(Observation(probe, values) for probe, values in zip(asked, told, strict=False))

    def _look(self, base: Base, patch: Patch, plan: Plan) -> tuple[Tree, RunResult] | None:
        """The tree that ran, and its run; `None` where what is generated depends on the patch."""
        with sandbox_errors():
            packed, image = self._base(base), self.images(base)
            if any(self._unbuilt(image, (patch,))):
                return None
            tree, spec = overlay(packed.tree, patch), self._spec(base, image, plan.command)
            limits = replace(spec.limits, wall_seconds=min(spec.limits.wall_seconds, LOOK_SECONDS))
            return tree, self.engine.run(replace(spec, limits=limits), _over(packed, tree, plan))

    def _spec(self, base: Base, image: str, command: tuple[str, ...]) -> RunSpec:
        return RunSpec(
            run_id=self.token(),
            image=image,
            command=command,
            limits=self.limits,
            environment=tuple(dict((*base.recipe.environment, *ENVIRONMENT)).items()),
            runtime=self.runtime,
        )

    def _base(self, base: Base) -> Packed:
        key = base.repository, base.commit
        found = self._packed.get(key)
        if found is None:
            found = Packed.of(self.trees.tree(*key))
            # A new mapping each time, since several threads look into it.
            self._packed = dict((*tuple(self._packed.items())[1 - BASES :], (key, found)))
        return found

    def read(self, base: Base, paths: tuple[str, ...]) -> tuple[SourceFile, ...]:
        """The regular files of the base tree at these paths."""
        tree = self.trees.tree(base.repository, base.commit)
        found = ((path, tree.get(path)) for path in paths)
        return tuple(SourceFile(path, file.data) for path, file in found if file is not None and file.mode in REGULAR)

    def paths(self, base: Base) -> tuple[str, ...]:
        """Every regular file of the base tree, sorted."""
        tree = self.trees.tree(base.repository, base.commit)
        return tuple(sorted(path for path, file in tree.items() if file.mode in REGULAR))

    def links(self, base: Base) -> tuple[tuple[str, str], ...]:
        """Every symlink of the base tree and its target, sorted."""
        tree = self.trees.tree(base.repository, base.commit)
        found = ((path, file) for path, file in tree.items() if file.mode == SYMLINK)
        return tuple(sorted((path, file.data.decode("utf-8", "surrogateescape")) for path, file in found))


def _over(packed: Packed, tree: Tree, plan: Plan) -> Iterable[bytes]:
    return upload(packed, {"repo": tree, MOUNT: plan.tree})


def overlay(tree: Tree, patch: Patch) -> Tree:
    """The tree with the patch over it; modes are kept. Raises `TreeError` for a change to a symlink."""
    changed = dict(tree)
    for change in patch.changes:
        before = changed.pop(change.path, File(b""))
        if before.mode not in REGULAR:
            raise TreeError(f"The patch changes {change.path!r}, which is a symlink", "Change the file it points to.")
        if change.content is not None:
            changed[change.path] = File(change.content, before.mode)
    return changed


def _added_by_all(patches: tuple[Patch, ...], tree: Tree) -> tuple[FileChange, ...]:
    """New files that all of these patches have alike: a test that was written belongs to what mutants are made of."""
    first, *others = patches
    held = [frozenset(patch.changes) for patch in others]
    return tuple(one for one in first.changes if one.path not in tree and all(one in changes for changes in held))


def _unbuilt(patch: Patch, generated: tuple[str, ...]) -> TestRun | None:
    for change in patch.changes:
        if made := feeds(change.path, generated):
            return TestRun(
                RunState.UNBUILT,
                output=f"The install generated {made} from the tree, and {change.path} may be what it is made from. "
                "A build never runs on a patched tree, so the tests would judge the file as it was.",
            )
    return None


def _screening(run: TestRun) -> Screening:
    green = run.state is RunState.COMPLETE and not run.red
    return Screening(green, "passed" if green else f"{run.state}, {len(run.red)} red")
