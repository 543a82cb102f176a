"""Whether a recipe can be run at all: manifests are strangers' text, and may say what no command line can hold."""

from collections.abc import Iterator
from dataclasses import fields

from sandbox.errors import DetectionError
from sandbox.spec import Recipe

MAX_TEXT = 1 << 16
"""Characters of one text. The kernel takes twice as many bytes in one argument."""
MAX_ALL = 1 << 22
MAX_TEXTS = 50_000


def require(recipe: Recipe) -> None:
    """Raise `DetectionError` when any text of a recipe holds NUL, cannot be encoded, or is too long; or all are.

    Bytes of file names that are no UTF-8 count as what they are (PEP 383).
    """
    count = length = 0
    for name, text in _texts(recipe):
        count, length = count + 1, length + len(text)
        if "\0" in text or not _encodable(text):
            raise DetectionError(
                f"The project's manifests give a {name} that holds a character which no command, variable or path can: "
                f"{text[:80]!a}",
                "Remove the character (NUL, or half of a surrogate pair).",
            )
        if len(text) > MAX_TEXT or length > MAX_ALL or count > MAX_TEXTS:
            raise DetectionError(f"The project's manifests give more text than is read, in {name}", "Shorten it.")


def _texts(recipe: Recipe) -> Iterator[tuple[str, str]]:
    for field in fields(recipe):
        name = field.name.replace("_", " ")
        yield from ((name, text) for text in _flat(getattr(recipe, field.name)))


def _flat(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from _flat(each)


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True
