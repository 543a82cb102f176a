"""What every text goes through on its way to GitHub, over the stand-in."""

import base64

import pytest
from github_worlds import Keys, StandInWorld
from pydantic import SecretStr

from bot.demo.stand_in import StandIn
from bot.errors import GitHubError
from bot.pipeline.ports.github import CheckReport, CheckState, NewCommit, NewPullRequest
from bot.pipeline.reports.cut import MAX_BODY
from bot.redaction import MASK
from bot.repair.types import FileChange, Patch
from sandbox.spec import File

MARK = "<!-- regreen:subject=issue-1 -->"
OWN, SHORT = "a-webhook-secret-of-ours", "hunt-42"
SHOWN = "ghp_0123456789abcdefghijABCDEFGHIJ012345"


@pytest.fixture
def world(stand_in: StandIn, keys: Keys) -> StandInWorld:
    made = StandInWorld(stand_in, keys)
    for secret in (OWN, SHORT):
        made.tokens.redact.learn(SecretStr(secret))
    return made


def test_comments_pull_requests_checks_and_messages_are_posted_without_secrets(world: StandInWorld) -> None:
    said = f"{OWN} {SHOWN} {SHORT} {base64.b64encode(OWN.encode()).decode()}"
    clean = " ".join([MASK] * 4)
    issue = world.open_issue()
    head = world.push("main", {"a": File(b"1")})
    world.github.put_comment(issue, MARK, f"{MARK}\n{said}")
    world.github.put_check(CheckReport(head, "job", CheckState.NEUTRAL, said, said))
    sha = world.github.commit(NewCommit("fix", head, said, Patch((FileChange("a", b"2"),))))
    world.github.open_pull_request(NewPullRequest("fix", "main", said, f"{MARK}\n{said}", draft=False), MARK)
    (comment,) = world.comments(issue)
    assert comment.body == f"{MARK}\n{clean}"
    assert world.checks(head) == [("job", "neutral", clean)]
    assert world.repository.git.commit(sha).message.strip() == clean
    assert [body for _, body, _ in world.pulls()] == [f"{MARK}\n{clean}"]


def test_a_commit_whose_message_held_secrets_is_known_again(world: StandInWorld) -> None:
    head = world.push("main", {"a": File(b"1")})
    new = NewCommit("fix", head, f"Fix: {SHOWN} and {OWN}", Patch((FileChange("a", b"2"),)))
    sha = world.github.commit(new)
    assert world.github.commit(new) == sha


def test_the_same_text_again_is_edited_and_never_posted_twice(world: StandInWorld) -> None:
    issue = world.open_issue()
    addresses = {world.github.put_comment(issue, MARK, f"{MARK}\n{OWN}") for _ in range(2)}
    assert len(addresses) == 1
    assert len(world.comments(issue)) == 1


def test_a_file_that_holds_a_secret_of_ours_is_not_committed(world: StandInWorld) -> None:
    head = world.push("main", {"a": File(b"1")})
    leak = Patch((FileChange("a", b"key = '" + OWN.encode() + b"'\n"),))
    with pytest.raises(GitHubError, match="holds a secret of this installation"):
        world.github.commit(NewCommit("fix", head, "Fix", leak))
    assert world.github.branch_head("fix") is None


def test_a_file_that_only_looks_as_if_it_held_one_is_committed_byte_for_byte(world: StandInWorld) -> None:
    head = world.push("main", {"a": File(b"1")})
    data = f"EXAMPLE = '{SHOWN}'\n".encode() + b"\xff\x00"
    sha = world.github.commit(NewCommit("fix", head, "Fix", Patch((FileChange("a", data),))))
    assert world.tree(sha)["a"].data == data


def test_branches_paths_and_markers_keep_names_that_look_like_a_secret(world: StandInWorld) -> None:
    branch, mark = f"regreen/check-{SHOWN}", "<!-- regreen:subject=check-main -->"
    head = world.push("main", {"a": File(b"1")})
    sha = world.github.commit(NewCommit(branch, head, "Fix", Patch((FileChange(f"{SHOWN}/b", b"2"),))))
    assert world.github.branch_head(branch) == sha
    assert f"{SHOWN}/b" in world.tree(sha)
    pull = world.github.open_pull_request(NewPullRequest(branch, "main", "Fix", mark, draft=False), mark)
    assert pull.head_branch == branch


def test_a_text_that_grows_by_its_masks_still_fits(world: StandInWorld) -> None:
    issue = world.open_issue()
    text = f"{MARK}\n" + f"{SHORT} " * (MAX_BODY // (len(SHORT) + 1) - 10)
    world.github.put_comment(issue, MARK, text)
    (comment,) = world.comments(issue)
    assert len(comment.body) <= MAX_BODY
    assert SHORT not in comment.body
