import io
import itertools
import json
import tarfile
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from bot.adapters.workspace import DockerWorkspace
from bot.errors import EngineDownError, NoRoomError, SetUpError, TreeError, WorkspaceError
from bot.repair.describe import cause
from bot.repair.types import WHOLE_SUITE, Base, FileChange, Patch, Screening, Selection
from sandbox.containers.upload import Packed
from sandbox.errors import (
    DiskFullError,
    EngineUnavailableError,
    ImageMissingError,
    InstallFailedError,
    SandboxError,
    TreeTooLargeError,
)
from sandbox.spec import File, Limits, Recipe, RunResult, RunSpec, RunState, Tree, Verdict

TREE = {"m.py": File(b"1"), "run.sh": File(b"#!", 0o100755), "link": File(b"m.py", 0o120000)}
BASE = Base("owner/name", "c0ffee", Recipe("python", (), ("python", "-m", "pytest", "-q"), "test"))
SCRIPT = Base("owner/name", "c0ffee", Recipe("script", (), ("python3", "t.py"), "test", closing_line="ok"))

Answer = Callable[[RunSpec, dict[str, tarfile.TarInfo]], RunResult]


class ScriptedEngine:
    """Answers each run with a function of its spec and of what was packed; remembers both."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.runs: list[tuple[RunSpec, dict[str, tarfile.TarInfo]]] = []
        self.prepared: list[tuple[RunSpec, Packed]] = []

    def run(self, spec: RunSpec, archive: Iterable[bytes]) -> RunResult:
        with tarfile.open(fileobj=io.BytesIO(b"".join(archive))) as packed:
            self.runs.append((spec, {member.name: member for member in packed}))
        return self.answer(*self.runs[-1])

    def prepare(self, spec: RunSpec, base: Packed) -> None:
        self.prepared.append((spec, base))


class Trees:
    def __init__(self, tree: Tree) -> None:
        self.given = tree

    def tree(self, repository: str, commit: str) -> Tree:
        del repository, commit
        return self.given


def ended(output: bytes = b"", code: int = 0, results: dict[str, bytes] | None = None) -> RunResult:
    return RunResult(Verdict.EXITED, code, output, output_truncated=False, results=results or {})


def workspace(
    answer: Answer = lambda *_: ended(), trees: Trees | None = None
) -> tuple[DockerWorkspace, ScriptedEngine]:
    engine, tokens = ScriptedEngine(answer), itertools.count()
    made = DockerWorkspace(
        engine, trees or Trees(TREE), lambda _: "image:1", Limits(), "runsc", 3, lambda: f"t{next(tokens)}"
    )
    return made, engine


def change(path: str, content: bytes | None) -> Patch:
    return Patch((FileChange(path, content),))


def test_ships_the_tree_with_the_patch_over_it_and_keeps_modes() -> None:
    made, engine = workspace()
    patch = Patch((FileChange("m.py", None), FileChange("new/n.py", b"22"), FileChange("run.sh", b"#!!")))
    made.evaluate(BASE, (patch,), WHOLE_SUITE)
    ((spec, members),) = engine.runs
    assert {name for name in members if name.startswith("repo/")} == {f"repo/{path}" for path in (*TREE, "new/n.py")}
    assert members["regreen/init/removed"].size == len("/repo/m.py\0")
    assert (members["repo/run.sh"].mode, members["repo/run.sh"].size, members["repo/link"].issym()) == (0o755, 3, True)
    assert (spec.image, spec.runtime) == ("image:1", "runsc")
    assert dict(spec.environment)["PYTHONDONTWRITEBYTECODE"] == "1"


def test_the_next_container_is_made_after_a_single_patch_and_the_tree_is_packed_once() -> None:
    made, engine = workspace()
    for patches in ((Patch(),), (Patch(), Patch()), (change("m.py", b"2"),)):
        made.evaluate(BASE, patches, WHOLE_SUITE)
    (first, packed), (second, again) = engine.prepared
    assert packed is again
    assert packed.tree == TREE
    assert first.run_id != second.run_id
    assert {replace(spec, run_id="", command=()) for spec, _ in engine.runs} == {replace(first, run_id="")}


def test_a_patch_that_would_change_generated_files_is_not_run_and_says_why() -> None:
    made, engine = workspace()
    made.generated = {"image:1": ("m.cpython-311.so", "pkg/_rules.py")}.__getitem__
    patches = (Patch(), change("rules.txt", b"40"), change("n.py", b"2"), change("m.py", b"2"))
    states = [run.state for run in made.evaluate(BASE, patches, WHOLE_SUITE)]
    assert [state is RunState.UNBUILT for state in states] == [False, True, False, True]
    assert len(engine.runs) == 2
    (run,) = made.evaluate(BASE, patches[3:], WHOLE_SUITE)
    assert cause(run).startswith("the patch was not run, since the build would have to run again")
    assert "generated m.cpython-311.so" in cause(run)
    hints = made.screen(BASE, patches, Selection(("t.py::t",)))
    assert [hint.detail.startswith("unbuilt") for hint in hints] == [False, True, False, True]
    assert not hints[1].plausible


def test_each_run_has_its_own_label_and_nonce() -> None:
    made, engine = workspace()
    made.evaluate(BASE, (Patch(),) * 4, WHOLE_SUITE)
    assert len({spec.run_id for spec, _ in engine.runs}) == 4
    assert len({spec.command for spec, _ in engine.runs}) == 4


def test_reads_only_the_regular_files_of_a_tree() -> None:
    made, _ = workspace()
    assert made.paths(BASE) == ("m.py", "run.sh")
    assert [file.path for file in made.read(BASE, ("link", "m.py", "gone"))] == ["m.py"]


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (EngineUnavailableError, EngineDownError),
        (TreeTooLargeError, TreeError),
        (DiskFullError, NoRoomError),
        (ImageMissingError, SetUpError),
        (InstallFailedError, SetUpError),
    ],
)
def test_an_error_of_the_sandbox_keeps_cause_and_remedy(
    raised: type[SandboxError], expected: type[WorkspaceError]
) -> None:
    def answer(*_: object) -> RunResult:
        raise raised("what", "how")

    made, _ = workspace(answer)
    for call in (made.evaluate, made.screen):
        with pytest.raises(expected) as caught:
            call(BASE, (Patch(), Patch()), WHOLE_SUITE)
        assert (caught.value.cause, caught.value.remedy) == ("what", "how")


@pytest.mark.parametrize("path", ["../up", "/etc/passwd", "link", "link/below", "m.py/below"])
def test_a_patch_that_leaves_the_tree_is_a_tree_error_and_nothing_runs(path: str) -> None:
    made, engine = workspace()
    with pytest.raises(TreeError):
        made.evaluate(BASE, (change(path, b"x"),), WHOLE_SUITE)
    assert engine.runs == []


def test_an_ecosystem_that_nobody_can_run_is_a_set_up_error() -> None:
    made, _ = workspace()
    with pytest.raises(SetUpError, match="cobol"):
        made.evaluate(Base("a/b", "c", Recipe("cobol", (), ("x",), "test")), (Patch(),), WHOLE_SUITE)


def test_a_killed_container_is_a_run_with_that_state() -> None:
    made, _ = workspace(lambda *_: RunResult(Verdict.TIMEOUT, None, b"", output_truncated=False))
    (run,) = made.evaluate(BASE, (Patch(),), WHOLE_SUITE)
    assert run.state is RunState.TIMEOUT


def test_screens_all_patches_in_one_container_and_counts_missing_lines_as_not_plausible() -> None:
    def answer(spec: RunSpec, _: object) -> RunResult:
        nonce = spec.command[-1].split("/")[2]
        lines = [json.dumps({"plausible": True, "detail": "passed"}), "garbage"]
        return ended(results={f"{nonce}.jsonl": "\n".join(lines).encode()})

    made, engine = workspace(answer)
    hints = made.screen(BASE, (change("m.py", b"2"), change("m.py", None), Patch()), Selection(("t::a",)))
    assert hints == (
        Screening(plausible=True, detail="passed"),
        *[Screening(plausible=False, detail="not screened")] * 2,
    )
    ((spec, members),) = engine.runs
    assert spec.command[0] == "python"
    assert {name.rpartition("/")[2] for name in members} >= {"screen.py", "screen.json", "regreen_warm.py"}


def test_a_test_that_every_patch_adds_alike_is_screened_as_part_of_the_tree() -> None:
    made, engine = workspace()
    new = FileChange("test_new.py", b"def test(): ...")
    made.screen(BASE, tuple(Patch((FileChange("m.py", content), new)) for content in (b"2", b"3")), WHOLE_SUITE)
    made.screen(BASE, (Patch((FileChange("m.py", b"2"), new)), change("m.py", b"3")), WHOLE_SUITE)
    (_, alike), (_, once) = engine.runs
    assert alike["repo/test_new.py"].size == len(new.content or b"")
    assert "repo/test_new.py" not in once


def test_screens_a_script_one_container_a_patch() -> None:
    made, engine = workspace(lambda spec, _: ended(b"ok\n" if spec.run_id else b""))
    hints = made.screen(SCRIPT, (Patch(), Patch()), WHOLE_SUITE)
    assert [hint.plausible for hint in hints] == [True, True]
    assert len(engine.runs) == 2
