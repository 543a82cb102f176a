"""The trailers of a commit's message: who asked, as co-author, and the App's sign-off, where the policy wants them."""

from bot.errors import GitHubError
from bot.pipeline.ports.threads import Branches
from bot.policy import RepoPolicy


def trailers(policy: RepoPolicy, branches: Branches, sender: str) -> str:
    """What ends a message, from its empty line on; empty where the policy wants none.

    Somebody who cannot be looked up is not named: a commit is worth more than its trailers.
    """
    lines = []
    if policy.co_authors and not sender.endswith("[bot]"):
        lines.append(_line(branches, "Co-authored-by", sender))
    if policy.sign_off:
        lines.append(_line(branches, "Signed-off-by", ""))
    kept = [line for line in lines if line]
    return "\n\n" + "\n".join(kept) if kept else ""


def _line(branches: Branches, name: str, login: str) -> str:
    try:
        person = branches.person(login)
    except GitHubError:
        return ""
    return f"{name}: {person}" if person else ""
