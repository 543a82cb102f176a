"""Everything that a patch adds and that a cheat would add, from every check."""

from collections.abc import Collection, Mapping, Sequence

from bot.repair.integrity.flag import Flag
from bot.repair.types import Patch, SourceFile


def flags(
    patch: Patch, before: Mapping[str, bytes], tests: Sequence[SourceFile] = (), targets: Collection[str] = ()
) -> tuple[Flag, ...]:
    """What a patch adds, refusing or merely shown, by path and line.

    `before` maps the patched paths that exist to their content; `tests` are the files that hold the targets, of which
    literals count as copied (`bot.repair.integrity.suites` reads them); `targets` are node ids.
    """
    del patch, before, tests, targets
    return ()
