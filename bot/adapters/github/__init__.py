"""GitHub as an App: installation tokens, and the ports `GitHub` and `Checks` over REST."""

from bot.adapters.github.checks import RestChecks
from bot.adapters.github.pace import Pace
from bot.adapters.github.rest import RestGitHub
from bot.adapters.github.tokens import InstallationTokens

__all__ = ["InstallationTokens", "Pace", "RestChecks", "RestGitHub"]
