"""What a catalogue of texts is: each text in every language, and numbers as each writes them."""

from enum import Enum

from bot.policy import Language


class Said(Enum):
    """A text in each language."""

    def __init__(self, en: str, de: str) -> None:
        """English, then German."""
        self.by_language: dict[Language, str] = {"en": en, "de": de}

    def say(self, language: Language, **values: object) -> str:
        """The text with its values."""
        return self.by_language[language].format(**values)


def number(value: float, language: Language, digits: int = 0) -> str:
    """A number with its thousands apart, and as many digits behind the point."""
    written = f"{value:,.{digits}f}"
    return written if language == "en" else written.translate(str.maketrans(",.", ".,"))


def counted(count: int, one: Said, many: Said, language: Language, **values: object) -> str:
    """The text for one thing, or that for any other `count` of them."""
    return (one if count == 1 else many).say(language, count=count, **values)
