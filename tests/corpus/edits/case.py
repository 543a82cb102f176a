"""What a case of the corpus is: a tree, a reply, and the bytes that must come of it, or the reason why nothing may."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Case:
    """`lands` maps each changed path to its exact new bytes; where it is empty, `refused` is in the reason, as a regex.

    `files` may be edited; `unread` are further regular files of the tree, `links` its symlinks.
    """

    name: str
    files: Mapping[str, bytes]
    reply: str
    lands: Mapping[str, bytes] = field(default_factory=dict)
    refused: str = ""
    finish_reason: str = "stop"
    default_path: str = ""
    unread: tuple[str, ...] = ()
    links: tuple[str, ...] = ()


def edit(path: str, search: str, new: str) -> str:
    """One search/replace edit as the prompt asks for it."""
    middle = f"{new}\n" if new else ""
    return f"{path}\n<<<<<<< SEARCH\n{search}\n=======\n{middle}>>>>>>> REPLACE\n"


def block(heading: str, code: str, language: str = "python") -> str:
    """One fenced block below a heading, after a few words."""
    return (
        f"CAUSE: it is wrong.\nPREDICTION: it will be right.\n\n{heading}\n```{language}\n{code.strip(chr(10))}\n```\n"
    )


def swap(data: bytes, old: str | bytes, new: str | bytes, encoding: str = "utf-8") -> bytes:
    """The bytes with the one occurrence of `old` replaced; a corpus must not be ambiguous itself."""
    before, after = (text if isinstance(text, bytes) else text.encode(encoding) for text in (old, new))
    if data.count(before) != 1:
        message = f"{before!r} occurs {data.count(before)} times"
        raise ValueError(message)
    return data.replace(before, after)
