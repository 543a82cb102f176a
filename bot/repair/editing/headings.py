"""What stands above a block or on its fence: a path, perhaps a function's name, perhaps that the file is new."""

import re
from collections.abc import Collection
from dataclasses import dataclass

_LABEL = re.compile(r"^(?:file(?:name)?|path|in|fix|edit|update|modify|change)(?:\s*:\s*|\s+)", re.IGNORECASE)
_ITEM = re.compile(r"^(?:[-*+]|\d{1,3}[.)])\s+")
_BEHIND = re.compile(r"\s+\((?:lines?|new|create|updated|modified|fixed)\b[^()]{0,40}\)$", re.IGNORECASE)
_NEW = re.compile(r"^(?:create\s+)?(?:a\s+)?new\s+file\s*:?\s*|^create\s*:\s*", re.IGNORECASE)
_NEW_BEHIND = re.compile(r"\((?:new|create)\b[^()]{0,40}\)[\s:*`]*$", re.IGNORECASE)
_MOVED = re.compile(r"\s(?:->|=>|\u2192|\u27a1)\s|^(?:rename|move)\s\S+\s(?:to|as)\s", re.IGNORECASE)
_LINK = re.compile(r"^\[([^\[\]]{1,300})\]\([^()]{1,300}\)$")
_BEHIND_PATH = re.compile(r"^([^:#]{1,500})[:#](?:L?\d+(?:[-:]L?\d+)?|([^\W\d][\w.]*(?:\(\))?))$")
_RECEIVER = re.compile(r"^\(?\*?(\w+)(?:\[[^\[\]]{0,100}\])?\)?\.")
"""Go's `(*Stack[T]).` before a method's name."""
_IDLE = re.compile(r"/(?:\.?/)+")
_NO_PATH = re.compile(r"[\s`<>|\"']")
_TOKEN = re.compile(r"[^\s`*\"'()\[\]<>,;]{1,500}")
_KEY = re.compile(r"^\w+[:=]")
_AROUND = "*`\"' "
MAX_WORDS = 8
MAX_HEADING = 1000


@dataclass(frozen=True, slots=True)
class Place:
    """What stands above a block: a path, and perhaps a function's qualified name (`path :: Class.method`).

    `new` says that the file is to be created, `moved` that it is to be renamed.
    """

    path: str
    name: str = ""
    new: bool = False
    moved: bool = False


def place_of(line: str, known: Collection[str]) -> Place | None:
    """Read a heading as a path, decorations aside; `None` when it is none."""
    if len(line) > MAX_HEADING:
        return None
    plain = _ITEM.sub("", line.strip()).strip("*`\"'#<>=: ").strip().removeprefix("// ")
    plain = _ITEM.sub("", plain).strip(_AROUND)
    if _MOVED.search(plain):
        return _moved(plain, known)
    new = bool(_NEW.match(plain) or _NEW_BEHIND.search(plain))
    plain = _BEHIND.sub("", _NEW.sub("", plain).rstrip("*`: ")) if new or plain.endswith(")") else plain
    plain = _LABEL.sub("", plain.strip(_AROUND)).strip("*`\"': ")
    linked = _LINK.match(plain)
    path, _, name = (part.strip(_AROUND) for part in (linked[1] if linked else plain).partition("::"))
    linked = _LINK.match(path)
    path = _relative(_slashed(linked[1] if linked else path, known).removeprefix("./").rstrip(":"), known)
    if path not in known and (behind := _BEHIND_PATH.match(path)) and behind[1] in known:
        path, name = behind[1], name or behind[2] or ""
    if path in known or _is_like_a_path(path):
        return Place(path, _RECEIVER.sub(r"\1.", name.replace("<locals>.", "").removesuffix("()")), new)
    return _named_in(line, known)


def on_fence(word: str) -> str:
    """A word of a fence's info line without its key, as in `title="a.py"`."""
    return _KEY.sub("", word)


def _slashed(path: str, known: Collection[str]) -> str:
    """A path without backslashes, which part directories, or keep Markdown from reading an underscore."""
    plain = path.replace("\\_", "_")
    return plain if plain in known else path.replace("\\", "/")


def _relative(path: str, known: Collection[str]) -> str:
    """A path as the tree has it, where a diff's letter or the directory of the tests' machine stands before it."""
    path = _IDLE.sub("/", path) if path not in known else path
    for prefix in ("a/", "b/", "/repo/", "repo/"):
        if path.startswith(prefix) and path not in known and path.removeprefix(prefix) in known:
            return path.removeprefix(prefix)
    return path


def _named_in(line: str, known: Collection[str]) -> Place | None:
    """The one path of the tree in a short line that ends in a colon, as in ``Update `a.py` as follows:``."""
    text = line.strip().rstrip("*_ ")
    if not text.endswith(":") or len(text.split()) > MAX_WORDS:
        return None
    found = {token for word in _TOKEN.findall(text) if (token := _relative(word.rstrip(":."), known)) in known}
    return Place(found.pop()) if len(found) == 1 else None


def _moved(plain: str, known: Collection[str]) -> Place | None:
    paths = [word for word in _TOKEN.findall(plain) if word in known or _is_like_a_path(word)]
    return Place(paths[0], moved=True) if len(paths) > 1 else None


def _is_like_a_path(text: str) -> bool:
    """One word with something behind a slash, or with a file name's ending."""
    if _NO_PATH.search(text):
        return False
    stem, _, ending = text.rpartition(".")
    named = bool(stem) and not stem.endswith("/") and ending.isascii() and ending.isalnum() and ending[0].isalpha()
    return "/" in text[:-1] or named
