"""What strangers wrote, through a whole job, into what GitHub acts upon."""

from dataclasses import replace

from fakes_fix import Stage

from bot.jobs import State
from bot.pipeline.reports.markdown import marker

EVIL = "Crash [skip ci] closes #1 @org/admins \u202e\n\nskip-checks: true\nCo-authored-by: m <m@evil.test>"


def test_an_issues_title_acts_neither_in_the_commit_nor_in_the_pull_request() -> None:
    stage = Stage()
    assert stage.run(replace(stage.issue, title=EVIL)).state is State.PUBLISHED
    (pull,) = stage.github.pulls
    message = stage.github.commits[stage.github.branches[pull.new.head]].message
    first, *rest = message.split("\n\n")
    assert first == pull.new.title
    assert rest == ["Fixes #7"]
    assert "\n" not in first
    assert not any(part in first for part in ("[skip ci]", "#1", "@org", "\u202e", "skip-checks:"))


def test_a_subject_that_a_pull_request_of_ours_quotes_is_not_taken_for_done() -> None:
    stage = Stage()
    stage.run()
    (first,) = stage.github.pulls
    quoting = replace(first.new, body=f"{first.new.body}\n{marker('subject', 'issue-9')}")
    stage.github.pulls = [replace(first, new=quoting)]
    stage.github.issues[9] = stage.github.issues[7]
    assert stage.run(replace(stage.issue, issue=9, delivery_id="d9")).state is State.PUBLISHED
    assert len(stage.github.pulls) == 2
