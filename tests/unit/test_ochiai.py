from math import isclose, sqrt

from bot.repair.localisation.localise import localise
from bot.repair.localisation.observed import Covered
from bot.repair.localisation.ochiai import ochiai
from bot.repair.types import SourceFile
from sandbox.spec import Outcome, TestResult

CODE = b"""import functools


def shared(x):
    return x


def fault(x):
    return shared(x)


@functools.cache
def other(x):
    return shared(x)


def uncalled(x):
    return x
"""
TESTS = b"""from code_ import fault, other, uncalled


def test_red():
    run(fault, uncalled)


def test_green():
    run(other)
"""
FILES = {"code_.py": SourceFile("code_.py", CODE), "test_c.py": SourceFile("test_c.py", TESTS)}
RED, GREEN = "test_c.py::test_red", "test_c.py::test_green"
FAILING = [TestResult(RED, Outcome.FAILED)]
COVERED = (
    Covered(RED, (("code_.py", 4), ("code_.py", 8), ("test_c.py", 4))),
    Covered(GREEN, (("code_.py", 4), ("code_.py", 12))),
)


def test_the_coefficient_is_as_published() -> None:
    seen = [Covered("r1", (("a", 1), ("a", 2))), Covered("r2", (("a", 1),)), Covered("g", (("a", 1), ("a", 3)))]
    found = ochiai({"r1", "r2", "unseen"}, seen)
    assert found.keys() == {("a", 1), ("a", 2)}
    assert isclose(found["a", 1], 2 / sqrt(2 * 3))
    assert isclose(found["a", 2], 1 / sqrt(2 * 1))


def test_without_a_failing_test_among_those_observed_there_is_no_suspicion() -> None:
    assert ochiai({"r"}, [Covered("g", (("a", 1),))]) == {}
    assert ochiai({"r"}, ()) == {}


def test_what_only_the_failing_test_calls_comes_first_and_what_it_never_called_last() -> None:
    suspects = localise(FAILING, (GREEN,), FILES, covered=COVERED)
    order = [found.qualified_name for found in suspects]
    assert order.index("fault") < order.index("shared") < order.index("uncalled")
    assert "other" not in order
    assert {found.qualified_name: found.source for found in suspects}["shared"] in {"called", "reached"}


def test_a_function_is_found_by_its_first_decorators_line() -> None:
    suspects = localise(FAILING, (), FILES, covered=(Covered(RED, (("code_.py", 12),)),))
    assert (suspects[0].qualified_name, suspects[0].start_line) == ("other", 12)


def test_observations_that_name_what_is_not_there_change_nothing() -> None:
    odd = (Covered(RED, (("nowhere.py", 1), ("code_.py", 9_999), ("code_.py", 1))),)
    assert localise(FAILING, (GREEN,), FILES, covered=odd) == localise(FAILING, (GREEN,), FILES)
