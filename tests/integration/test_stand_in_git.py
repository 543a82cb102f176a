"""The stand-in's git: over smart HTTP, and through the Git Data API."""

import base64
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes_github_site import MAINTAINER, READER, REPOSITORY, GitHubSite, github_client, github_site, installation_token
from github import GithubException, InputGitTreeElement
from github.Repository import Repository

BRANCH = "regreen/issue-1"


@pytest.fixture
def site() -> Iterator[GitHubSite]:
    with github_site() as running:
        yield running


def git(*arguments: str, token: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{role}_{part}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")},
    }
    if token:
        credential = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        header = f"Authorization: Basic {credential}"
        environment |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.extraHeader", "GIT_CONFIG_VALUE_0": header}
    return subprocess.run(
        ["git", *arguments], env=environment, cwd=cwd, capture_output=True, text=True, check=False, timeout=60
    )


def url(site: GitHubSite, name: str = REPOSITORY) -> str:
    return f"{site.stand_in.base_url}/{name}.git"


def commit_through_rest(repository: Repository, path: str, content: str, mode: str = "100644") -> str:
    tip = repository.get_git_commit(repository.get_branch("main").commit.sha)
    blob = repository.create_git_blob(content, "utf-8")
    tree = repository.create_git_tree([InputGitTreeElement(path, mode, "blob", sha=blob.sha)], tip.tree)
    commit = repository.create_git_commit("Return zero", tree, [tip])
    repository.create_git_ref(f"refs/heads/{BRANCH}", commit.sha)
    return commit.sha


def test_a_token_clones_a_private_repository_and_nobody_else_does(site: GitHubSite, tmp_path: Path) -> None:
    site.state.repository(REPOSITORY).private = True
    token = installation_token(site, permissions={"contents": "read"})
    assert git("clone", url(site), str(tmp_path / "ours"), token=token).returncode == 0
    assert os.access(tmp_path / "ours" / "run.sh", os.X_OK)
    refused = git("clone", url(site), str(tmp_path / "anonymous"))
    assert refused.returncode
    assert git("clone", url(site), str(tmp_path / "invented"), token="ghs_x").returncode
    site.state.expire_tokens()
    assert git("clone", url(site), str(tmp_path / "expired"), token=token).returncode


def test_a_token_for_one_repository_does_not_clone_another(site: GitHubSite, tmp_path: Path) -> None:
    site.state.add_repository("octo/other", {"a": "b"}, private=True)
    token = installation_token(site, repositories=["shop"])
    assert "404" in (refused := git("clone", url(site, "octo/other"), str(tmp_path), token=token)).stderr or (
        "not found" in refused.stderr
    )


def test_pushing_needs_write_and_moves_pull_requests_and_webhooks(site: GitHubSite, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git("clone", url(site), str(clone))
    # Large enough that git sends it in chunks, without saying its length first.
    (clone / "big.bin").write_bytes(os.urandom(3_000_000))
    git("checkout", "-b", "feature", cwd=clone)
    git("add", ".", cwd=clone)
    git("commit", "-m", "Add", cwd=clone)
    reader = installation_token(site, permissions={"contents": "read"})
    assert "403" in git("push", "origin", "feature", token=reader, cwd=clone).stderr
    assert git("push", "origin", "feature", token=installation_token(site), cwd=clone).returncode == 0
    assert "refs/heads/feature" in site.state.repository(REPOSITORY).git.refs()
    assert [(one.event, one.action) for one in site.state.hooks.pending] == [("push", ""), ("check_suite", "requested")]


def test_a_partial_fetch_takes_any_reachable_commit(site: GitHubSite, tmp_path: Path) -> None:
    first = site.state.repository(REPOSITORY).git.refs()["refs/heads/main"]
    site.state.commit(REPOSITORY, "main", {"new.txt": "x"}, "Second")
    git("init", "--bare", str(tmp_path))
    fetched = git("fetch", "--depth=1", "--filter=blob:none", url(site), first, cwd=tmp_path)
    assert fetched.returncode == 0
    assert git("cat-file", "-t", first, cwd=tmp_path).stdout.strip() == "commit"


def test_a_commit_made_through_rest_keeps_modes_and_is_signed_as_the_app(site: GitHubSite, tmp_path: Path) -> None:
    repository = github_client(site).get_repo(REPOSITORY)
    sha = commit_through_rest(repository, "src/shop.py", "def total(prices):\n    return 0\n")
    modes = {entry.path: entry.mode for entry in repository.get_git_tree(sha, recursive=True).tree}
    assert modes["run.sh"] == "100755"
    commit = repository.get_git_commit(sha)
    assert (commit.author.name, commit.raw_data["verification"]["verified"]) == ("regreen[bot]", True)
    git("clone", "--branch", BRANCH, url(site), str(tmp_path / "c"))
    assert os.access(tmp_path / "c" / "run.sh", os.X_OK)
    assert (tmp_path / "c" / "src" / "shop.py").read_text().endswith("return 0\n")


def test_a_pull_request_shows_the_real_diff(site: GitHubSite) -> None:
    repository = github_client(site).get_repo(REPOSITORY)
    sha = commit_through_rest(repository, "src/shop.py", "def total(prices):\n    return 0\n")
    pull = repository.create_pull(base="main", head=BRANCH, title="Fix", body="Fixes #1", draft=True)
    assert (pull.draft, pull.mergeable, pull.commits, pull.additions, pull.deletions) == (True, True, 1, 1, 1)
    (file,) = pull.get_files()
    assert (file.filename, file.status) == ("src/shop.py", "modified")
    assert "-    return sum(prices)\n+    return 0" in file.patch
    assert [one.sha for one in pull.get_commits()] == [sha]
    assert (pull.user.login, pull.user.type) == ("regreen[bot]", "Bot")
    assert git("ls-remote", url(site), f"refs/pull/{pull.number}/head").stdout.split()[0] == sha
    comparison = repository.compare("main", BRANCH)
    assert (comparison.status, comparison.ahead_by, comparison.behind_by) == ("ahead", 1, 0)


def test_a_conflict_is_told(site: GitHubSite) -> None:
    repository = github_client(site).get_repo(REPOSITORY)
    commit_through_rest(repository, "src/shop.py", "def total(prices):\n    return 0\n")
    site.state.commit(REPOSITORY, "main", {"src/shop.py": "def total(prices):\n    return 1\n"}, "Other")
    pull = repository.create_pull(base="main", head=BRANCH, title="Fix", body="")
    assert (pull.mergeable, pull.mergeable_state) == (False, "dirty")


def test_a_second_pull_request_and_one_without_commits_are_refused(site: GitHubSite) -> None:
    repository = github_client(site).get_repo(REPOSITORY)
    commit_through_rest(repository, "src/shop.py", "x = 1\n")
    repository.create_pull(base="main", head=BRANCH, title="Fix", body="")
    repository.create_git_ref("refs/heads/empty", repository.get_branch("main").commit.sha)
    for head, complaint in ((BRANCH, "already exists"), ("empty", "No commits between"), ("gone", "invalid")):
        with pytest.raises(GithubException) as refused:
            repository.create_pull(base="main", head=head, title="Fix", body="")
        assert refused.value.status == 422
        assert complaint in str(refused.value)


def test_a_branch_is_not_moved_backwards_or_made_twice(site: GitHubSite) -> None:
    repository = github_client(site).get_repo(REPOSITORY)
    first = repository.get_branch("main").commit.sha
    second = site.state.commit(REPOSITORY, "main", {"a": "b"}, "Second")
    ref = repository.get_git_ref("heads/main")
    with pytest.raises(GithubException, match="fast forward"):
        ref.edit(first)
    with pytest.raises(GithubException, match="already exists"):
        repository.create_git_ref("refs/heads/main", second)


def test_a_workflow_file_needs_a_permission_of_its_own(site: GitHubSite) -> None:
    repository = github_client(site).get_repo(REPOSITORY)
    with pytest.raises(GithubException) as refused:
        commit_through_rest(repository, ".github/workflows/ci.yml", "on: push\n")
    assert refused.value.status == 403


def test_a_deleted_branch_closes_its_pull_request(site: GitHubSite) -> None:
    repository = github_client(site).get_repo(REPOSITORY)
    commit_through_rest(repository, "src/shop.py", "x = 1\n")
    pull = repository.create_pull(base="main", head=BRANCH, title="Fix", body="")
    site.state.delete_branch(REPOSITORY, BRANCH)
    assert repository.get_pull(pull.number).state == "closed"


def test_contents_are_read_at_a_commit(site: GitHubSite) -> None:
    repository = github_client(site).get_repo(REPOSITORY)
    old = repository.get_branch("main").commit.sha
    site.state.commit(REPOSITORY, "main", {"README.md": "# Newer\n", "run.sh": None}, "Change", author=MAINTAINER)
    assert repository.get_contents("README.md").decoded_content == b"# Newer\n"
    assert repository.get_contents("README.md", ref=old).decoded_content == b"# Shop\n"
    assert {one.path for one in repository.get_contents("")} == {"README.md", "src"}
    with pytest.raises(GithubException) as refused:
        repository.get_contents("run.sh")
    assert refused.value.status == 404
    assert READER in site.state.repository(REPOSITORY).collaborators
