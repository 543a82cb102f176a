from collections.abc import Mapping

from bot.repair.localisation.localise import localise
from bot.repair.localisation.observed import Covered, Observation, Probe
from bot.repair.localisation.reading import gather
from bot.repair.types import Base, Patch, Screening, Selection, SourceFile
from sandbox.spec import Frame, Outcome, Recipe, TestResult, TestRun

BASE = Base("o/r", "c" * 40, Recipe("python", (), ("pytest",), "pyproject.toml"))

PRICES = """
from .rounding import to_cents

RATES = {"a": 3}


def net(items):
    return to_cents(sum(items))


def gross(items):
    return net(items) * 2


def unrelated(items):
    return items
"""
ROUNDING = "def to_cents(value):\n    return int(value) + 1\n"
TESTS = """
import pytest
from shop import prices
from shop.prices import unrelated


@pytest.fixture
def items():
    return [1, 2]


def test_gross(items):
    assert prices.gross(items) == 6


def test_unrelated(items):
    assert unrelated(items) == items


class TestNet:
    def setup_method(self):
        self.value = prices.net([1])

    def test_it(self):
        assert self.value == 1
"""
FILES = {
    "src/shop/__init__.py": b"",
    "src/shop/prices.py": PRICES.encode(),
    "src/shop/rounding.py": ROUNDING.encode(),
    "src/other/far.py": b"def gross(items):\n    return 0\n",
    "tests/conftest.py": b"def helper():\n    return 1\n",
    "tests/test_prices.py": TESTS.encode(),
    "README.md": b"read",
}


class ScriptedTree:
    """A workspace that only reads, and counts how often."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.reads: list[tuple[str, ...]] = []

    def paths(self, base: Base) -> tuple[str, ...]:
        del base
        return tuple(sorted(self.files))

    def read(self, base: Base, paths: tuple[str, ...]) -> tuple[SourceFile, ...]:
        del base
        self.reads.append(paths)
        return tuple(SourceFile(path, self.files[path]) for path in paths if path in self.files)

    def evaluate(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[TestRun, ...]:
        raise NotImplementedError

    def screen(self, base: Base, patches: tuple[Patch, ...], selection: Selection) -> tuple[Screening, ...]:
        raise NotImplementedError

    def coverage(self, base: Base, patch: Patch, selection: Selection) -> tuple[Covered, ...]:
        raise NotImplementedError

    def trace(self, base: Base, patch: Patch, node_id: str, probes: tuple[Probe, ...]) -> tuple[Observation, ...]:
        raise NotImplementedError


def sources(files: Mapping[str, bytes] = FILES) -> dict[str, SourceFile]:
    return {path: SourceFile(path, data) for path, data in files.items() if path.endswith(".py")}


def failed(node_id: str, *frames: Frame) -> TestResult:
    return TestResult(node_id, Outcome.FAILED, exception="AssertionError", frames=frames)


GROSS = failed("tests/test_prices.py::test_gross", Frame("tests/test_prices.py", 13, "test_gross"))


def test_a_crash_points_at_the_deepest_frame_that_is_no_test() -> None:
    crash = failed(
        "tests/test_prices.py::test_gross",
        Frame("tests/test_prices.py", 13, "test_gross"),
        Frame("src/shop/prices.py", 12, "gross"),
        Frame("src/shop/rounding.py", 2, "to_cents"),
    )
    first, second, *_ = localise([crash], (), sources())
    assert (first.path, first.qualified_name, first.source) == ("src/shop/rounding.py", "to_cents", "traceback")
    assert (second.qualified_name, second.start_line, second.end_line) == ("gross", 11, 12)


def test_a_wrong_value_points_at_what_the_test_names_and_what_that_calls() -> None:
    files = {path: file for path, file in sources().items() if "other" not in path}
    suspects = localise([GROSS], ("tests/test_prices.py::test_unrelated",), files)
    assert [suspect.qualified_name for suspect in suspects] == ["gross", "net", "to_cents", "<module>", "<module>"]
    assert [suspect.source for suspect in suspects[:2]] == ["named", "reached"]


def test_what_passing_tests_use_too_ranks_lower() -> None:
    both = "from shop.prices import gross, unrelated\ndef test_a():\n    assert unrelated(gross([]))\n"
    ok = "def test_b():\n    assert gross([]) == 0\n"
    files = sources({"tests/test_x.py": (both + ok).encode(), "src/shop/prices.py": PRICES.encode()})
    names = [
        found.qualified_name
        for found in localise([failed("tests/test_x.py::test_a")], ["tests/test_x.py::test_b"], files)
    ]
    assert names.index("unrelated") < names.index("gross")


def test_a_function_that_many_others_hide_is_a_suspect_still() -> None:
    many = "".join(f"def part{at}():\n    return {at}\n\n\n" for at in range(90))
    whole = "def whole():\n    return " + " + ".join(f"part{at}()" for at in range(90)) + "\n"
    test = "from m import *\nfrom n import basis\n\n\ndef test():\n    assert whole() and basis()\n"
    basis = "def basis():\n    return deeper()\n\n\ndef deeper():\n    return 1\n"
    files = {"m.py": many + whole, "n.py": basis, "test_m.py": test}
    suspects = localise([failed("test_m.py::test")], (), sources({path: text.encode() for path, text in files.items()}))
    assert {"whole", "basis", "deeper", "part0", "part89"} <= {suspect.qualified_name for suspect in suspects}
    many_more = [f"def f{at}():\n    return {at}\n" for at in range(900)]
    flood = {"m.py": "".join(many_more).encode(), "test_m.py": b"import m\n\n\ndef test():\n    assert m.f0()\n"}
    assert len(localise([failed("elsewhere.py::test")], (), sources(flood))) == 200


def test_what_a_test_class_sets_up_counts_for_its_tests() -> None:
    suspects = localise([failed("tests/test_prices.py::TestNet::test_it")], (), sources())
    assert suspects[0].qualified_name == "net"


def test_no_test_is_ever_a_suspect() -> None:
    assert all(suspect.path.startswith("src/") for suspect in localise([GROSS], (), sources()))


def test_without_any_evidence_every_function_is_a_suspect() -> None:
    files = sources({"solution.py": b"def f():\n    return 1\n", "tests.py": b"assert g() == 2\n"})
    assert [found.qualified_name for found in localise([failed("tests.py")], (), files)] == ["f", "<module>"]


def test_the_order_does_not_depend_on_the_order_of_the_files() -> None:
    backwards = dict(reversed(sources().items()))
    assert localise([GROSS], (), sources()) == localise([GROSS], (), backwards)


def test_files_are_found_through_imports_wherever_the_source_root_is() -> None:
    tree = ScriptedTree(FILES)
    found = gather(tree, BASE, tree.paths(BASE), [GROSS])
    assert {"tests/test_prices.py", "tests/conftest.py", "src/shop/prices.py", "src/shop/rounding.py"} <= set(found)
    assert not {"README.md", "src/other/far.py"} & set(found)
    assert len(tree.reads) <= 4


def test_tests_that_import_nothing_of_the_repository_leave_all_its_sources() -> None:
    tree = ScriptedTree({"tests.py": b"assert add(1, 2) == 3\n", "solution.py": b""})
    assert set(gather(tree, BASE, tree.paths(BASE), [failed("tests.py")])) == {"tests.py", "solution.py"}


def test_reading_is_bounded_in_files_and_bytes() -> None:
    imports = "".join(f"import m{number}\n" for number in range(100))
    files = {"test_a.py": imports.encode(), **{f"m{number}.py": b"x = 1\n" * 2000 for number in range(100)}}
    found = gather(ScriptedTree(files), BASE, tuple(sorted(files)), [failed("test_a.py::test_a")])
    assert len(found) <= 40
    assert sum(len(file.data) for file in found.values()) <= 200_000


def test_what_is_imported_under_another_name_is_reached_all_the_same() -> None:
    files = {
        "m.py": SourceFile("m.py", b"def _translated(text):\n    return text\n"),
        "n.py": SourceFile("n.py", b"from m import _translated as _\n\n\ndef greet():\n    return _('hi')\n"),
        "test_n.py": SourceFile("test_n.py", b"from n import greet as g\n\n\ndef test():\n    assert g()\n"),
    }
    suspects = localise([failed("test_n.py::test")], (), files)
    assert [found.qualified_name for found in suspects[:2]] == ["greet", "_translated"]
