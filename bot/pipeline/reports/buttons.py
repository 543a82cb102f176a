"""The buttons on the bot's check runs: pressing one is a person's request, like a command."""

from bot.pipeline.ports.github import Button
from bot.pipeline.texts import Press
from bot.policy import Language
from bot.triggers import FIX, STOP


def fix_this(language: Language = "en") -> Button:
    """Starts a run."""
    return Button(Press.FIX.say(language), Press.FIX_DOES.say(language), FIX)


def stop_this(language: Language = "en") -> Button:
    """Cancels the one that is under way."""
    return Button(Press.STOP.say(language), Press.STOP_DOES.say(language), STOP)
