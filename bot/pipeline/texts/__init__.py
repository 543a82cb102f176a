"""All that people on GitHub read of Regreen's own words, in each language: status lines, refusals, reports, answers.

Values that come from outside are escaped by whoever says a text. Markers, commands and keys are the same everywhere,
and so is what GitHub acts on, as `Fixes #7`. Causes of errors, and what tests, models and the sandbox say, are English.
"""

from bot.pipeline.texts.answers import Answered
from bot.pipeline.texts.lines import Heading, Lead, Text, headed
from bot.pipeline.texts.outcomes import Help, Judged, Stop
from bot.pipeline.texts.reasons import Why
from bot.pipeline.texts.red import Red
from bot.pipeline.texts.report import Press, Report
from bot.pipeline.texts.said import Said, counted, number
from bot.pipeline.texts.shown import Shown

__all__ = [
    "Answered",
    "Heading",
    "Help",
    "Judged",
    "Lead",
    "Press",
    "Red",
    "Report",
    "Said",
    "Shown",
    "Stop",
    "Text",
    "Why",
    "counted",
    "headed",
    "number",
]
