"""What every `GitHub` does: the fake in memory, and the adapter against the stand-in over HTTP."""

from collections.abc import Iterator

import pytest
from github_worlds import BOT, FakeWorld, StandInWorld, World, over_rest

from bot.errors import BranchTakenError, GitHubError, NotFoundError
from bot.pipeline.ports.github import (
    Annotation,
    CheckReport,
    CheckState,
    FailedJob,
    Level,
    NewCommit,
    NewPullRequest,
    Permission,
)
from bot.repair.types import FileChange, Patch
from sandbox.spec import File

MARK = "<!-- regreen:subject=issue-1 -->"


@pytest.fixture(params=["fake", "rest"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    if request.param == "fake":
        yield FakeWorld()
        return
    with over_rest(request) as (stand_in, keys):
        yield StandInWorld(stand_in, keys)


def change(parent: str, *changes: FileChange, branch: str = "regreen/issue-1") -> NewCommit:
    return NewCommit(branch, parent, "Fix it", Patch(changes))


def pull(head: str = "regreen/issue-1", body: str = MARK, *, draft: bool = False) -> NewPullRequest:
    return NewPullRequest(head, "main", "Fix it", body, draft)


def test_tells_the_repositorys_facts(world: World) -> None:
    facts = world.github.repository()
    assert (facts.default_branch, facts.archived, facts.fork) == ("main", False, False)


@pytest.mark.parametrize("level", [Permission.ADMIN, Permission.MAINTAIN, Permission.WRITE, Permission.TRIAGE])
def test_tells_a_collaborators_level(world: World, level: Permission) -> None:
    world.grant("ann", level)
    assert world.github.permission("ann") is level


def test_somebody_unknown_has_no_permission(world: World) -> None:
    assert world.github.permission("nobody/../x") is Permission.NONE


def test_reads_a_file_as_bytes_and_none_where_there_is_none(world: World) -> None:
    sha = world.push("main", {"dir/a.bin": File(b"\xff\0\r\n"), "big": File(b"x" * ((1 << 20) + 1))})
    assert world.github.file("dir/a.bin", "main") == b"\xff\0\r\n"
    assert world.github.file("dir/a.bin", sha) == b"\xff\0\r\n"
    assert world.github.file("dir", "main") is None
    assert world.github.file("none", "main") is None
    assert world.github.file("dir/a.bin", "no-branch") is None
    with pytest.raises(GitHubError, match="larger than 1 MiB"):
        world.github.file("big", "main")


def test_tells_an_issues_state_and_labels(world: World) -> None:
    number = world.open_issue("bug", "regreen")
    assert world.github.issue(number).labels == ("bug", "regreen")
    assert world.github.issue(number).is_open
    world.close(number)
    assert not world.github.issue(number).is_open
    with pytest.raises(NotFoundError):
        world.github.issue(999)


def test_tells_a_branchs_head_and_none_where_the_branch_is_gone(world: World) -> None:
    sha = world.push("feature/x", {"a": File(b"1")})
    assert world.github.branch_head("feature/x") == sha
    assert world.github.branch_head("feature") is None


def test_writes_one_comment_and_edits_it_in_place(world: World) -> None:
    number = world.open_issue()
    addresses = {world.github.put_comment(number, MARK, f"{MARK}\n{text}") for text in ("one", "two", "two")}
    assert len(addresses) == 1
    assert [(c.author, c.body) for c in world.comments(number)] == [(BOT, f"{MARK}\ntwo")]


def test_a_comment_gets_its_marker_even_when_the_text_lacks_it(world: World) -> None:
    number = world.open_issue()
    world.github.put_comment(number, MARK, "plain")
    world.github.put_comment(number, MARK, "other")
    assert len(world.comments(number)) == 1


def test_somebody_elses_marker_is_not_trusted(world: World) -> None:
    number = world.open_issue()
    world.comment(number, f"{MARK}\nmine", by="mallory")
    world.github.put_comment(number, MARK, f"{MARK}\nours")
    assert [(c.author, c.body) for c in world.comments(number)] == [
        ("mallory", f"{MARK}\nmine"),
        (BOT, f"{MARK}\nours"),
    ]


OTHER = "<!-- regreen:subject=issue-9 -->"


def test_a_marker_that_our_own_text_quotes_is_none(world: World) -> None:
    number = world.open_issue()
    world.github.put_comment(number, MARK, f"{MARK}\nsomebody wrote:\n{OTHER}\n`{OTHER}`")
    world.github.put_comment(number, OTHER, f"quoted: {OTHER}")
    assert [c.body for c in world.comments(number)] == [
        f"{MARK}\nsomebody wrote:\n{OTHER}\n`{OTHER}`",
        f"{OTHER}\nquoted: {OTHER}",
    ]


def test_a_pull_request_that_quotes_another_ones_marker_is_not_taken_for_it(world: World) -> None:
    for branch in ("one", "two"):
        world.push(branch, {branch: File(b"1")})
    first = world.github.open_pull_request(pull("one", f"{MARK}\nquotes\n{OTHER}\n"), MARK)
    assert world.github.pull_requests(OTHER) == ()
    second = world.github.open_pull_request(pull("two", f"quotes {OTHER}"), OTHER)
    assert [p.number for p in world.github.pull_requests(OTHER)] == [second.number]
    assert [p.number for p in world.github.pull_requests(MARK)] == [first.number]


def test_comments_with_other_markers_are_others(world: World) -> None:
    number = world.open_issue()
    world.github.put_comment(number, "<!-- a -->", "<!-- a -->")
    world.github.put_comment(number, "<!-- b -->", "<!-- b -->")
    assert len(world.comments(number)) == 2


def test_a_comment_on_an_issue_that_is_gone_is_not_found(world: World) -> None:
    with pytest.raises(NotFoundError):
        world.github.put_comment(999, MARK, MARK)


def test_one_check_run_for_each_external_id_edited_in_place(world: World) -> None:
    sha = world.push("main", {"a": File(b"1")})
    for state, title in ((CheckState.IN_PROGRESS, "running"), (CheckState.NEUTRAL, "ended")):
        assert world.github.put_check(CheckReport(sha, "job-1", state, title, "text"))
    world.github.put_check(CheckReport(sha, "job-2", CheckState.IN_PROGRESS, "running", "text"))
    assert world.checks(sha) == [("job-1", "neutral", "ended"), ("job-2", "in_progress", "running")]


def test_failed_jobs_come_with_the_tail_of_their_logs(world: World) -> None:
    sha = world.push("main", {"a": File(b"1")})
    jobs = (FailedJob("lint", "success", "fine"), FailedJob("test", "failure", "E   assert 1 == 2"))
    (found,) = world.github.failed_jobs(world.suite(sha, jobs))
    assert (found.name, found.conclusion) == ("test", "failure")
    assert found.log.rstrip().endswith("E   assert 1 == 2")


def test_at_most_ten_failed_jobs_and_200_000_characters_of_each(world: World) -> None:
    sha = world.push("main", {"a": File(b"1")})
    long = "x" * 99 + "\n"
    jobs = tuple(FailedJob(f"t{n}", "failure", long * (52_000 if n == 0 else 1)) for n in range(12))
    found = world.github.failed_jobs(world.suite(sha, jobs))
    assert [job.name for job in found] == [f"t{n}" for n in range(10)]
    assert len(found[0].log) == 200_000
    assert found[0].log.rstrip().endswith("x")


def test_makes_a_commit_that_keeps_modes_and_bytes_and_touches_nothing_else(world: World) -> None:
    files = {"bin/run": File(b"old", 0o100755), "gone": File(b"x"), "link": File(b"gone", 0o120000)}
    parent = world.push("main", files)
    before = dict(world.tree(parent))
    new = change(parent, FileChange("bin/run", b"\xe9\r\n"), FileChange("gone", None), FileChange("new/x.py", b"n"))
    sha = world.github.commit(new)
    del before["gone"]
    expected = {**before, "bin/run": File(b"\xe9\r\n", 0o100755), "new/x.py": File(b"n")}
    assert dict(world.tree(sha)) == expected
    assert world.github.branch_head("regreen/issue-1") == sha


def test_the_same_commit_again_changes_nothing(world: World) -> None:
    parent = world.push("main", {"a": File(b"1")})
    new = change(parent, FileChange("a", b"2"))
    assert world.github.commit(new) == world.github.commit(new)


@pytest.mark.parametrize("theirs", [b"2", b"3"])
def test_a_branch_that_holds_anything_else_is_never_overwritten(world: World, theirs: bytes) -> None:
    parent = world.push("main", {"a": File(b"1")})
    human = world.push("regreen/issue-1", {"a": File(theirs)})
    with pytest.raises(GitHubError, match="holds other commits"):
        world.github.commit(change(parent, FileChange("a", b"2")))
    assert world.github.branch_head("regreen/issue-1") == human


@pytest.mark.parametrize("there", ["regreen", "regreen/issue-1/notes"])
def test_a_branch_that_cannot_be_made_beside_another_is_said_to_be_taken(world: World, there: str) -> None:
    parent = world.push("main", {"a": File(b"1")})
    world.push(there, {"a": File(b"1")})
    with pytest.raises(BranchTakenError):
        world.github.commit(change(parent, FileChange("a", b"2")))
    assert world.github.branch_head("regreen/issue-1") is None


def test_a_commit_that_changes_nothing_is_refused(world: World) -> None:
    parent = world.push("main", {"a": File(b"1")})
    with pytest.raises(GitHubError, match="changes nothing"):
        world.github.commit(change(parent, FileChange("a", b"1")))
    assert world.github.branch_head("regreen/issue-1") is None


@pytest.mark.parametrize("draft", [True, False])
def test_opens_one_pull_request_however_often_it_is_asked(world: World, draft: bool) -> None:  # noqa: FBT001 - a parameter
    world.push("regreen/issue-1", {"a": File(b"1")})
    opened = [world.github.open_pull_request(pull(draft=draft), MARK) for _ in range(2)]
    assert opened[0] == opened[1]
    assert (opened[0].head_branch, opened[0].is_open, opened[0].merged) == ("regreen/issue-1", True, False)
    assert world.pulls() == [(BOT, MARK, draft)]


def test_lists_our_pull_requests_newest_first_and_nobody_elses(world: World) -> None:
    for branch in ("one", "two", "three"):
        world.push(branch, {branch: File(b"1")})
    first = world.github.open_pull_request(pull("one"), MARK)
    world.close(first.number)
    second = world.github.open_pull_request(pull("two"), MARK)
    world.open_pull(pull("three"), by="mallory")
    found = world.github.pull_requests(MARK)
    assert [(p.number, p.is_open) for p in found] == [(second.number, True), (first.number, False)]
    assert world.github.pull_requests("<!-- other -->") == ()


def test_a_persons_pull_request_from_the_branch_is_not_taken_for_ours(world: World) -> None:
    world.push("regreen/issue-1", {"a": File(b"1")})
    world.open_pull(pull(), by="mallory")
    with pytest.raises(GitHubError, match="already exists"):
        world.github.open_pull_request(pull(), MARK)
    assert len(world.pulls()) == 1


def test_finds_other_peoples_open_pull_requests_that_close_an_issue(world: World) -> None:
    number = world.open_issue()
    texts = ("one", f"Fixes #{number}"), ("two", f"See #{number}"), ("three", f"Resolves: #{number}9")
    for branch, body in texts:
        world.push(branch, {branch: File(b"1")})
        made = world.open_pull(pull(branch, body), by="ann")
        if branch == "one":
            expected = made
    world.push("regreen/issue-1", {"a": File(b"1")})
    world.github.open_pull_request(pull(body=f"{MARK}\nFixes #{number}."), MARK)
    assert [(found.number, found.author) for found in world.github.closing(number)] == [(expected, "ann")]
    world.close(expected)
    assert world.github.closing(number) == ()


def test_nothing_lacks_where_the_installation_grants_what_the_app_needs(world: World) -> None:
    assert not {"contents: write", "issues: write", "pull_requests: write"} & set(world.github.lacking())


def test_asks_for_reviews_and_says_who_could_not_be_asked(world: World) -> None:
    world.push("regreen/issue-1", {"a": File(b"1")})
    number = world.github.open_pull_request(pull(), MARK).number
    world.grant("ann", Permission.WRITE)
    for _ in range(2):
        assert world.github.ask_review(number, ("nobody", "ann")) == ("nobody",)
    assert world.reviewers(number) == ["ann"]


def test_annotates_lines_once_however_often_a_check_run_is_edited(world: World) -> None:
    sha = world.push("main", {"a": File(b"1")})
    mark = Annotation("a", 1, 2, Level.FAILURE, "no such key")
    for title in ("one", "two"):
        world.github.put_check(CheckReport(sha, "policy", CheckState.FAILURE, title, "text", (mark,), "Regreen policy"))
    assert world.checks(sha) == [("policy", "failure", "two")]
    assert world.annotations(sha) == [("a", 1, 2, "no such key")]
