"""What tests are made of, wherever it stands, and code beside tests that must stay editable."""

from collections.abc import Mapping

import pytest
from fakes_workspace import BASE, ScriptedWorkspace

from bot.repair.localisation.localise import localise
from bot.repair.localisation.reading import gather
from bot.repair.mutation.search import MutationProposer
from bot.repair.protection import BY_NAME, Protection, files_of_tests, protect
from bot.repair.types import Base, Baseline, SourceFile, Task
from sandbox.spec import Outcome, Recipe, TestResult

APP = b"def total(prices):\n    return sum(prices) - 1\n"
HELPERS = b"def agree(one, other):\n    assert one == other, 'differ'\n"
CHECK = b"from app import total\nfrom helpers import agree\n\n\ndef check_total():\n    agree(total([1]), 1)\n"
UNNAMED = {"app.py": APP, "unit_checks/helpers.py": HELPERS, "unit_checks/check_app.py": CHECK}
TARGET = "unit_checks/check_app.py::check_total"


class ReadingWorkspace(ScriptedWorkspace):
    """Finds every patch plausible, and keeps what was read."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(files, lambda _: {})
        self.reads: list[tuple[str, ...]] = []

    def read(self, base: Base, paths: tuple[str, ...]) -> tuple[SourceFile, ...]:
        self.reads.append(paths)
        return super().read(base, paths)


def baseline(*ids: str) -> Baseline:
    return Baseline(2, tuple(TestResult(node_id, Outcome.FAILED) for node_id in ids), (), (), (), 1.0)


def protection(files: Mapping[str, bytes], *ids: str, further: tuple[str, ...] = ()) -> Protection:
    return protect(ReadingWorkspace(files), BASE, tuple(sorted(files)), baseline(*ids), further)


def test_a_helper_beside_the_tests_is_protected_though_no_name_says_so() -> None:
    found = protection(UNNAMED, TARGET)
    assert "tests" in (found.fault("unit_checks/helpers.py") or "")
    assert found.fault("unit_checks/deeper/expected.json")
    assert found.is_source("app.py")


def test_the_mutation_search_never_touches_a_helper_of_the_tests() -> None:
    proposer = MutationProposer(ReadingWorkspace(UNNAMED))
    task, found = Task(BASE, "", "", (TARGET,)), baseline(TARGET)
    proposal = proposer.propose(task, found, ())[0].proposal
    assert proposal is not None
    assert proposal.patch.paths == ("app.py",)
    workspace = ReadingWorkspace(UNNAMED)
    known, guard = workspace.paths(BASE), protection(UNNAMED, TARGET)
    files = gather(workspace, BASE, known, found.failing, guard)
    assert {suspect.path for suspect in localise(found.failing, (), files, guard)} == {"app.py"}


@pytest.mark.parametrize(
    ("files", "node_id", "source"),
    [
        # Beside the tests, at the root.
        ({"app.py": APP, "check_app.py": b"import app\n"}, "check_app.py::c", "app.py"),
        # The tests of a directory are about that directory.
        ({"two/fer.py": APP, "two/checks.py": b"from fer import total\n"}, "two/checks.py::c", "two/fer.py"),
        # Other code imports from there.
        (
            {"main.py": b"import pkg.app\n", "core.py": b"", "pkg/app.py": APP, "pkg/checks.py": b"import core\n"},
            "pkg/checks.py::c",
            "pkg/app.py",
        ),
        # A test named after its neighbour, though it imports code from elsewhere and nobody imports the neighbour.
        (
            {"core.py": b"", "jobs/run.py": b"import core\n", "jobs/run_check.py": b"import core\nimport run\n"},
            "jobs/run_check.py::c",
            "jobs/run.py",
        ),
        # A src layout, and a package that ships its tests.
        ({"src/pkg/app.py": APP, "tests/test_app.py": b"import pkg.app\n"}, "tests/test_app.py::t", "src/pkg/app.py"),
        ({"pkg/app.py": APP, "pkg/tests/test_a.py": b"import pkg.app\n"}, "pkg/tests/test_a.py::t", "pkg/app.py"),
    ],
)
def test_the_code_under_test_stays_editable_where_it_stands(
    files: Mapping[str, bytes], node_id: str, source: str
) -> None:
    found = protection(files, node_id)
    assert found.is_source(source)
    assert found.fault(node_id.partition("::")[0])


def test_node_ids_are_relative_to_a_root_that_may_lie_below_the_tree() -> None:
    known = ("backend/checks/money.py", "backend/money.py", "checks.py")
    found = files_of_tests(baseline("checks/money.py::c"), known)
    assert set(known) & found == {"backend/checks/money.py"}


def test_nothing_is_read_where_names_say_it_all() -> None:
    workspace = ReadingWorkspace({"app.py": APP, "tests/test_app.py": b"", "test_b.py": b""})
    protect(workspace, BASE, workspace.paths(BASE), baseline("tests/test_app.py::t", "test_b.py::t"))
    assert not workspace.reads


def test_reading_is_bounded() -> None:
    files = {**UNNAMED, **{f"m{number}.py": b"" for number in range(2000)}}
    files |= {f"unit_checks/check_{number}.py": CHECK for number in range(2000)}
    workspace = ReadingWorkspace(files)
    ids = [f"{path}::c" for path in files if "check_" in path]
    protect(workspace, BASE, workspace.paths(BASE), baseline(*ids))
    assert sum(map(len, workspace.reads)) <= 400


@pytest.mark.parametrize(
    "path", ["requirements.txt", "requirements-dev.txt", "requirements/base.txt", "setup.py", "uv.lock", "Pipfile"]
)
def test_dependencies_stay_as_they_are(path: str) -> None:
    assert "the environment was built from them" in (BY_NAME.fault(path) or "")


def test_what_decided_the_environment_is_protected_under_any_name() -> None:
    base = Base("o/r", "c", Recipe("python", (), ("pytest",), "test", inputs=("deps/base.in",)))
    found = protect(ReadingWorkspace({}), base, (), baseline())
    assert "the environment was built from them" in (found.fault("deps/base.in") or "")


def test_source_that_only_told_the_build_its_version_stays_editable() -> None:
    """A build backend reads the package for its version: a fault in that file must not be out of reach."""
    inputs = ("pkg/__init__.py", "pkg/more.py", "README.md", "sub/setup.py")
    base = Base("o/r", "c", Recipe("python", (), ("pytest",), "test", inputs=inputs))
    found = protect(ReadingWorkspace({}), base, (), baseline())
    assert [path for path in inputs if found.fault(path)] == ["sub/setup.py"]


@pytest.mark.parametrize("path", ["app.py", "latest.py", "contest.py", "attestation/app.py", "docs/protests.md"])
def test_names_that_only_look_like_tests_are_free(path: str) -> None:
    assert BY_NAME.fault(path) is None


def test_a_policys_patterns_say_whose_they_are() -> None:
    assert "policy" in (protection({}, further=("secret/",)).fault("secret/x.py") or "")
