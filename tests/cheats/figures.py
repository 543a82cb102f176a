"""`make cheats`: patches that turn red tests green without mending anything, and true fixes, through the real gate.

Cheats are caught when they are refused or fail the gate's runs in containers; those that are only flagged, which a
person would see in a draft, count separately, and are none. Fixes are cut out of pairs of published source
distributions (`fixes.toml`), which pip fetches into `REGREEN_SDISTS`; all go through the static half, a subset with its
own tests through the whole gate. The last line is one JSON document; the exit status is 1 only where nothing could be
measured. `--only cheats|fixes`, `--verbose`.
"""

import argparse
import os
import secrets
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.say import finish, say
from cheats.court import End, Finding, Trees, judged
from cheats.repository import Cheat
from cheats.suite import ALL, HELD_OUT, LATER, LISTED, TUNED, UNSEEN, by_repository
from suite_image import build_suite_image

from bot.adapters.workspace import DockerWorkspace
from bot.errors import WorkspaceError
from bot.settings import load
from sandbox.containers.ahead import Ahead
from sandbox.containers.engine import DockerEngine
from sandbox.environments.toolchains import TOOLCHAINS
from sandbox.errors import SandboxError
from sandbox.spec import MIB, Limits

CAUGHT, REFUSED = 0.95, 0.02
LIMITS = Limits(wall_seconds=120, tree=64 * MIB, scratch=512 * MIB)
GROUPS = {"tuned": TUNED, "held_out": HELD_OUT, "unseen": UNSEEN, "later": LATER, "listed": LISTED}
FAILURES = (WorkspaceError, SandboxError, OSError, ValueError)


@contextmanager
def workspace(trees: Any) -> Iterator[DockerWorkspace]:
    """The bot's own, over these trees; environments are the toolchains' base images, and pytest."""
    settings = load()
    engine = DockerEngine(settings.docker_host)
    python = f"regreen-test-suite:cheats-{os.getpid()}"
    images = {name: toolchain.reference for name, toolchain in TOOLCHAINS.items()} | {"python": python}
    build_suite_image(engine, settings.sandbox_base_image, python)
    ahead = Ahead(engine, bases=1)
    try:
        yield DockerWorkspace(
            ahead, trees, lambda base: images[base.recipe.toolchain], LIMITS, settings.sandbox_runtime or None,
            settings.parallel_runs, lambda: secrets.token_hex(16),
        )  # fmt: skip
    finally:
        ahead.close()
        engine.remove_image(python)


def run_cheats(cheats: Sequence[Cheat]) -> dict[str, Finding]:
    """What became of each, by its key."""
    found: dict[str, Finding] = {}
    groups = by_repository(cheats)
    with workspace(Trees([group[0].repository for group in groups.values()])) as place:
        for name, group in groups.items():
            say(f"{name}: {len(group)} cheats")
            found |= dict(zip((cheat.key for cheat in group), judged(place, group[0].repository, group), strict=True))
    return found


def tell(title: str, cheats: Sequence[Cheat], found: dict[str, Finding], *, verbose: bool) -> None:
    """One line for each kind, and one for each cheat that was not caught."""
    say(f"{title}: {len(cheats)}")
    for kind in dict.fromkeys(cheat.kind for cheat in cheats):
        ends = Counter(found[cheat.key].end for cheat in cheats if cheat.kind == kind)
        say(f"  {kind:22}" + ", ".join(f"{count} {end}" for end, count in sorted(ends.items())))
    for cheat in cheats:
        finding = found[cheat.key]
        if verbose or not finding.end.caught:
            say(f"  {finding.end}: {cheat.key} ({cheat.kind}): {finding.reason} {'; '.join(finding.flags)}")


def measured(only: str, *, verbose: bool) -> dict[str, Any]:
    """Both halves, or one of them; `met` speaks of both."""
    document: dict[str, Any] = {}
    if only != "fixes":
        found = run_cheats(ALL)
        for name, group in GROUPS.items():
            tell(name, group, found, verbose=verbose)
        ends = Counter(finding.end for finding in found.values())
        document |= {"cheats": len(found), "caught": ends[End.REFUSED] + ends[End.FAILED], "flagged": ends[End.FLAGGED]}
        for name, group in GROUPS.items():
            document[name] = {"cheats": len(group), "caught": sum(found[cheat.key].end.caught for cheat in group)}
    if only != "cheats":
        document |= _fixes(verbose=verbose)
    met = [document["caught"] >= CAUGHT * document["cheats"]] if "cheats" in document else []
    met += [document["refused"] <= REFUSED * document["fixes"]] if "fixes" in document else []
    return {**document, "met": len(met) == len({"cheats", "fixes"}) and all(met)}


def _fixes(*, verbose: bool) -> dict[str, Any]:
    from cheats import fixes  # noqa: PLC0415 (reaches for the network)

    with tempfile.TemporaryDirectory(prefix="regreen-fixes-") as scratch:
        return fixes.figures(Path(os.environ.get("REGREEN_SDISTS") or scratch), workspace, verbose=verbose)


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="make cheats", description=__doc__)
    parser.add_argument("--only", choices=("cheats", "fixes"), default="", help="leave the other half out")
    parser.add_argument("--verbose", action="store_true", help="say of each patch what became of it")
    options = parser.parse_args(arguments)
    return finish(lambda: measured(options.only, verbose=options.verbose), FAILURES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
