import pytest

from bot.repair.integrity.suspect import suspicions
from sandbox.spec import Frame, Outcome, TestResult

TWO_SUM = "def two_sum(nums, target):\n    return []\n"
TWO_SUM_TESTS = """
import unittest
class TwoSumTest(unittest.TestCase):
    def test_first_pair(self):
        self.assertEqual([0, 1], sorted(two_sum([2, 7, 11, 15], 9)))
    def test_middle(self):
        self.assertEqual([1, 2], sorted(two_sum([3, 2, 4], 6)))
    def test_larger(self):
        self.assertEqual(EXPECTED, sorted(two_sum([1, 5, 3, 8, 2], 10)))
"""


def red(*names: str) -> tuple[TestResult, ...]:
    return tuple(TestResult(f"test_solution.py::Case::{name}", Outcome.FAILED) for name in names)


def plain(solution: str, *assertions: str, failing: int = -1) -> tuple[str, ...]:
    """Suspicions about the last of several one-line tests."""
    tests = "\n".join(f"def test_{number}():\n    assert {text}" for number, text in enumerate(assertions))
    return suspicions(tests, solution, red(f"test_{failing % len(assertions)}"))


def test_positions_that_do_not_add_up_point_at_the_test() -> None:
    found = suspicions(TWO_SUM_TESTS.replace("EXPECTED", "[2, 3]"), TWO_SUM, red("test_larger"))

    assert found == ("test_larger may itself be wrong: nums[2] + nums[3] is 11, not 10",)


def test_a_test_that_agrees_with_the_others_is_not_suspected() -> None:
    assert suspicions(TWO_SUM_TESTS.replace("EXPECTED", "[3, 4]"), TWO_SUM, red("test_larger")) == ()


def test_a_passing_test_is_not_suspected() -> None:
    assert suspicions(TWO_SUM_TESTS.replace("EXPECTED", "[2, 3]"), TWO_SUM, red("test_middle")) == ()


def test_a_position_outside_the_sequence_is_named() -> None:
    found = suspicions(TWO_SUM_TESTS.replace("EXPECTED", "[3, 9]"), TWO_SUM, red("test_larger"))

    assert found == ("test_larger may itself be wrong: nums has no position 9",)


@pytest.mark.parametrize(
    ("signature", "assertions", "text"),
    [
        ("f(a, b)", ("f(2, 3) == 5", "f(-1, 1) == 0", "f(4, 4) == 9"), "a + b is 8, not 9"),
        ("f(a, b)", ("f(2, 3) == -1", "f(5, 1) == 4", "f(4, b=4) == 1"), "a - b is 0, not 1"),
        ("f(a, b)", ("f(2, 3) == 6", "f(5, 1) == 5", "10 == f(4, 4)"), "a * b is 16, not 10"),
        ("f(xs)", ("f([3, 9, 1]) == 9", "f([4, 2]) == 4", "f([7, 5, 8]) == 7"), "max(xs) is 8, not 7"),
        ("f(xs)", ("f([3, 9, 1]) == 3", "f([4, 2]) == 2", "f('ab') == 3"), "len(xs) is 2, not 3"),
        ("f(xs)", ("f([2, 1]) == [1, 2]", "f([5, 3]) == [3, 5]", "f([9, 8]) == [9, 8]"), "sorted(xs) is [8, 9], not"),
        ("f(xs)", ("f([2]) == [1]", "f([5, 3]) == [4, 4]", "f([0, 1]) == [1, 3]", "f([9]) == [1, 2]"), "len(xs) is 1"),
    ],
)  # fmt: skip
def test_each_relation_of_the_grammar_can_point_at_a_test(
    signature: str, assertions: tuple[str, ...], text: str
) -> None:
    (found,) = plain(f"def {signature}: ...", *assertions)

    assert found.startswith(f"test_{len(assertions) - 1} may itself be wrong: {text}")


def test_one_other_example_is_not_enough() -> None:
    assert plain("def f(a, b): ...", "f(2, 3) == 5", "f(4, 4) == 9") == ()


def test_a_relation_that_fits_every_example_clears_the_test() -> None:
    """Two twos are four either way: the third example tells + from *, and is right."""
    assert plain("def f(a, b): ...", "f(2, 2) == 4", "f(0, 0) == 0", "f(3, 3) == 6") == ()


def test_rounding_is_no_contradiction() -> None:
    assert plain("def f(a, b): ...", "f(2, 3) == 5", "f(1, 1) == 2", "f(0.1, 0.2) == 0.3") == ()


def test_a_function_that_drops_members_is_not_suspected_on_two_examples() -> None:
    assert plain("def f(xs): ...", "f([1]) == [1]", "f([2, 3]) == [2, 3]", "f([1, None]) == [1]") == ()


@pytest.mark.parametrize(
    "assertion",
    ["f(x, 1) == 2", "f(2, 3) == g()", "len(f(1, 2)) == 9", "h(1, 2) == 4", "f(*[1, 2]) == 4", "f(1, 2) != 4", "f()"],
)
def test_what_is_no_literal_example_is_left_alone(assertion: str) -> None:
    assert plain("def f(a, b): ...", "f(2, 3) == 5", "f(-1, 1) == 0", assertion) == ()


def test_in_a_script_the_frames_name_the_failing_function() -> None:
    tests = "def test_a():\n    assert f(1, 2) == 3\n    assert f(2, 2) == 4\ndef test_b():\n    assert f(5, 5) == 11\n"
    failed = TestResult("tests.py", Outcome.FAILED, frames=(Frame("tests.py", 5, "test_b"),))

    assert suspicions(tests, "def f(a, b): ...", (failed,)) == ("test_b may itself be wrong: a + b is 10, not 11",)


@pytest.mark.parametrize(("tests", "solution"), [("def (", "def f(a): ..."), ("", ""), ("x = 1", "def (")])
def test_sources_that_do_not_parse_raise_nothing(tests: str, solution: str) -> None:
    assert suspicions(tests, solution, red("test_a")) == ()


def test_absurd_values_cost_nothing() -> None:
    huge = "9" * 4000
    assert plain("def f(a, b): ...", f"f({huge}, {huge}) == 1", "f(1e308, 1e308) == 2", f"f(1, 2) == {huge}") == ()
