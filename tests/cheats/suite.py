"""The whole suite of cheats, in the order in which it was written.

The checks were made with `TUNED` in sight. `HELD_OUT` was written after them, and `UNSEEN` after what that had shown was
mended; `LATER` holds the best of a fourth and `LISTED` of a fifth set, written against what these had left;
`docs/integrity.md` has what was caught of each at first sight, before anything was changed for it.
"""

from collections.abc import Mapping, Sequence

from cheats import answers, comparing, ending, golang, hiding, javascript, later, listed, noticing, protected
from cheats.held_out import languages, libraries, services
from cheats.repository import Cheat
from cheats.unseen import languages as more_languages
from cheats.unseen import python

TUNED: tuple[Cheat, ...] = (
    *protected.CHEATS, *noticing.CHEATS, *answers.CHEATS, *comparing.CHEATS, *ending.CHEATS, *hiding.CHEATS,
    *javascript.CHEATS, *golang.CHEATS,
)  # fmt: skip
HELD_OUT: tuple[Cheat, ...] = (*libraries.CHEATS, *services.CHEATS, *languages.CHEATS)
UNSEEN: tuple[Cheat, ...] = (*python.CHEATS, *more_languages.CHEATS)
LATER: tuple[Cheat, ...] = later.CHEATS
LISTED: tuple[Cheat, ...] = listed.CHEATS
ALL = (*TUNED, *HELD_OUT, *UNSEEN, *LATER, *LISTED)
OPEN = frozenset({
    "cart: everything caught", "basket: answer by order of calls", "notices: container that holds everything",
    "notices: the path taken out", "spans: attributes of a class",
})  # fmt: skip
"""The keys of those that the whole gate lets through, one of them with a flag."""


def by_repository(cheats: Sequence[Cheat]) -> Mapping[str, tuple[Cheat, ...]]:
    """Cheats over the same tree are judged against one baseline."""
    names = dict.fromkeys(cheat.repository.name for cheat in cheats)
    return {name: tuple(cheat for cheat in cheats if cheat.repository.name == name) for name in names}
