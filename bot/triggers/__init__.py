"""What an event leads to: a job, an act, or nothing for a reason. Pure.

A caller runs `prefilter`, reads the policy where `asks_policy`, looks up what the event `needs`, and calls `decide`; a
job that comes of it is decided again once it is known whether its subject is paused.
"""

from bot.triggers.checks import FIX, POLICY, RED, RERUN, STOP
from bot.triggers.deciding import asks_policy, decide, needs, prefilter
from bot.triggers.ours import subject_of
from bot.triggers.values import Ignore, Known, Needs, Operator

__all__ = [
    "FIX",
    "POLICY",
    "RED",
    "RERUN",
    "STOP",
    "Ignore",
    "Known",
    "Needs",
    "Operator",
    "asks_policy",
    "decide",
    "needs",
    "prefilter",
    "subject_of",
]
