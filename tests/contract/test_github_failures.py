"""What the REST adapter does when GitHub fails, against the stand-in: nothing twice, errors in words."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from github_worlds import BOT, Keys, StandInWorld
from pydantic import SecretStr

from bot.adapters.github import InstallationTokens, Pace, RestGitHub
from bot.adapters.github.downloads import Caps, download
from bot.demo.faults import Effect, Fault
from bot.demo.stand_in import StandIn
from bot.errors import ConfigurationError, ForbiddenError, GitHubError, GitHubUnavailableError, NotFoundError
from bot.pipeline.ports.github import CheckReport, CheckState, FailedJob, NewCommit, NewPullRequest
from bot.repair.types import FileChange, Patch
from sandbox.spec import File

MARK = "<!-- regreen:subject=issue-1 -->"
CONTENTS = (("contents", "read"),)
Write = Callable[[StandInWorld], object]


@pytest.fixture
def world(stand_in: StandIn, keys: Keys) -> Iterator[StandInWorld]:
    made = StandInWorld(stand_in, keys)
    made.open_issue()
    made.push("fix", {"a": File(b"1")})
    yield made
    stand_in.state.faults.clear()


def comment(world: StandInWorld) -> object:
    return world.github.put_comment(1, MARK, MARK)


def pull(world: StandInWorld) -> object:
    return world.github.open_pull_request(NewPullRequest("fix", "main", "Fix", MARK, draft=False), MARK)


def commit(world: StandInWorld) -> object:
    head = world.github.branch_head("main") or ""
    return world.github.commit(NewCommit("made", head, "Fix", Patch((FileChange("README", b"new"),))))


def check(world: StandInWorld) -> object:
    head = world.github.branch_head("main") or ""
    return world.github.put_check(CheckReport(head, "job", CheckState.IN_PROGRESS, "t", "s"))


WRITES = pytest.mark.parametrize(
    ("write", "path"),
    [(comment, "/issues/1/comments$"), (pull, "/pulls$"), (commit, "/git/refs$"), (check, "/check-runs$")],
)


def made(world: StandInWorld) -> tuple[int, int, int, int]:
    """How many comments, pull requests, commits of ours and check runs there are."""
    ours = [run for run in world.repository.runs.values() if run.app is world.state.app]
    return len(world.comments(1)), len(world.pulls()), int("refs/heads/made" in world.repository.git.refs()), len(ours)


@WRITES
@pytest.mark.parametrize("effect", [Effect.STATUS, Effect.DROP])
@pytest.mark.parametrize("after_effect", [True, False])
def test_a_write_that_ended_in_doubt_is_made_exactly_once(
    world: StandInWorld, write: Write, path: str, effect: Effect, *, after_effect: bool
) -> None:
    before = made(world)
    world.state.inject(Fault("POST", path, effect, after_effect=after_effect))
    first = write(world)
    assert sum(made(world)) == sum(before) + 1
    assert write(world) == first
    assert sum(made(world)) == sum(before) + 1


@WRITES
def test_a_write_is_tried_four_times_and_then_given_up(world: StandInWorld, write: Write, path: str) -> None:
    before = world.state.count("POST", path)
    world.state.inject(Fault("POST", path, times=9))
    with pytest.raises(GitHubUnavailableError, match="502"):
        write(world)
    assert world.state.count("POST", path) - before == 4
    assert world.waits[-4:] == sorted(world.waits[-4:])


@WRITES
def test_a_second_run_after_a_crash_makes_nothing_twice(
    world: StandInWorld, keys: Keys, write: Write, path: str
) -> None:
    first = write(world)
    count = made(world)
    posts = world.state.count("POST", f"{world.full_name}.*{path}")
    # Another process knows nothing of what this one kept.
    tokens = InstallationTokens(world.state.app.id, SecretStr(keys.private), world.stand_in.api_url)
    world.github = RestGitHub(tokens, world.installation, world.full_name, bot_login=BOT, pace=Pace(0.0))
    assert write(world) == first
    assert made(world) == count
    assert world.state.count("POST", f"{world.full_name}.*{path}") == posts


def test_reads_are_repeated_after_a_502(world: StandInWorld) -> None:
    world.state.inject(Fault("GET", f"{world.full_name}$", times=2))
    assert world.github.repository().default_branch == "main"


def test_github_down_for_good_is_said_so(world: StandInWorld) -> None:
    world.state.inject(Fault("GET", f"{world.full_name}$", times=9))
    with pytest.raises(GitHubUnavailableError, match="reading the repository"):
        world.github.repository()


def test_an_expired_token_is_renewed_on_the_way(world: StandInWorld) -> None:
    comment(world)
    world.state.expire_tokens()
    assert world.github.repository().default_branch == "main"
    world.state.expire_tokens()
    world.github.put_comment(1, MARK, f"{MARK}\nafter an hour")
    assert [c.body for c in world.comments(1)] == [f"{MARK}\nafter an hour"]


def test_a_token_near_its_end_is_minted_anew_and_one_serves_until_then(world: StandInWorld, keys: Keys) -> None:
    now = [datetime.now(UTC).timestamp()]
    tokens = InstallationTokens(
        world.state.app.id, SecretStr(keys.private), world.stand_in.api_url, clock=lambda: now[0]
    )

    def token() -> SecretStr:
        return tokens.token(world.installation, world.full_name, CONTENTS)

    first = token()
    now[0] += timedelta(minutes=50).total_seconds()
    assert token() == first
    now[0] += timedelta(minutes=6).total_seconds()
    assert token() != first


def test_eight_threads_mint_one_token_narrowed_to_the_repository_and_the_step(world: StandInWorld) -> None:
    before = world.state.count("POST", "/access_tokens$")
    found: list[SecretStr] = []

    def ask() -> None:
        found.append(world.tokens.token(world.installation, world.full_name, CONTENTS))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert world.state.count("POST", "/access_tokens$") - before == 1
    minted = world.state.tokens[found[0].get_secret_value()]
    assert minted.repositories == {world.full_name}
    assert dict(minted.permissions) == {"contents": "read", "metadata": "read"}
    assert found[0].get_secret_value() not in repr(found)


def test_a_permission_that_the_installation_lacks_is_named(world: StandInWorld) -> None:
    granted = world.state.installations[world.installation].permissions
    level = granted.pop("checks")
    try:
        with pytest.raises(GitHubError, match="checks: write"):
            check(world)
    finally:
        granted["checks"] = level


def test_403_names_the_permission_that_github_asks_for(world: StandInWorld) -> None:
    headers = {"X-Accepted-GitHub-Permissions": "issues=write"}
    world.state.inject(Fault("POST", "/comments$", status=403, headers=headers))
    with pytest.raises(ForbiddenError, match="issues=write"):
        comment(world)


def test_a_repository_that_is_gone_is_not_found(world: StandInWorld) -> None:
    world.state.inject(Fault("GET", f"{world.full_name}$", status=404))
    with pytest.raises(NotFoundError, match="installed on the repository"):
        world.github.repository()


def test_a_repository_where_the_app_is_not_installed_is_an_error_in_words(world: StandInWorld, keys: Keys) -> None:
    tokens = InstallationTokens(world.state.app.id, SecretStr(keys.private), world.stand_in.api_url)
    other = RestGitHub(tokens, world.installation, "owner/elsewhere", bot_login=BOT, pace=Pace(0.0))
    with pytest.raises(GitHubError, match="minting a token for owner/elsewhere"):
        other.repository()


def test_a_secondary_limit_is_waited_for_as_long_as_github_asks(world: StandInWorld) -> None:
    world.state.inject(Fault("POST", "/comments$", Effect.SECONDARY_LIMIT, seconds=7))
    comment(world)
    assert 7.0 in world.waits
    assert len(world.comments(1)) == 1


@pytest.mark.parametrize(("method", "act"), [("POST", comment), ("GET", lambda world: world.github.repository())])
def test_an_exhausted_limit_is_not_waited_for_and_its_reset_is_named(
    world: StandInWorld, method: str, act: Write
) -> None:
    world.state.inject(Fault(method, f"{world.full_name}(/issues/1/comments)?$", Effect.PRIMARY_LIMIT, seconds=3000))
    reset = datetime.now(UTC) + timedelta(seconds=3000)
    with pytest.raises(GitHubUnavailableError, match=f"resets at {reset:%Y-%m-%d}"):
        act(world)
    assert max(world.waits, default=0) < 60


def test_writes_keep_their_distance() -> None:
    now, waits = [100.0], []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    pace = Pace(1.0, clock=lambda: now[0], sleep=sleep)
    pace.await_turn()
    now[0] += 0.25
    pace.await_turn()
    now[0] += 5.0
    pace.await_turn()
    now[0] -= 1000.0
    pace.await_turn()
    assert waits == [0.75, 1.0]


def test_a_log_of_five_megabytes_is_capped_and_the_log_host_sees_no_token(world: StandInWorld) -> None:
    line = "x" * 99 + "\n"
    jobs = (FailedJob("test", "failure", line * 52_000 + "E   the end\n"),)
    suite = world.suite(world.push("main", {"a": File(b"2")}), jobs)
    (found,) = world.github.failed_jobs(suite)
    assert len(found.log) == 200_000
    assert found.log.rstrip().endswith("E   the end")
    world.stand_in.check()  # a credential sent to the log host is a violation


def test_a_log_that_is_longer_than_the_cap_is_cut_and_says_so(world: StandInWorld) -> None:
    suite = world.suite(world.push("main", {"a": File(b"2")}), (FailedJob("t", "failure", "y\n" * 90_000),))
    world.github.failed_jobs(suite)
    link = f"{world.state.log_host}/logs/{list(world.state.log_links)[-1]}"
    assert "could not be read: only" in download(link, caps=Caps(bytes=1 << 16))
    assert download(f"{world.state.log_host}/logs/none") == "[the job's log could not be read: HTTPStatusError]"


def test_a_job_whose_log_is_gone_still_counts(world: StandInWorld) -> None:
    sha = world.push("main", {"a": File(b"2")})
    suite = world.state.complete_suite(world.full_name, sha, "failure", [("test", "failure", None)])
    (found,) = world.github.failed_jobs(suite.id)
    assert found == FailedJob("test", "failure", "")


def test_a_key_that_is_no_key_is_refused_at_once_and_not_shown() -> None:
    with pytest.raises(ConfigurationError, match="no PEM key") as caught:
        InstallationTokens(1, SecretStr("made-up-secret"), "http://127.0.0.1:1")
    assert "made-up-secret" not in str(caught.value)
