"""The guide and the help say all that can be said, and nothing else."""

import re
from pathlib import Path

import pytest

from bot.pipeline.intake.answers import HELP
from bot.requests import Word, parse

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "triggers.md").read_text()


@pytest.mark.parametrize("text", [GUIDE, HELP], ids=["guide", "help"])
def test_every_command_is_told_of_and_every_command_told_of_is_one(text: str) -> None:
    said = set(re.findall(r"`/regreen (\w+)`", text))
    assert said | {"help"} == {word.value for word in Word}
    assert all((found := parse(f"/regreen {word}")) and found.word is Word(word) for word in said)


def test_the_help_itself_is_no_command() -> None:
    assert parse(HELP) is None
