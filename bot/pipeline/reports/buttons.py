"""The buttons on the bot's check runs: pressing one is a person's request, like a command."""

from bot.pipeline.ports.github import Button
from bot.triggers import FIX, STOP

FIX_THIS = Button("Fix this", "Start a run about this", FIX)
STOP_THIS = Button("Stop", "Cancel the run that is under way", STOP)
