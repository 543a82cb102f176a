"""The stand-in's webhooks against GitHub's official description of webhooks."""

import json

import octokit
from fakes_github_site import MAINTAINER, READER, REPOSITORY, GitHubSite, github_client, github_site

from bot.demo.review_actions import NewRemark

SHOP = "src/shop.py"
GUARDED = "def total(prices):\n    if not prices:\n        return 0\n    return sum(prices)\n"
ACTION = {"label": "Fix this", "description": "Begin a repair", "identifier": "fix"}


def test_every_payload_is_as_github_describes_it() -> None:
    octokit.description()
    with github_site() as site:
        _review(site)
        _file_and_close(site)
        _run_checks(site)
        _come_and_go(site)
        sent = [(f"{one.event}.{one.action}".rstrip("."), json.loads(one.body)) for one in site.state.hooks.pending]
    wrong = set()
    for kind, payload in sent:
        validator = octokit.validator(kind)
        assert validator is not None, kind
        wrong |= {f"{kind} {error.instance_path}: {error.message[-200:]}" for error in validator.iter_errors(payload)}
    assert wrong == set()
    assert len({kind for kind, _ in sent}) >= 35


def _review(site: GitHubSite) -> None:
    state = site.state
    state.commit(REPOSITORY, "change", {SHOP: GUARDED}, "Guard")
    state.open_pull(REPOSITORY, "change")
    remarks = [NewRemark(SHOP, "Why 0?", line=3), NewRemark(SHOP, "The whole file")]
    review = state.review(REPOSITORY, 1, "REQUEST_CHANGES", "Please", remarks=remarks, by=MAINTAINER)
    first = state.remark(REPOSITORY, 1, NewRemark(SHOP, "And here?", line=4), by=MAINTAINER)
    state.reply(REPOSITORY, first.id, "Hm", by=READER)
    state.resolve(REPOSITORY, first.id)
    state.resolve(REPOSITORY, first.id, resolved=False)
    state.dismiss(REPOSITORY, 1, review.id)
    state.commit(REPOSITORY, "change", {SHOP: GUARDED.replace("return 0", "return 0.0")}, "Floats")
    state.reply(REPOSITORY, first.id, "Out of date by now", by=READER)
    state.add_label(REPOSITORY, 1, "bug")
    state.remove_label(REPOSITORY, 1, "bug")
    state.assign(REPOSITORY, 1, MAINTAINER)
    state.merge(REPOSITORY, 1, by=MAINTAINER)


def _file_and_close(site: GitHubSite) -> None:
    state = site.state
    number = state.open_issue(REPOSITORY, "Wrong", "It is", labels=["regreen"]).number
    state.edit(REPOSITORY, number, title="Quite wrong")
    comment = state.comment(REPOSITORY, number, "I see this too", by=READER)
    state.edit_comment(REPOSITORY, comment.id, "I saw this", by=READER)
    state.assign(REPOSITORY, number, MAINTAINER)
    state.remove_label(REPOSITORY, number, "regreen")
    state.close(REPOSITORY, number)
    state.edit(REPOSITORY, number, state="open")
    label = github_client(site).get_repo(REPOSITORY).create_label("old", "ededed")
    label.edit("new", "00ff00")
    label.delete()


def _run_checks(site: GitHubSite) -> None:
    state = site.state
    sha = state.repository(REPOSITORY).git.refs()["refs/heads/main"]
    state.begin_suite(REPOSITORY, sha, ["lint", "test"])
    state.complete_suite(REPOSITORY, sha, "failure", [("lint", "success", "x"), ("test", "failure", "y")])
    state.status(REPOSITORY, sha, "ci", "failure")
    repository = github_client(site).get_repo(REPOSITORY)
    run = repository.create_check_run("Regreen", sha, conclusion="neutral", actions=[ACTION])
    state.press(REPOSITORY, run.id, "fix")
    state.rerequest_run(REPOSITORY, run.id)
    state.rerequest_suite(REPOSITORY, state.repository(REPOSITORY).runs[run.id].suite)


def _come_and_go(site: GitHubSite) -> None:
    state, identity = site.state, site.installation.id
    for name in ("octo/other", "hedy/new"):
        state.add_repository(name, {"a": "b"}, installed=False)
        state.install_app(name)
    state.leave_repository("octo/other")
    state.suspend(identity)
    state.unsuspend(identity)
    state.grant_permissions(identity, {"contents": "write"})
    state.uninstall(identity)
