"""Files while a reply is applied to them: which of them is meant, what they have become, what comes of it."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.errors import EditError
from bot.repair.editing import refusals
from bot.repair.editing.headings import Place
from bot.repair.editing.sourcetext import SourceText, decode
from bot.repair.types import FileChange, Patch


class Rung(StrEnum):
    """How an edit was written, from the cheapest to the most robust."""

    SEARCH_REPLACE = "search_replace"
    RELAXED = "search_replace_relaxed"
    FUNCTION = "function"
    FILE = "file"


@dataclass(slots=True)
class Draft:
    """Files as they are being edited; the functions given for them so far, and the highest rung used.

    `originals` are the only ones that may be edited, `known` all paths of the tree, and `default_path` is meant where
    a block names no file, or none of the tree. `creatable` says whether a new file may have a path.
    `redone` allows a function to be given anew, since the reply has taken the first one back.
    """

    originals: Mapping[str, bytes]
    known: Collection[str]
    default_path: str
    creatable: Callable[[str], bool]
    texts: dict[str, SourceText] = field(default_factory=dict)
    redone: bool = False
    given: dict[tuple[str, str, str], list[list[str]]] = field(default_factory=dict)
    functions: int = 0
    rung: Rung = Rung.SEARCH_REPLACE

    def knows(self, place: Place | None) -> bool:
        """Whether a place names a file of the tree; small models copy the format's own example, or make one up."""
        return place is not None and (
            place.path in self.originals or place.path in self.known or place.path in self.texts
        )

    def meant(self, place: Place | None, fallback: str = "") -> str:
        """The path that a place means; a made-up one means the fallback, or the default."""
        return place.path if place and (self.knows(place) or not fallback) else fallback

    def open(self, place: Place | None, fallback: str = "") -> tuple[str, SourceText]:
        """The file that is meant, as it stands. Raises `EditError` when it may not be edited."""
        if place is not None and place.moved:
            raise EditError(f"The reply renames {place.path}", "Files keep their names: edit it where it is.")
        path = self.meant(place, fallback or self.default_path)
        if not path:
            raise EditError("The edit names no file", "Write the file's path on the line above each edit.")
        if path not in self.texts:
            refusals.check_place(path, self.known, self.originals)
            source = decode(path, self.originals[path])
            refusals.check_source(path, source)
            self.texts[path] = source
        return path, self.texts[path]

    def create(self, path: str) -> SourceText:
        """A new, empty file. Raises `EditError` where none may be made."""
        refusals.check_new(path, self.known, (*self.originals, *self.texts), self.creatable)
        self.texts[path] = SourceText((), ())
        return self.texts[path]

    def put(self, path: str, source: SourceText, rung: Rung) -> None:
        """Keep what a file has become."""
        self.texts[path] = source
        self.rung = max(self.rung, rung, key=list(Rung).index)

    def patch(self) -> Patch:
        """What has changed. Raises `EditError` for nothing at all, and for code that cannot be meant."""
        contents = {path: source.encode() for path, source in sorted(self.texts.items())}
        changed = [path for path, content in contents.items() if content != self.originals.get(path)]
        if not changed:
            raise EditError(
                f"The reply leaves {', '.join(contents)} as it is", "Change the code so that its behaviour changes."
            )
        for path in changed:
            refusals.check_result(path, self.originals.get(path), contents[path], self.texts[path])
        return Patch(tuple(FileChange(path, contents[path]) for path in changed))
