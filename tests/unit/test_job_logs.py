"""Which tests job logs name, as the runners print them under GitHub's time stamps."""

import time

import pytest

from bot.pipeline import job_logs, targets

STAMP = "2026-11-30T10:00:00.0000000Z "
ID = "tests/test_cart.py::TestCart::test_total[a b]"
PYTEST = {
    "the short summary": f"FAILED {ID} - assert 1 == 2",
    "an error in a fixture": f"ERROR {ID} - RuntimeError: no",
    "in colours": "\x1b[31mFAILED\x1b[0m tests/test_cart.py::\x1b[1mTestCart::test_total[a b]\x1b[0m - assert 1",
    "of xdist": f"[gw3] [ 50%] FAILED {ID} ",
    "with -v": f"{ID} FAILED                 [ 50%]",
    "on Windows": f"FAILED {ID.replace('/', chr(92))} - assert 1 == 2",
    "from a directory below": f"FAILED {ID.removeprefix('tests/')} - assert 1 == 2",
    "from a directory above": f"FAILED project/{ID} - assert 1 == 2",
}


@pytest.mark.parametrize("line", PYTEST)
def test_an_id_of_pytest_is_found_in(line: str) -> None:
    others = ("other/test_cart.py::TestCart::test_more", "tests/test_cart.py::TestCart::test_total[a")
    assert targets.for_check((ID, "tests/test_b.py::test_x"), (STAMP + PYTEST[line],), others) == (ID,)


def test_an_id_that_is_there_as_it_stands_is_no_part_of_another() -> None:
    log = "FAILED test_a.py::test_x - no"
    assert targets.for_check(("test_a.py::test_x", "sub/test_a.py::test_x"), (log,)) == ("test_a.py::test_x",)
    assert targets.for_check(("sub/test_a.py::test_x",), (log,), ("test_a.py::test_x",)) == ()
    assert targets.for_check(("a/test_a.py::test_x", "b/my_test_a.py::test_x"), (log,)) == ("a/test_a.py::test_x",)


@pytest.mark.parametrize("line", ["test core::math ... FAILED", "level::debug ERROR in the middle", "ERROR: a::b"])
def test_what_merely_looks_like_an_id_names_nothing(line: str) -> None:
    assert targets.named_in_logs((STAMP + line,)) == frozenset()


OTHERS = {
    "--- FAIL: TestTotal (0.00s)": "TestTotal",
    "    --- FAIL: TestTotal/empty_cart (0.00s)": "TestTotal/empty_cart",
    "--- FAIL: FuzzTotal (0.10s)": "FuzzTotal",
    "=== FAIL: example.test/shop/cart TestTotal/empty_cart (0.00s)": "TestTotal/empty_cart",
    '{"Time":"2026","Action":"fail","Package":"example.test/shop","Test":"TestTotal","Elapsed":0}': "TestTotal",
    "FAIL: test_total (tests.test_cart.CartTest.test_total)": "CartTest::test_total",
    "ERROR: test_total (tests.test_cart.CartTest)": "CartTest::test_total",
    "FAIL: test_total (tests.test_cart.CartTest.test_total) (price=3)": "CartTest::test_total",
    "FAIL: test_total (tests.test_cart.CartTest.test_total) [message] (price=3)": "CartTest::test_total",
    "  ● Cart \u203a sums \u203a adds up": "Cart > sums > adds up",
    "\x1b[1m\x1b[31m  \x1b[1m● \x1b[22m\x1b[1mCart \u203a adds up\x1b[39m\x1b[22m": "Cart > adds up",
    " FAIL  src/cart.test.ts > Cart > adds up": "Cart > adds up",
    " FAIL  |unit| src/cart.test.ts > Cart > adds up": "Cart > adds up",
    "\x1b[41m\x1b[1m FAIL \x1b[22m\x1b[49m \x1b[30m\x1b[46m unit \x1b[49m\x1b[39m src/cart.test.ts\x1b[2m > \x1b[22m"
    "Cart\x1b[2m > \x1b[22madds up": "Cart > adds up",
}


@pytest.mark.parametrize("line", OTHERS)
def test_a_name_of_another_runner_is_read(line: str) -> None:
    assert job_logs.names((f"{STAMP}{line}\r\n{STAMP}next",)) == {OTHERS[line]}


@pytest.mark.parametrize(
    "line",
    [
        "FAIL\texample.test/shop\t0.002s",
        "FAIL src/cart.test.js",
        "--- PASS: TestTotal (0.00s)",
        '{"Action":"pass","Test":"TestTotal"}',
        '{"Action":"fail","Package":"example.test/shop"}',
        "ERROR: failed to build (see above)",
    ],
)
def test_a_line_that_names_no_failed_test_is_none(line: str) -> None:
    assert job_logs.names((STAMP + line,)) == frozenset()


def test_hostile_lines_take_no_longer_than_others() -> None:
    def seconds(line: str) -> float:
        started = time.process_time()
        targets.for_check(("a.py::b",), (line * (1_000_000 // len(line)),))
        return time.process_time() - started

    hostile = ['{"Action":"fail"' * 60 + "\n", " FAIL  " + "> " * 480 + "\n", "FAILED a.py::b" + " x" * 480 + "\n"]
    plain = seconds("=== FAIL: example.test/shop/cart TestTotal/empty_cart (0.00s)\n")
    assert max(seconds(line) for line in hostile) < 60 * max(plain, 0.01)
