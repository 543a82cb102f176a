"""Who may ask: people who may write, and the bots that the policy lists by exact login."""

from bot.policy import RepoPolicy
from bot.triggers.values import Ignore, Known


def refusal(sender: str, known: Known, *, is_bot: bool, stopping: bool = False) -> Ignore | None:
    """Why a sender gets nothing; `None` for one who may. Who may can stop what runs, even where the bot is off now."""
    policy = known.policy
    if not (policy.enabled or stopping):
        return Ignore("the policy file switches the bot off")
    if ignored(sender, policy):
        return Ignore("the policy file says to ignore this author")
    if is_bot or sender.endswith("[bot]"):
        # Listed in a file that only writers can change, a bot needs no permission of its own.
        return None if sender in policy.bots else Ignore("the sender is a bot that the policy file does not list")
    return None if known.may_write else Ignore("the sender may not write to the repository")


def ignored(sender: str, policy: RepoPolicy) -> bool:
    """Whether the policy says to ignore somebody; GitHub does not tell logins apart by case."""
    return sender.casefold() in {login.casefold() for login in policy.ignored_authors}
