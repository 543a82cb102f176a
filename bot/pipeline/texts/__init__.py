"""The short texts that people see, in each language: status lines, refusals, headings. Longer reports are English.

Values that come from outside are escaped by whoever says a text. Markers, commands and keys are the same everywhere.
"""

from bot.pipeline.texts.lines import Heading, Lead, Text, headed
from bot.pipeline.texts.reasons import Why

__all__ = ["Heading", "Lead", "Text", "Why", "headed"]
