"""Who may ask: people who may write, and the bots that the policy lists by exact login."""

from bot.policy import RepoPolicy
from bot.triggers.values import Ignore, Known


def refusal(sender: str, known: Known, *, is_bot: bool, stopping: bool = False) -> Ignore | None:
    """Why a sender gets nothing; `None` for one who may. Who may can stop what runs, even where the bot is off now."""
    policy = known.policy
    if not (policy.enabled or stopping):
        return Ignore("the policy file switches the bot off")
    if not sender:
        return Ignore("GitHub does not say who it was")
    if ignored(sender, policy):
        return Ignore("the policy file says to ignore this author")
    if _is_bot(sender, is_bot=is_bot):
        # Listed in a file that only writers can change, a bot needs no permission of its own.
        return None if sender in policy.bots else Ignore("the sender is a bot that the policy file does not list")
    return None if known.may_write else Ignore("the sender may not write to the repository")


def permission_of(sender: str, policy: RepoPolicy, *, is_bot: bool) -> str:
    """Whose permission counts: nobody's for a bot, which is no collaborator."""
    return "" if _is_bot(sender, is_bot=is_bot) and sender in policy.bots else sender


def is_listed_bot(login: str, policy: RepoPolicy) -> bool:
    """Whether the policy lists a bot by its login as GitHub writes it: what it says counts like a writer's words."""
    return _is_bot(login, is_bot=False) and login in policy.bots


def _is_bot(sender: str, *, is_bot: bool) -> bool:
    return is_bot or sender.endswith("[bot]")


def ignored(sender: str, policy: RepoPolicy) -> bool:
    """Whether the policy says to ignore somebody; GitHub does not tell logins apart by case."""
    return sender.casefold() in {login.casefold() for login in policy.ignored_authors}
