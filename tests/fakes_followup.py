"""A pull request of ours over scripted ports: what people say about it, and what a follow-up makes of that."""

from dataclasses import dataclass

from fakes_fix import FILES, MODEL_ALONE, Stage
from fakes_workspace import ScriptedWorkspace

from bot.jobs import FollowUp
from bot.pipeline.ports.checks import Distance, PullHead
from bot.pipeline.ports.github import NewPullRequest, Permission
from bot.pipeline.ports.threads import ReviewFacts
from bot.pipeline.reports.markdown import marker
from sandbox.spec import File

OURS = "regreen/issue-7"
SUBJECT = marker("subject", "issue-7")
FIXED = FILES["grades.py"].replace(b"> 50", b">= 50")
BODY = f"""{SUBJECT}
Fixes #7.

### Cause and fix

It was off by one.

### Tests before and after

| tests | before | after |
|---|---|---|
| failing before | 1 failing | 1 fixed, 0 still failing |

The suite ran 3 times before.

Fixed:

- `tests/test_grades.py::test_fifty`
"""


@dataclass
class PullStage(Stage):
    """`head` is what the pull request's branch holds; the model's replies are asked for, the search is off."""

    source: bytes = FIXED

    def __post_init__(self) -> None:
        super().__post_init__()
        self.facts = MODEL_ALONE
        self.start = self.github.branches["main"]
        self.github.branches[OURS] = self.start
        tree = {**{path: File(data) for path, data in FILES.items()}, "grades.py": File(self.source)}
        self.branch = self.github.add_commit(OURS, "Fix: Fifty should pass", tree)
        made = self.github.add_pull(self.github.bot_login, NewPullRequest(OURS, "main", "Fix", BODY, draft=False))
        self.number = made.number
        self.github.issues[self.number] = self.github.issues[7]
        self.github.permissions["ann"] = Permission.WRITE
        self.workspace = ScriptedWorkspace({**FILES, "grades.py": self.source}, self.suite)
        self.look()

    def look(self, behind: int = 0) -> None:
        """Let GitHub tell how the pull request stands, and that its branch is so many commits behind."""
        head = self.github.branches[OURS]
        self.checks.pulls[self.number] = PullHead(
            self.number,
            OURS,
            head,
            "main",
            self.github.branches["main"],
            fork=False,
            is_open=True,
            author="regreen[bot]",
        )
        self.checks.distances["main", head] = Distance(1, behind, self.start)

    def review(self, body: str = "", remarks: dict[tuple[str, int], str] | None = None, by: str = "ann") -> FollowUp:
        """Request changes, and the job that follows."""
        self.threads.reviews[61] = ReviewFacts(by, "CHANGES_REQUESTED", body, 1000.0, "https://github.test/review")
        for (path, line), text in (remarks or {}).items():
            self.threads.write(self.number, 61, by, path, line, text)
        return FollowUp("d5", 5, "o/r", self.number, "issue-7", OURS, 61, by, body)

    def command(self, text: str = "/regreen fix", by: str = "ann") -> FollowUp:
        """A person's command in a comment on the pull request."""
        return FollowUp("d6", 5, "o/r", self.number, "issue-7", OURS, 0, by, text, asked=True)

    @property
    def replies(self) -> list[str]:
        """The App's own answers in threads, without their markers."""
        return [text.partition("\n")[2] for _, text in self.threads.answers(self.number)]

    @property
    def status(self) -> str:
        """The one status comment on the pull request."""
        mark = marker("status", "issue-7")
        (only,) = [one.body for one in self.github.comments[self.number] if one.body.startswith(mark)]
        return only.partition("\n")[2]

    @property
    def text(self) -> str:
        """The pull request's own text."""
        return self.threads.text(self.number)


def reply(search: str, new: str, why: str = "It is said now.") -> str:
    """A model's answer with one edit of the module."""
    return f"CAUSE: {why}\nPREDICTION: the same\n\ngrades.py\n<<<<<<< SEARCH\n{search}\n=======\n{new}\n>>>>>>> REPLACE"
