"""What is on a line of the log: whose job it is about, in whatever thread, and no secret, whoever wrote it."""

import json
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import structlog
from pydantic import SecretStr

from bot import log

Lines = Callable[[], list[dict[str, Any]]]
SECRET = "a-secret-of-more-than-sixteen-characters"


@pytest.fixture
def counted() -> list[str]:
    return []


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str], counted: list[str]) -> Iterator[Lines]:
    """Reads what was printed since it was read last; everything is put back afterwards."""
    handlers = logging.getLogger().handlers[:]
    log.configure("info", log.redactor([SecretStr(SECRET)]), counted.append)
    yield lambda: [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    logging.getLogger().handlers = handlers
    structlog.reset_defaults()


def test_every_line_of_a_job_names_its_run_and_delivery_in_other_threads_too(lines: Lines) -> None:
    logger = structlog.get_logger()

    def work(number: int) -> None:
        logger.info("worked", number=number)

    with log.about("o/r:issue-1:d1", "d1"), ThreadPoolExecutor(3) as pool:
        logger.info("began")
        list(pool.map(log.carried(work), range(6)))
    logger.info("another")
    *job, after = lines()
    assert {(line["run"], line["delivery"]) for line in job} == {("o/r:issue-1:d1", "d1")}
    assert len(job) == 7
    assert "run" not in after


def test_the_parts_of_a_line_come_in_one_order_whatever_was_bound_first(lines: Lines) -> None:
    for bound in ({"run": "o/r:issue-1:d1", "delivery": "d1"}, {"delivery": "d1", "run": "o/r:issue-1:d1"}):
        with structlog.contextvars.bound_contextvars(**bound):
            structlog.get_logger().info("worked", start=1, attempt=2)
    logging.getLogger("library").warning("worked as well")
    *ours, theirs = [list(line) for line in lines()]
    assert ours == [["timestamp", "level", "event", "attempt", "delivery", "run", "start"]] * 2
    assert theirs == ["timestamp", "level", "event", "logger"]


def test_two_jobs_at_once_do_not_take_each_other_s_ids(lines: Lines) -> None:
    logger = structlog.get_logger()

    def job(number: int) -> None:
        with log.about(f"run-{number}", f"d{number}"), ThreadPoolExecutor(2) as pool:
            list(pool.map(log.carried(lambda _: logger.info("worked", number=number)), range(4)))

    with ThreadPoolExecutor(4) as jobs:
        list(jobs.map(job, range(4)))
    found = lines()
    assert len(found) == 16
    assert all(line["run"] == f"run-{line['number']}" for line in found)


def test_a_run_has_one_name_on_all_lines(lines: Lines) -> None:
    with log.about("run-1", "d1"):
        structlog.get_logger().info("not_killed", job="run-2")
        structlog.get_logger().info("delivery_ignored", job=None)
    assert [(line["run"], "job" in line) for line in lines()] == [("run-2", False), ("run-1", False)]


def test_what_libraries_warn_of_is_a_line_like_ours_and_redacted(lines: Lines) -> None:
    logging.getLogger("a.library").warning("could not reach http://u:%s@db", SECRET)
    logging.getLogger("a.library").info("chatter")
    log.configure("info", log.redactor([SecretStr(SECRET)]))
    logging.getLogger("a.library").error("again")
    first, second = lines()
    assert (first["level"], first["logger"]) == ("warning", "a.library")
    assert first["event"].startswith("could not reach")
    assert SECRET not in first["event"]
    assert second["event"] == "again"


def test_lines_are_counted_by_level(lines: Lines, counted: list[str]) -> None:
    structlog.get_logger().error("broken")
    structlog.get_logger().debug("too fine")
    assert counted == ["error"]
    assert [line["event"] for line in lines()] == ["broken"]
