import json
import tracemalloc

import pytest

from sandbox.results import ecosystems, records
from sandbox.spec import Frame, Outcome, Recipe, RunResult, RunState, TestRun, Verdict

NONCE = "ab12"
RECIPE = Recipe("junit", (), ("make", "check"), "test", junit="out/*.xml")
GREEN = '<testcase classname="a.B" name="one" time="0.5"/>'
RED = (
    '<testcase file="a.py" line="7" classname="B" name="two">'
    '<failure type="E" message="m">deep\nmore</failure></testcase>'
)


def suite(*cases: str) -> bytes:
    return f"<testsuites><testsuite name='s'>{''.join(cases)}</testsuite></testsuites>".encode()


def parsed(*files: bytes, code: int | None = 0, index: object = None, verdict: Verdict = Verdict.EXITED) -> TestRun:
    told = {"files": [f"{number}.xml" for number in range(len(files))], "exit": code} if index is None else index
    results = {f"{NONCE}-{number}.xml": data for number, data in enumerate(files)}
    results[f"{NONCE}.json"] = json.dumps(told).encode()
    return ecosystems.parse(RECIPE, RunResult(verdict, code, b"log", output_truncated=False, results=results), NONCE)


def test_tells_outcomes_names_and_places() -> None:
    cases = (
        GREEN,
        RED,
        '<testcase name="three"><skipped message="later"/></testcase>',
        '<testcase name="four"><error>boom</error><system-out>x</system-out></testcase>',
        '<testcase name="five"><system-out>&lt;failure/&gt;</system-out></testcase>',
    )
    run = parsed(suite(*cases), code=1)
    assert run.state is RunState.COMPLETE
    assert run.outcomes == {
        "a.B::one": Outcome.PASSED,
        "a.py::B::two": Outcome.FAILED,
        "three": Outcome.SKIPPED,
        "four": Outcome.ERROR,
        "five": Outcome.PASSED,
    }
    failed = run.results[1]
    assert (failed.exception, failed.message, failed.frames) == ("E", "m\ndeep\nmore", (Frame("a.py", 7, "two"),))
    assert run.results[0].seconds == 0.5


def test_names_that_come_again_are_numbered_over_all_files_in_order() -> None:
    run = parsed(suite(GREEN, GREEN), suite(GREEN))
    assert list(run.outcomes) == ["a.B::one", "a.B::one #2", "a.B::one #3"]
    again = parsed(suite(GREEN, GREEN, '<testcase classname="a.B" name="one #2"/>'))
    assert list(again.outcomes) == ["a.B::one", "a.B::one #2", "a.B::one \\#2"]


@pytest.mark.parametrize(
    ("cases", "code", "state"),
    [
        ((GREEN,), 0, RunState.COMPLETE),
        ((GREEN,), 1, RunState.INCONSISTENT),
        ((GREEN,), 137, RunState.INCONSISTENT),
        ((GREEN,), None, RunState.INCONSISTENT),
        ((GREEN, RED), 0, RunState.INCONSISTENT),
        ((GREEN, RED), 7, RunState.COMPLETE),
        ((), 0, RunState.NO_TESTS),
        ((), 1, RunState.NO_TESTS),
    ],
)
def test_files_are_believed_only_with_the_exit_code(cases: tuple[str, ...], code: int | None, state: RunState) -> None:
    assert parsed(suite(*cases), code=code).state is state


def test_without_a_file_there_are_no_results() -> None:
    assert parsed(code=0).state is RunState.NO_RESULTS
    empty = RunResult(Verdict.EXITED, 0, b"", output_truncated=False, results={"forged.xml": suite(GREEN)})
    assert ecosystems.parse(RECIPE, empty, NONCE).state is RunState.NO_RESULTS


@pytest.mark.parametrize("verdict", [Verdict.TIMEOUT, Verdict.OOM, Verdict.OUTPUT_LIMIT, Verdict.RESULT_LIMIT])
def test_a_killed_container_is_never_a_pass(verdict: Verdict) -> None:
    assert parsed(suite(GREEN), verdict=verdict).state is not RunState.COMPLETE


LOLS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no xml",
        suite(GREEN)[:-3],
        suite(GREEN) * 2,
        b"<!DOCTYPE testsuites>" + suite(GREEN),
        f'<!DOCTYPE x [<!ENTITY l0 "lol">{LOLS}]><testsuite><testcase name="&l9;"/></testsuite>'.encode(),
        b'<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&f;"/></testsuite>',
        b'<testsuite><testcase name="&undefined;"/></testsuite>',
        b"<a>" * 40 + b"</a>" * 40,
        b"<testsuite><testcase/></testsuite>",
        suite(*["<properties><property/></properties>" * 1000] * 300),
        suite(*['<testcase name="a"/>'] * (records.MAX_RECORDS + 1)),
        b" " * (records.MAX_BYTES + 1),
    ],
)
def test_what_is_no_plain_xml_or_too_much_of_it_is_inconsistent(data: bytes) -> None:
    assert parsed(data).state is RunState.INCONSISTENT


@pytest.mark.parametrize(
    "index",
    [
        [],
        {},
        {"files": ["a.xml"]},
        {"files": ["a.xml"], "exit": 1},
        {"files": ["a.xml", "b.xml"], "exit": 0},
        {"files": ["a.xml"] * 600, "exit": 0},
        {"files": 1, "exit": 0},
    ],
)
def test_an_index_that_does_not_add_up_is_inconsistent(index: object) -> None:
    assert parsed(suite(GREEN), index=index).state is RunState.INCONSISTENT


@pytest.mark.parametrize(
    "encoding", ["hex", "rot13", "zip", "idna", "utf-7", "unknown", "undefined", "utf-8-sig", "big5"]
)
def test_an_encoding_that_no_report_needs_is_never_looked_up(encoding: str) -> None:
    data = f'<?xml version="1.0" encoding="{encoding}"?><t><testcase name="a"/></t>'.encode()
    assert parsed(data).state is RunState.INCONSISTENT


@pytest.mark.parametrize("encoding", ["UTF-8", "utf-16", "ISO-8859-1", "US-ASCII"])
def test_the_encodings_that_reports_come_in_are_read(encoding: str) -> None:
    data = f'<?xml version="1.0" encoding="{encoding}"?><t><testcase name="a"/></t>'.encode(encoding)
    assert parsed(data).state is RunState.COMPLETE


@pytest.mark.parametrize("time", ["", "fast", "-1", "nan", "inf", "1" * 500, "1e400"])
def test_a_time_that_is_no_duration_counts_as_none(time: str) -> None:
    run = parsed(suite(f'<testcase name="a" time="{time}"/>'))
    assert (run.state, run.results[0].seconds) == (RunState.COMPLETE, 0.0)
    assert parsed(suite('<testcase name="a" time="1,234.5"/>')).results[0].seconds == 1234.5


def test_long_texts_are_cut_and_take_little_memory() -> None:
    data = suite(f'<testcase name="a"><failure message="{"x" * 200_000}">{"y" * 6_000_000}</failure></testcase>')
    tracemalloc.start()
    try:
        run = parsed(data, code=1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (run.state, len(run.results[0].message)) == (RunState.COMPLETE, records.MAX_TEXT)
    assert peak < 3 * records.MAX_BYTES


def test_the_command_runs_below_the_collector_with_its_packages_linked_for_node() -> None:
    plan = ecosystems.plan(RECIPE, ("a",), NONCE)
    assert plan.command == ("python3", "-I", "/regreen/ab12/junit_collect.py", "out/*.xml", "make", "check")
    node = ecosystems.plan(Recipe("junit", (), ("npx", "ava"), "t", toolchain="node", junit="o.xml"), (), NONCE)
    assert node.command[4:] == ("python3", "-I", "/regreen/ab12/node_run.py", "--plain", "npx", "ava")
    assert set(node.tree) == {"ab12/junit_collect.py", "ab12/node_run.py"}
