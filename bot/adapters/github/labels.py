"""The port `Labels` over REST."""

from collections.abc import Iterable
from urllib.parse import quote

from bot.adapters.github.pace import Pace
from bot.adapters.github.session import COMMENT, ISSUES, Session
from bot.adapters.github.tokens import InstallationTokens
from bot.errors import GitHubError, NotFoundError
from bot.pipeline.reports.labels import COLOURS, Label


class RestLabels:
    """One repository's labels. GitHub compares their names without regard to case."""

    def __init__(self, tokens: InstallationTokens, installation_id: int, repository: str, pace: Pace) -> None:
        """Send nothing yet; `repository` is owner/name."""
        self._session = Session(tokens, installation_id, repository, pace)

    def make(self) -> None:
        """Make the App's labels in the repository; those that are there stay as people changed them."""
        repository = self._session.repository(ISSUES)
        there = self._session.read("listing the labels", lambda: _names(one.name for one in repository.get_labels()))
        for label in Label:
            if label not in there:
                self._make(label)

    def put(self, number: int, label: Label | None) -> None:
        """Let the issue or pull request bear this one of the App's labels, or none."""
        issue = self._session.repository(ISSUES).get_issue(number)
        borne = self._session.read(
            f"reading the labels of {number}", lambda: _names(x.name for x in issue.get_labels())
        )
        if label and label not in borne:
            target = self._session.repository(COMMENT).get_issue(number)
            # A label that the repository lacks is made by this, without its colour.
            self._session.write("putting a label on", lambda: target.add_to_labels(label.value))
        for other in Label:
            if other is not label and other in borne:
                self._take_off(number, other)

    def _take_off(self, number: int, label: Label) -> None:
        repository = self._session.repository(COMMENT)
        url = f"{repository.url}/issues/{number}/labels/{quote(label.value, safe='')}"
        try:
            self._session.write(
                "taking a label off", lambda: repository.requester.requestJsonAndCheck("DELETE", url) and None
            )
        except NotFoundError:
            # somebody else took it off meanwhile
            return

    def _make(self, label: Label) -> None:
        colour, meaning = COLOURS[label]
        repository = self._session.repository(COMMENT)
        try:
            self._session.write("making a label", lambda: repository.create_label(label.value, colour, meaning))
        except GitHubError as error:
            # 422, the only plain refusal here, says that it is there already.
            if type(error) is not GitHubError:
                raise


def _names(given: Iterable[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in given)
