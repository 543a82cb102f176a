"""Red checks: what failed at CI, whose fault it is, and what is said where there is nothing to fix."""

from bot.pipeline.red.choice import RedCheck
from bot.pipeline.red.failures import failures
from bot.pipeline.red.findings import Findings
from bot.pipeline.red.texts import Ending, left_alone, without_fix

__all__ = ["Ending", "Findings", "RedCheck", "failures", "left_alone", "without_fix"]
