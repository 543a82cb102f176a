"""What the port `Checks` tells over REST, against the stand-in."""

import pytest
from github_worlds import BOT, Keys, StandInWorld

from bot.adapters.github import RestChecks
from bot.demo.faults import Fault
from bot.demo.stand_in import StandIn
from bot.errors import NotFoundError
from bot.pipeline.intake.settle import Settled, Wait, settle
from bot.pipeline.ports.checks import CommitChecks, Suggestion
from bot.pipeline.ports.github import CheckReport, CheckState, FailedJob, NewPullRequest
from sandbox.spec import File

MARK = "<!-- regreen:lines=pull-1 -->"
FAILED = "FAILED tests/test_a.py::test_x - assert 1 == 2"


@pytest.fixture
def world(stand_in: StandIn, keys: Keys) -> StandInWorld:
    return StandInWorld(stand_in, keys)


@pytest.fixture
def checks(world: StandInWorld) -> RestChecks:
    return RestChecks(world.tokens, world.installation, world.full_name, bot_login=BOT, pace=world.pace)


def now(world: StandInWorld) -> float:
    return world.state.now().timestamp()


def test_a_commit_settles_once_every_suite_run_and_status_has_ended(world: StandInWorld, checks: RestChecks) -> None:
    sha = world.push("main", {"a": File(b"1")})
    assert settle(checks.of_commit(sha), now(world)) == Settled()
    state, name = world.state, world.full_name
    state.complete_suite(name, sha, "failure", [("lint", "failure", "bad")], source="lint")
    state.begin_suite(name, sha, ["test"], source="tests")
    working = settle(checks.of_commit(sha), now(world))
    assert isinstance(working, Wait)
    assert working.for_what == "a check suite of github-actions"
    state.complete_suite(name, sha, "success", [("test", "success", "")], source="tests")
    state.status(name, sha, "ci/old", "pending")
    waiting = settle(checks.of_commit(sha), now(world))
    assert isinstance(waiting, Wait)
    assert waiting.for_what == "the status ci/old"
    state.status(name, sha, "ci/old", "failure")
    found = checks.of_commit(sha)
    assert settle(found, now(world)) == Settled()
    assert [suite.conclusion for suite in found.suites if suite.red] == ["failure"]
    assert [status.context for status in found.red_statuses] == ["ci/old"]
    assert sorted(run.name for run in found.runs) == ["lint", "tests"]


def test_our_own_check_run_is_no_news_of_a_commit(world: StandInWorld, checks: RestChecks) -> None:
    sha = world.push("main", {"a": File(b"1")})
    world.github.put_check(CheckReport(sha, "check-main", CheckState.IN_PROGRESS, "Working on it", "text"))
    assert checks.of_commit(sha) == CommitChecks()


def test_an_apps_suite_that_never_runs_anything_is_not_waited_for(world: StandInWorld, checks: RestChecks) -> None:
    sha = world.push("main", {"a": File(b"1")})
    suite = world.state.begin_suite(world.full_name, sha, source="app:sleepy")
    suite.status = "queued"
    (found,) = checks.of_commit(sha).suites
    assert (found.app, found.status, found.runs) == ("sleepy", "queued", 0)
    assert settle(checks.of_commit(sha), now(world)) == Settled()


def test_what_the_app_may_not_read_counts_as_not_there(world: StandInWorld, checks: RestChecks) -> None:
    sha = world.push("main", {"a": File(b"1")})
    world.state.status(world.full_name, sha, "ci/old", "pending")
    granted = world.state.installations[world.installation].permissions
    level = granted.pop("statuses")
    try:
        assert checks.of_commit(sha).statuses == ()
    finally:
        granted["statuses"] = level
    assert len(checks.of_commit(sha).statuses) == 1


def test_a_pull_request_is_told_as_it_is_now(world: StandInWorld, checks: RestChecks) -> None:
    base = world.push("main", {"a": File(b"1")})
    head = world.push("topic/x", {"b": File(b"1")})
    number = world.open_pull(NewPullRequest("topic/x", "main", "t", "b", draft=False), by="mona")
    found = checks.pull_request(number)
    assert (found.head_branch, found.head_sha) == ("topic/x", head)
    assert (found.base_branch, found.base_sha) == ("main", base)
    pull = world.repository.issues[number].pull
    assert pull
    gone_on, pull.base_sha = world.push("main", {"a": File(b"2")}), base
    assert checks.pull_request(number).base_sha == gone_on
    assert (found.fork, found.is_open, found.author) == (False, True, "mona")
    world.close(number)
    assert not checks.pull_request(number).is_open
    with pytest.raises(NotFoundError):
        checks.pull_request(999)


def test_how_far_a_branch_went_and_how_far_its_base_did(world: StandInWorld, checks: RestChecks) -> None:
    began = world.push("main", {"a": File(b"1")})
    head = world.push("topic/x", {"b": File(b"1")})
    for number in range(2):
        world.push("main", {"c": File(b"%d" % number)})
    found = checks.distance("main", head)
    assert (found.ahead, found.behind, found.parted) == (1, 2, began)


@pytest.mark.parametrize("status", [404, 410])
def test_a_log_that_is_gone_is_looked_for_in_the_archive_of_its_run(world: StandInWorld, status: int) -> None:
    sha = world.push("main", {"a": File(b"1")})
    jobs = (FailedJob("lint", "failure", "bad"), FailedJob("test (3.11)", "failure", FAILED))
    suite = world.suite(sha, jobs)
    world.state.inject(Fault("GET", f"{world.full_name}/actions/jobs/", status=status, times=2))
    found = {job.name: job.log for job in world.github.failed_jobs(suite)}
    assert found["test (3.11)"].rstrip().endswith(FAILED)
    assert FAILED not in found["lint"]


def test_a_check_of_another_service_is_read_from_what_it_shows(world: StandInWorld) -> None:
    sha = world.push("main", {"a": File(b"1")})
    suite = world.state.complete_suite(
        world.full_name, sha, "failure", [("build", "failure", None)], source="app:otherci"
    )
    run = next(one for one in world.repository.runs.values() if one.suite == suite.id)
    run.output = {"title": "1 failed", "summary": FAILED, "text": None}
    (found,) = world.github.failed_jobs(suite.id)
    assert FAILED in found.log
    assert BOT not in found.log


def suggested(world: StandInWorld, checks: RestChecks, line: int) -> tuple[str, str]:
    """A pull request that changes the second of ten lines, and what became of a suggestion on another."""
    lines = [f"{number}\n".encode() for number in range(1, 11)]
    world.push("main", {"a.py": File(b"".join(lines))})
    head = world.push("topic/x", {"a.py": File(b"".join([lines[0], b"two\n", *lines[2:]]))})
    number = world.open_pull(NewPullRequest("topic/x", "main", "t", "b", draft=False), by="mona")
    one = Suggestion("a.py", line, line, ("```", "x  "))
    several = Suggestion("a.py", 2, 3, ("2", "3"))
    addresses = {checks.suggest(number, head, MARK, (one, several)) for _ in range(2)}
    assert len(addresses) == 1
    pull = world.repository.issues[number].pull
    assert pull
    assert all(review.state == "COMMENTED" for review in pull.reviews)
    assert len(pull.reviews) <= 1
    return addresses.pop(), "\n--\n".join(remark.body for remark in pull.remarks)


def test_suggestions_are_one_review_however_often_they_are_made(world: StandInWorld, checks: RestChecks) -> None:
    address, said = suggested(world, checks, 4)
    assert "pullrequestreview" in address
    assert said == "````suggestion\n```\nx  \n````\n--\n```suggestion\n2\n3\n```"


def test_suggestions_outside_of_the_diff_are_not_taken_and_leave_nothing(
    world: StandInWorld, checks: RestChecks
) -> None:
    assert suggested(world, checks, 9) == ("", "")


def test_a_review_of_somebody_elses_with_our_marker_is_not_taken_for_ours(
    world: StandInWorld, checks: RestChecks
) -> None:
    world.push("main", {"a.py": File(b"1\n")})
    head = world.push("topic/x", {"a.py": File(b"2\n")})
    number = world.open_pull(NewPullRequest("topic/x", "main", "t", "b", draft=False), by="mona")
    world.state.add_user("mallory")
    world.state.review(world.full_name, number, "COMMENT", f"{MARK}\nmine", by="mallory")
    assert checks.suggest(number, head, MARK, (Suggestion("a.py", 1, 1, ("3",)),))
    pull = world.repository.issues[number].pull
    assert pull
    assert [review.author.login for review in pull.reviews] == ["mallory", BOT]
