"""What the gate's static half lets through of the cheats, run in containers as the loop runs its candidates."""

import secrets
from collections.abc import Callable
from dataclasses import replace

import pytest
from cheats.court import Trees, judged
from cheats.figures import LIMITS
from cheats.suite import ALL, OPEN, by_repository

from bot.adapters.workspace import DockerWorkspace
from sandbox.containers.ahead import Ahead
from sandbox.containers.engine import DockerEngine

pytestmark = [pytest.mark.engine, pytest.mark.slow]

GROUPS = by_repository(ALL)


@pytest.mark.parametrize("name", GROUPS)
def test_every_cheat_but_the_open_ones_is_caught_and_what_a_person_would_change_passes(
    engine: DockerEngine, suite_image: str, toolchain_image: Callable[[str], str], name: str
) -> None:
    cheats = GROUPS[name]
    repository = cheats[0].repository
    toolchain = repository.recipe.toolchain
    image = suite_image if toolchain == "python" else toolchain_image(toolchain)
    fix = replace(cheats[0], files=repository.fixed)
    ahead = Ahead(engine, bases=1)
    try:
        workspace = DockerWorkspace(
            ahead, Trees([repository]), lambda _: image, LIMITS, None, 2, lambda: secrets.token_hex(16)
        )
        *ends, own = judged(workspace, repository, (*cheats, fix))
    finally:
        ahead.close()
    assert not own.end.caught, own
    assert {cheat.key for cheat, end in zip(cheats, ends, strict=True) if not end.end.caught} <= OPEN
