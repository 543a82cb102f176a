"""The second rung: functions of a block take the place of their namesakes, with the imports and helpers they need.

Nothing is ever removed, and what a block holds beside that (examples, the present code, dots) is left away.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import groupby

from bot.errors import EditError
from bot.repair.editing.block_pieces import DEFINED, Block, bound, matches, pieces_of
from bot.repair.editing.elisions import check_elision, check_last
from bot.repair.editing.imports_written import added_imports
from bot.repair.editing.indentation import Translation, indent_of, unit_of
from bot.repair.editing.needs import needed
from bot.repair.editing.pieces import Kind, Lines, Piece
from bot.repair.editing.sourcetext import SourceText
from bot.repair.sources.grammar import SCRIPTS


class UnknownError(EditError):
    """A block of which a file has nothing."""


@dataclass(slots=True)
class _Merge:
    """What is to be done to a file: lines [start, stop), counted from 0, become others."""

    path: str
    source: SourceText
    block: Block
    there: tuple[Piece, ...]
    changes: list[tuple[int, int, Lines]] = field(default_factory=list)
    known: int = 0

    def run(self) -> SourceText:
        taken = self._replace()
        spare = [piece for piece in self.block.pieces if piece.direct and piece not in taken]
        if not self.known and self._is_new():
            spare.remove(self.block.functions[0])
            self._append(self.block.functions[0])
        self.known += sum(map(self._is_member, spare))
        if not self.known:
            raise UnknownError(*self._nothing_known())
        self._add_what_is_needed(spare)
        source = self.source
        # From the bottom up; of what goes in at one place the last first, above what is replaced there.
        order = sorted(range(len(self.changes)), key=lambda at: (*self.changes[at][:2], at), reverse=True)
        for start, stop, lines in (self.changes[at] for at in order):
            source = source.splice(start, stop, lines)
        return source

    def _replace(self) -> set[Piece]:
        """Put what the file has in the place of its namesake; what of the block is done with."""
        done: set[Piece] = set()
        meant: dict[Piece, Piece] = {}
        for piece in self.block.pieces:
            old = self._namesake(piece) if not self._is_example(piece) else None
            if old is None:
                continue
            done.add(piece)
            meant[old] = piece
        whole = [piece for piece in meant.values() if not piece.empty]
        for old, piece in meant.items():
            self.known += piece.kind is not Kind.CLASS
            if piece.kind is Kind.CLASS:
                self._rehead(old, piece)
            elif not piece.empty or old.empty or not whole:
                self._put(old, piece)
        return done

    def _namesake(self, piece: Piece) -> Piece | None:
        if piece.kind is not Kind.FUNCTION:
            same = [old for old in self.there if _same(old, piece)]
            return same[0] if len(same) == 1 else None
        hits = matches(self.there, piece) if piece.direct else []
        if len(hits) > 1:
            hits = [hit for hit in hits if hit.role == piece.role] or hits
            twins = [one for one in self.block.functions if (one.name, one.role) == (piece.name, piece.role)]
            hits = [hits[twins.index(piece)]] if len(twins) == len(hits) else hits
        if len(hits) > 1:
            names = ", ".join(f"{hit.qualified_name} (line {hit.start})" for hit in hits[:5])
            named = "Write `path :: Class.function` above the block" if len({hit.owner for hit in hits}) > 1 else ""
            raise EditError(
                f"{self.path} defines {piece.qualified_name} {len(hits)} times: {names}",
                f"{named or 'Give the decorators of the one that is meant'}, or use a search/replace edit.",
            )
        return hits[0] if hits else None

    def _put(self, old: Piece, piece: Piece) -> None:
        """New lines at the old depth and in the old unit; the old decorators stay when the block gives none."""
        first = old.start if piece.head > piece.start or piece.kind is not Kind.FUNCTION else old.head
        window = self.source.lines[first - 1 : old.end]
        check_elision(self.path, self.source.lines, self.block.told(piece))
        if piece.kind is Kind.FUNCTION:
            check_last(self.path, window, self.block.told(piece))
        placed = self._led(old, piece, self._placed(piece, window, old.unit))
        if placed != window:
            self.changes.append((first - 1, old.end, placed))

    def _led(self, old: Piece, piece: Piece, lines: Lines) -> Lines:
        """With the `export` of the old lines, which a function is often given without."""
        if not old.lead or piece.lead:
            return lines
        if "=" in old.lead:
            raise EditError(
                f"{self.path} defines {old.name} as `{old.lead.strip()} ...`", "Give the whole statement in that form."
            )
        at = piece.head - piece.start
        indent = indent_of(lines[at])
        return (*lines[:at], f"{indent}{old.lead}{lines[at].lstrip()}", *lines[at + 1 :])

    def _placed(self, piece: Piece, window: Lines, unit: str) -> Lines:
        lines = self.block.text(piece)
        base = indent_of(window[0])
        if piece.kind is not Kind.FUNCTION and base == indent_of(lines[0]):
            return lines
        translation = Translation(
            indent_of(lines[0]), piece.unit or unit_of(lines), base, unit or unit_of(self.source.lines)
        )
        stay = self._unmoved(piece, translation)
        return tuple(line if at in stay else translation.apply(line) for at, line in enumerate(lines, piece.start))

    def _unmoved(self, piece: Piece, translation: Translation) -> set[int]:
        """Lines inside of strings that the file has so: of a string all, where it has more of them so than moved.

        A string that is new stays where a line of it stands left of the code: it was not indented along with that.
        """
        present, stay = set(self.source.lines), set[int]()
        depth = len(indent_of(self.block.lines[piece.start - 1]) + piece.unit)
        for _, run in groupby(enumerate(sorted(piece.verbatim)), key=lambda pair: pair[1] - pair[0]):
            texts = {at: self.block.lines[at - 1] for _, at in run}
            same = {at for at, text in texts.items() if text in present}
            moved = sum(translation.apply(text) in present for text in texts.values())
            outdented = any(text.strip() and len(indent_of(text)) < depth for text in texts.values())
            stay |= texts.keys() if len(same) > moved or (outdented and not moved) else same
        return stay

    def _rehead(self, old: Piece, piece: Piece) -> None:
        """Give a class the decorators and the bases that the block names."""
        first = old.start if piece.head > piece.start else old.head
        window, given = self.source.lines[first - 1 : old.head], self.block.lines[piece.start - 1 : piece.head]
        base = indent_of(window[-1])
        placed = tuple(f"{base}{line[len(indent_of(given[-1])) :]}" for line in given)
        if not piece.role or piece.role == old.role:
            placed = (*placed[:-1], window[-1])
        if placed != window:
            self.changes.append((first - 1, old.head, placed))

    def _is_new(self) -> bool:
        """Whether the heading asks for a function that the file lacks."""
        alone = self.block.functions
        return len(alone) == 1 and self.block.named == alone[0].name and self.block.named not in bound(self.there)

    def _is_member(self, piece: Piece) -> bool:
        """Whether a class gets something: what stands in one is no example."""
        return piece.kind in DEFINED and not piece.empty and self._owner_of(piece) is not None

    def _append(self, piece: Piece) -> None:
        self.known += 1
        self._insert_behind(_last(self.source.lines), None, piece)

    def _end_of(self, owner: Piece) -> int:
        """The last line inside of a class."""
        return owner.end - (self.block.language in SCRIPTS)

    def _insert_behind(self, line: int, owner: Piece | None, piece: Piece) -> None:
        """A new piece below a line (counted from 1), in a class at the depth of its body, else at the margin."""
        inside = next((old for old in self.there if owner and old.owner == owner.qualified_name), None)
        window = self.source.lines[inside.head - 1 :] if inside else ("",)
        check_elision(self.path, self.source.lines, self.block.told(piece))
        placed = self._placed(piece, window[:1], inside.unit if inside else "")
        gap = 0 if piece.kind is Kind.VALUE else 1 if owner else self._gap()
        self.changes.append((line, line, (*[""] * gap, *placed)))

    def _gap(self) -> int:
        return 2 if self.block.language == "python" else 1

    def _add_what_is_needed(self, spare: list[Piece]) -> None:
        """Helpers, constants and methods that the new lines need and the file lacks, and then imports likewise."""
        spare = [piece for piece in spare if not self._is_example(piece)]
        present, texts = bound(self.there), [lines for _, _, lines in self.changes]
        added: set[Piece] = set()
        while True:
            names = needed(self.block.language, texts) - present
            fresh = [
                piece
                for piece in spare
                if piece.kind in DEFINED
                and piece not in added
                and (self._is_member(piece) or piece.qualified_name in names)
            ]
            if not fresh:
                break
            added.update(fresh)
            texts += [self.block.text(piece) for piece in fresh]
        for piece in spare:
            if piece in added and (owner := self._owner_of(piece)):
                self._add_member(piece, owner)
        anchor = self._anchor() if self.changes else 0
        for piece in spare:
            if piece in added and not self._owner_of(piece):
                check_elision(self.path, self.source.lines, self.block.told(piece))
                self.changes.append((anchor, anchor, (*self.block.text(piece), *[""] * self._gap())))
        self._add_imports(spare, names)

    def _is_example(self, piece: Piece) -> bool:
        """Whether a value of the module stands behind a function, as in a use of it, and in the file does not."""
        if piece.kind not in {Kind.VALUE, Kind.OTHER} or piece.owner:
            return False
        above = {one.qualified_name for one in self.block.functions if one.start < piece.start}
        old = next((one for one in self.there if _same(one, piece)), None)
        first = min((one.start for one in self.there if one.qualified_name in above), default=0)
        return bool(above) and (old is None or old.start < first)

    def _owner_of(self, piece: Piece) -> Piece | None:
        kinds = {Kind.CLASS, Kind.VALUE} if self.block.language == "go" else {Kind.CLASS}
        known = (old for old in self.there if old.kind in kinds and old.qualified_name == piece.owner)
        return next(known, None) if piece.owner else None

    def _add_member(self, piece: Piece, owner: Piece) -> None:
        siblings = [one for one in self.block.pieces if one.owner == piece.owner and one.start < piece.start]
        known = [old for one in siblings for old in self.there if old.qualified_name == one.qualified_name]
        self._insert_behind(known[-1].end if known else self._end_of(owner), owner, piece)

    def _anchor(self) -> int:
        """Above the first piece of the module that changes, and above the comments that belong to it."""
        first = min(start - (start == stop) for start, stop, _ in self.changes)
        at = next((piece.start - 1 for piece in self.there if piece.start - 1 <= first < piece.end), first)
        while at and self.source.lines[at - 1].startswith(("#", "//", "/*", " *")):
            at -= 1
        return at

    def _add_imports(self, spare: Iterable[Piece], wanted: Collection[str]) -> None:
        imports = (piece for piece in spare if piece.kind is Kind.IMPORT and not piece.owner)
        given = [self.block.text(piece) for piece in imports if not set(wanted).isdisjoint(piece.binds)]
        at, lines = added_imports(self.block.language, given, self.source.lines, self.there, wanted)
        if lines:
            self.changes.append((at, at, lines))

    def _nothing_known(self) -> tuple[str, str]:
        names = ", ".join(piece.qualified_name for piece in self.block.functions[:5])
        if bound(self.there).intersection(piece.name for piece in self.block.functions):
            return f"{self.path} defines {names} in another form", "Give the whole statement in its present form."
        return (
            f"{self.path} defines {f'no function {names}' if names else 'nothing that the block holds'}",
            "Replace a function that exists, or write `path :: name` above a new one.",
        )


def merge(path: str, source: SourceText, block: Block) -> SourceText:
    """Put a block's functions and constants into a file.

    Raises `EditError` when the file has none of them, or several of one name.
    """
    there = pieces_of(path, source.lines)
    if there is None:
        raise EditError(f"{path} does not parse", "Use a search/replace edit.")
    return _Merge(path, source, block, there).run()


def _same(old: Piece, new: Piece) -> bool:
    """Whether two pieces that are no functions define, or give a value to, the same."""
    called = new.qualified_name if new.kind in DEFINED else new.sets
    return bool(called) and (old.kind, old.qualified_name, old.sets) == (new.kind, new.qualified_name, new.sets)


def _last(lines: Lines) -> int:
    """The last line that is not blank, counted from 1."""
    return max((at for at, line in enumerate(lines, 1) if line.strip()), default=0)
