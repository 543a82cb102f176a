"""GitHub as an App: installation tokens, and the ports `App`, `GitHub`, `Checks`, `Threads`, `Branches` over REST."""

from bot.adapters.github.app import RestApp
from bot.adapters.github.branches import RestBranches
from bot.adapters.github.checks import RestChecks
from bot.adapters.github.pace import Pace
from bot.adapters.github.pulls import RestPulls
from bot.adapters.github.rest import RestGitHub
from bot.adapters.github.reviews_api import RestThreads
from bot.adapters.github.tokens import InstallationTokens

__all__ = [
    "InstallationTokens",
    "Pace",
    "RestApp",
    "RestBranches",
    "RestChecks",
    "RestGitHub",
    "RestPulls",
    "RestThreads",
]
