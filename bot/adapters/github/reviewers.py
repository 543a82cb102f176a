"""Asking for reviews, one request each: one whom GitHub refuses, since they may not read along, fails a whole one."""

from bot.adapters.github.session import REVIEW, Session
from bot.errors import GitHubError


def ask_review(session: Session, pull_request: int, reviewers: tuple[str, ...]) -> tuple[str, ...]:
    """See `bot.pipeline.ports.github.GitHub.ask_review`. Asking again changes nothing. Raises `GitHubError`."""
    pull = session.repository(REVIEW).get_pull(pull_request)

    def ask(one: str) -> None:
        organisation, _, team = one.partition("/")
        people, teams = ([], [team]) if team else ([organisation], [])
        session.write("asking for a review", lambda: pull.create_review_request(people, teams))

    refused = []
    for one in reviewers:
        try:
            ask(one)
        except GitHubError as error:
            # 422, the only plain refusal here, is about this one alone.
            if type(error) is not GitHubError:
                raise
            refused.append(one)
    return tuple(refused)
