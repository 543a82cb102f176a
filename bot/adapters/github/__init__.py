"""GitHub as an App: installation tokens, and the port `GitHub` over REST."""

from bot.adapters.github.pace import Pace
from bot.adapters.github.rest import RestGitHub
from bot.adapters.github.tokens import InstallationTokens

__all__ = ["InstallationTokens", "Pace", "RestGitHub"]
