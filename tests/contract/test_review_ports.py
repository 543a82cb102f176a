"""What every `Threads` and every `Branches` does: the fakes in memory, and the adapters against the stand-in."""

from collections.abc import Iterator

import pytest
from github_worlds import BOT, over_rest
from review_worlds import FakeReviewWorld, ReviewWorld, StandInReviewWorld

from bot.errors import BranchMovedError, ForbiddenError, GitHubError, NotFoundError
from bot.pipeline.ports.github import NewCommit, NewPullRequest
from bot.pipeline.ports.threads import Merging
from bot.repair.types import FileChange, Patch
from sandbox.spec import File

SUBJECT = "<!-- regreen:subject=issue-1 -->"
MARK = "<!-- regreen:reply=review-1 -->"
OURS = "regreen/issue-1"
LINES = b"one\ntwo\nthree\n"


@pytest.fixture(params=["fake", "rest"])
def world(request: pytest.FixtureRequest) -> Iterator[ReviewWorld]:
    if request.param == "fake":
        yield FakeReviewWorld()
        return
    with over_rest(request) as (stand_in, keys):
        yield StandInReviewWorld(stand_in, keys)


def opened(world: ReviewWorld, files: dict[str, bytes] | None = None) -> tuple[int, str]:
    """One of our own pull requests: its number and the commit of its branch."""
    world.push("main", {"kept": File(b"k\n"), "a": File(b"old\n")})
    changed = files or {"a": LINES}
    head = world.push(OURS, {path: File(data) for path, data in changed.items()})
    return world.github.open_pull_request(
        NewPullRequest(OURS, "main", "Fix it", SUBJECT, draft=False), SUBJECT
    ).number, head


def onto(parent: str, data: bytes = b"ours\n", message: str = "Follow up", path: str = "a") -> NewCommit:
    return NewCommit(OURS, parent, message, Patch((FileChange(path, data),)))


def test_tells_a_review_and_its_comments_with_where_they_are(world: ReviewWorld) -> None:
    number, _ = opened(world)
    review = world.review(number, "Please change it", {("a", 2): "why two?", ("a", 3): "why three?"}, by="ann")
    found = world.threads.review(number, review)
    assert found is not None
    assert (found.author, found.state, found.body) == ("ann", "CHANGES_REQUESTED", "Please change it")
    remarks = world.threads.remarks(number)
    assert [(one.author, one.path, one.line, one.body) for one in remarks] == [
        ("ann", "a", 2, "why two?"),
        ("ann", "a", 3, "why three?"),
    ]
    assert all(one.review == review and one.thread == one.remark_id and not one.ours for one in remarks)
    assert remarks[0].hunk.startswith("@@")


def test_a_review_that_is_gone_is_none(world: ReviewWorld) -> None:
    number, _ = opened(world)
    assert world.threads.review(number, 987_654) is None


def test_answers_once_in_each_thread_and_edits_in_place(world: ReviewWorld) -> None:
    number, _ = opened(world)
    world.review(number, "Please", {("a", 1): "x", ("a", 2): "y"}, by="ann")
    first, second = (one.thread for one in world.threads.remarks(number))
    addresses = {world.threads.answer(number, first, MARK, text) for text in ("one", "two", "two")}
    world.threads.answer(number, second, MARK, "other")
    assert len(addresses) == 1
    assert world.answers(number) == [(first, f"{MARK}\ntwo"), (second, f"{MARK}\nother")]
    ours = [one for one in world.threads.remarks(number) if one.ours]
    assert [(one.author, one.thread) for one in ours] == [(BOT, first), (BOT, second)]


def test_an_answer_in_a_thread_that_is_gone_is_not_found(world: ReviewWorld) -> None:
    number, _ = opened(world)
    with pytest.raises(NotFoundError):
        world.threads.answer(number, 987_654, MARK, "text")


def test_rewrites_the_text_of_our_own_pull_requests_only(world: ReviewWorld) -> None:
    number, _ = opened(world)
    world.threads.rewrite(number, f"{SUBJECT}\nnew")
    assert world.threads.text(number) == f"{SUBJECT}\nnew"
    world.push("theirs", {"b": File(b"1")})
    theirs = world.open_pull(NewPullRequest("theirs", "main", "t", "mine", draft=False), by="mallory")
    with pytest.raises(ForbiddenError):
        world.threads.rewrite(theirs, "ours")
    assert world.threads.text(theirs) == "mine"


def test_lists_the_paths_that_a_pull_request_changes(world: ReviewWorld) -> None:
    number, _ = opened(world, {"a": b"new\n", "dir/b": b"1"})
    assert world.threads.changed(number) == ("a", "dir/b")


def test_a_branch_goes_on_by_a_commit_on_top_of_the_head_that_was_looked_at(world: ReviewWorld) -> None:
    _, head = opened(world)
    sha = world.branches.advance(onto(head))
    assert world.github.branch_head(OURS) == sha
    assert world.parents(sha) == [head]
    assert world.message(sha) == "Follow up"
    assert world.tree(sha)["a"].data == b"ours\n"
    assert world.tree(sha)["kept"].data == b"k\n"


def test_the_same_step_again_changes_nothing(world: ReviewWorld) -> None:
    _, head = opened(world)
    assert world.branches.advance(onto(head)) == world.branches.advance(onto(head))


@pytest.mark.parametrize("theirs", [b"theirs\n", b"ours\n"])
def test_a_commit_of_a_person_is_never_overwritten(world: ReviewWorld, theirs: bytes) -> None:
    _, head = opened(world)
    human = world.push(OURS, {"a": File(theirs)})
    with pytest.raises(BranchMovedError):
        world.branches.advance(onto(head))
    assert world.github.branch_head(OURS) == human


def test_a_step_that_changes_nothing_is_refused_and_a_branch_that_is_gone_not_found(world: ReviewWorld) -> None:
    _, head = opened(world)
    with pytest.raises(GitHubError, match="changes nothing"):
        world.branches.advance(onto(head, LINES))
    with pytest.raises(NotFoundError):
        world.branches.advance(NewCommit("regreen/none", head, "m", Patch((FileChange("a", b"x"),))))


def test_merges_the_base_for_real_by_a_commit_with_two_parents(world: ReviewWorld) -> None:
    _, head = opened(world)
    base = world.push("main", {"kept": File(b"changed\n")})
    merged = world.branches.merge(OURS, "main", "Merge main")
    assert merged.how is Merging.MERGED
    assert world.parents(merged.head) == [head, base]
    assert {path: world.tree(merged.head)[path].data for path in ("a", "kept")} == {"a": LINES, "kept": b"changed\n"}
    again = world.branches.merge(OURS, "main", "Merge main")
    assert (again.how, again.head) == (Merging.CURRENT, merged.head)


def test_a_conflict_is_told_and_changes_nothing(world: ReviewWorld) -> None:
    _, head = opened(world)
    world.push("main", {"a": File(b"theirs\n")})
    merged = world.branches.merge(OURS, "main", "Merge main")
    assert (merged.how, merged.head) == (Merging.CONFLICT, head)
    assert world.github.branch_head(OURS) == head


def test_a_person_has_the_address_that_shows_none(world: ReviewWorld) -> None:
    world.push("x", {"x": File(b"1")})
    world.review(opened(world)[0], "Please", {}, by="ann")
    found = world.branches.person("ann")
    assert found is not None
    login, _, rest = str(found).partition(" <")
    assert login == "ann"
    assert rest.partition("+")[0].isdigit()
    assert rest.partition("+")[2].startswith("ann@users.noreply.")
    app = world.branches.person("")
    assert app is not None
    assert app.login == BOT
    assert world.branches.person("nobody") is None
