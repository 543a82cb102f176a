"""What people and CI do in the storm: for each subject a row of acts, done in this order, others' in between."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from fakes_fix import FILES, SOURCE

from bot.demo.state import FileContent, State

MAINTAINER, OUTSIDER = "mona", "oscar"
LABEL = "regreen"
ISSUES_EACH = 5
"""So many issues a repository; its default branch is one further subject."""
JOBS = [("lint", "success", "fine"), ("test", "failure", "FAILED tests/test_grades.py::test_fifty - assert 'fail'")]
Act = Callable[[], object]


class Kind(StrEnum):
    """What becomes of a subject."""

    FIX = "fix"
    AGAIN = "again"
    STOP = "stop"
    UNLABEL = "unlabel"
    CLOSE = "close"
    QUIET = "quiet"
    CHECK = "check"

    @property
    def wanted(self) -> bool:
        """Whether a run has to come of it whatever comes first."""
        return self in {Kind.FIX, Kind.AGAIN, Kind.CHECK}


ROW = (Kind.FIX, Kind.FIX, Kind.AGAIN, Kind.FIX, Kind.STOP, Kind.FIX, Kind.QUIET, Kind.UNLABEL, Kind.FIX, Kind.CLOSE)


@dataclass
class Plot:
    """One subject; `word` stands in its texts and in no other's, `number` is its issue's, 0 for a branch."""

    state: State
    repository: str
    kind: Kind
    word: str
    number: int = 0
    acts: list[Act] = field(default_factory=list)

    @property
    def subject(self) -> str:
        """As runs call it."""
        return f"issue-{self.number}" if self.number else "check-main"

    def chat(self) -> None:
        """Say something that is no command."""
        if self.number:
            self.state.comment(self.repository, self.number, "I see this too:\n\n> /regreen fix\n", by=OUTSIDER)
        else:
            sha = self._head()
            self.state.status(self.repository, sha, "ci/other", "success", by=MAINTAINER)

    def begin(self) -> None:
        """Fill in the acts."""
        self.acts = [self._red, self._suite, self._status] if self.kind is Kind.CHECK else self._of_issue()

    def _of_issue(self) -> list[Act]:
        rows: Mapping[Kind, list[Act]] = {
            Kind.FIX: [self._label, self._say("/regreen status")],
            Kind.AGAIN: [self._label, self._say("/regreen fix"), self._label_other],
            Kind.STOP: [self._label, self.chat, self._say("/regreen stop")],
            Kind.UNLABEL: [self._label, self.chat, self._unlabel],
            Kind.CLOSE: [self._label, self.chat, self._close],
            Kind.QUIET: [self._label_other],
        }
        return [self._open, self._outsider, *rows[self.kind]]

    def _open(self) -> None:
        body = f"`grade(50)` fails, see tests/test_grades.py::test_fifty ({self.word})."
        issue = self.state.open_issue(self.repository, f"Fifty does not pass: {self.word}", body, by=OUTSIDER)
        self.number = issue.number

    def _outsider(self) -> None:
        self.state.comment(self.repository, self.number, "/regreen fix", by=OUTSIDER)

    def _label(self) -> None:
        self.state.add_label(self.repository, self.number, LABEL, by=MAINTAINER)

    def _label_other(self) -> None:
        self.state.add_label(self.repository, self.number, "bug", by=MAINTAINER)

    def _unlabel(self) -> None:
        self.state.remove_label(self.repository, self.number, LABEL, by=MAINTAINER)

    def _close(self) -> None:
        self.state.close(self.repository, self.number, by=MAINTAINER)

    def _say(self, text: str) -> Act:
        return lambda: self.state.comment(self.repository, self.number, text, by=MAINTAINER)

    def _red(self) -> None:
        changed = SOURCE + f"\n# {self.word}\n".encode()
        self.state.commit(self.repository, "main", {"grades.py": changed}, "Go on", MAINTAINER)

    def _suite(self) -> None:
        self.state.complete_suite(self.repository, self._head(), "failure", JOBS)

    def _status(self) -> None:
        self.state.status(self.repository, self._head(), "ci/old", "failure", by=MAINTAINER)

    def _head(self) -> str:
        return self.state.repository(self.repository).git.refs()["refs/heads/main"]


def plots(state: State, subjects: int) -> list[Plot]:
    """So many subjects, on repositories that are made here."""
    made: list[Plot] = []
    files: dict[str, FileContent] = dict(FILES)
    while len(made) < subjects:
        repository = f"octo/r{len(made) // (ISSUES_EACH + 1)}"
        state.add_repository(repository, files, collaborators={MAINTAINER: "maintain"})
        issues = [ROW[(len(made) + at) % len(ROW)] for at in range(ISSUES_EACH)]
        kinds = [Kind.CHECK, *issues][: subjects - len(made)]
        made += [Plot(state, repository, kind, f"storm-{len(made) + at}.") for at, kind in enumerate(kinds)]
    for plot in made:
        plot.begin()
    return made
