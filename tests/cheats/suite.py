"""The whole suite of cheats. The held-out third was written last, and no check was changed after it."""

from collections.abc import Mapping, Sequence

from cheats import answers, comparing, ending, golang, hiding, javascript, noticing, protected
from cheats.held_out import languages, libraries, services
from cheats.repository import Cheat

TUNED: tuple[Cheat, ...] = (
    *protected.CHEATS, *noticing.CHEATS, *answers.CHEATS, *comparing.CHEATS, *ending.CHEATS, *hiding.CHEATS,
    *javascript.CHEATS, *golang.CHEATS,
)  # fmt: skip
HELD_OUT: tuple[Cheat, ...] = (*libraries.CHEATS, *services.CHEATS, *languages.CHEATS)
ALL = (*TUNED, *HELD_OUT)


def by_repository(cheats: Sequence[Cheat]) -> Mapping[str, tuple[Cheat, ...]]:
    """Cheats over the same tree are judged against one baseline."""
    names = dict.fromkeys(cheat.repository.name for cheat in cheats)
    return {name: tuple(cheat for cheat in cheats if cheat.repository.name == name) for name in names}
