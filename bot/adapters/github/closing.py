"""Other people's open pull requests that close an issue, told by their texts: REST has no such list."""

from itertools import islice

from bot.adapters.github.session import PULLS, Session
from bot.pipeline.closing import closes
from bot.pipeline.ports.github import OtherPull

MOST_READ = 300


def closing(session: Session, issue: int, bot_login: str) -> tuple[OtherPull, ...]:
    """Those among the pull requests that changed last. Raises `GitHubError`."""
    repository = session.repository(PULLS)

    def found() -> tuple[OtherPull, ...]:
        pulls = repository.get_pulls(state="open", sort="updated", direction="desc")
        return tuple(
            OtherPull(pull.number, pull.html_url, pull.user.login)
            for pull in islice(pulls, MOST_READ)
            if pull.user is not None
            and pull.user.login != bot_login
            and closes(f"{pull.title}\n{pull.body or ''}", session.full_name, issue)
        )

    return session.read("looking for pull requests that close the issue", found)
