"""Strategies: any event, anything that may be known about it.

Values are few, so that draws meet each other, and most of them let things through: an event that any one value keeps
from starting a job would hide what the others do.
"""

from hypothesis import strategies as st
from payloads import SHA

from bot.events import (
    CheckAsked,
    CommitChecked,
    Event,
    InstallationChanged,
    IssueCommented,
    IssueEnded,
    IssueLabeled,
    IssueUnlabeled,
    PullRequest,
    PullRequestClosed,
    PullRequestLabeled,
    Pushed,
    Repository,
    RepositoryLeft,
    ReviewCommented,
    Reviewed,
    ThreadReopened,
    Unhandled,
)
from bot.policy import PATH, RepoPolicy
from bot.triggers import Known, Operator

OPERATORS = st.sampled_from([Operator(42, "regreen", "regreen[bot]"), Operator(42, "regreen", "Regreen[bot]")])

_bool = st.booleans()
_rarely = st.sampled_from([False] * 7 + [True])
_mostly = st.sampled_from([True] * 7 + [False])
_number = st.integers(1, 3)
_others = ["mallory", "renovate[bot]", "regreen[bot]", "REGREEN[BOT]", "regreen", ""]
_logins = st.sampled_from([*["maintainer"] * 8, *_others])
_authors = st.sampled_from([*["regreen[bot]"] * 4, "maintainer", "REGREEN[BOT]", "regreen", ""])
_labels = st.sampled_from(["regreen", "Regreen", "regreen", "bug", "other"])
_branches = st.sampled_from(["main", "dev", "regreen/issue-7", "regreen/x", "release/1", ""])
_shas = st.sampled_from([SHA, SHA, SHA, "b" * 40])
_marks = st.sampled_from(
    [
        "<!-- regreen:subject=issue-7 -->",
        "<!-- regreen:subject=check-main -->",
        "<!-- regreen:subject= -->",
        "Hello",
        "",
    ]
)
_words = st.sampled_from(
    ["fix", "retry", "stop", "status", "explain", "approve", "approve 0123abcd", "approve x", "pause", "resume", "what"]
)
_hidden = st.sampled_from(["", "<!-- obey -->", "\u202e", "\u200b", "a\u00a0b", "\U000e0041", "\0"])
_said = st.one_of(
    st.builds("{}/regreen {}\n{}".format, st.sampled_from(["", "hi\n", "> ", "```\n"]), _words, _hidden),
    st.builds("thanks {}".format, _hidden),
)
_repositories = st.builds(Repository, st.just("o/r"), st.just(1), st.sampled_from(["main", "dev"]), st.just(9))
PULLS = st.builds(PullRequest, _number, _authors, _marks, _branches, _shas, st.just("main"), _mostly, _rarely)
_external = st.sampled_from(["", f"check-main@{SHA}", f"issue-7@{SHA}", "pull-3", "pull-x", "junk"])
_some = st.sampled_from([(), (2,), (2, 3)])

EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(IssueLabeled, _repositories, _number, _said, _said, _labels, _logins, _rarely, _mostly),
    st.builds(IssueUnlabeled, _repositories, _number, _labels, _logins, _bool),
    st.builds(
        IssueEnded, _repositories, _number, st.sampled_from(["closed", "deleted", "transferred"]), _logins, _bool
    ),
    st.builds(
        IssueCommented,
        _repositories,
        _number,
        st.just("t"),
        st.just("b"),
        _said,
        _logins,
        _rarely,
        _mostly,
        _number,
        _bool,
        _authors,
        _marks,
    ),
    st.builds(PullRequestLabeled, _repositories, PULLS, _labels, _bool, _logins, _rarely),
    st.builds(PullRequestClosed, _repositories, PULLS, _bool, _logins, _rarely),
    st.builds(
        Reviewed,
        _repositories,
        PULLS,
        _number,
        st.sampled_from(["changes_requested", "commented", "approved"]),
        _said,
        _logins,
        _rarely,
    ),
    st.builds(ReviewCommented, _repositories, PULLS, st.integers(0, 2), _number, _said, _logins, _rarely),
    st.builds(ThreadReopened, _repositories, PULLS, _number, _logins, _rarely),
    st.builds(
        CommitChecked,
        _repositories,
        st.sampled_from(["check_suite", "check_run", "workflow_run", "status"]),
        st.integers(0, 2),
        _shas,
        _branches,
        st.sampled_from(["failure", "error", "timed_out", "failure", "success", "cancelled", ""]),
        st.sampled_from([0, 7, 7, 7, 42]),
        _logins,
        st.sampled_from([(), ("main",), ("dev", "release/1")]),
        _some,
        _rarely,
    ),
    st.builds(
        CheckAsked,
        _repositories,
        st.sampled_from(["fix", "rerun", "stop", "lgtm", ""]),
        st.sampled_from([7, 42, 42, 42]),
        _external,
        _shas,
        _branches,
        _some,
        _logins,
        _rarely,
    ),
    st.builds(Pushed, _repositories, _shas, st.sampled_from([frozenset(), frozenset({PATH})]), _bool, _logins, _rarely),
    st.builds(
        InstallationChanged,
        st.just(9),
        _bool,
        st.sampled_from([(), ("o/r",)]),
        st.sampled_from(["created", "suspend", "deleted", "removed", "odd"]),
    ),
    st.builds(RepositoryLeft, st.just(9), st.just("o/r"), st.sampled_from(["archived", "renamed"])),
    st.builds(Unhandled, st.just("nothing is done for it")),
)
POLICIES = st.builds(
    RepoPolicy,
    enabled=_mostly,
    label=st.sampled_from([None, None, None, "other"]),
    ci=_mostly,
    ci_pull_requests=st.sampled_from(["off", "suggest", "stack"]),
    branches=st.sampled_from([(), ("main",), ("release/*", "**/issue-7"), ("**",)]),
    bots=st.sampled_from([(), ("renovate[bot]",), ("regreen[bot]",)]),
    ignored_authors=st.sampled_from([(), ("Mallory",), ("maintainer",)]),
)
KNOWN = st.builds(Known, POLICIES, _mostly, _rarely, st.none() | PULLS)
