"""What the gate's static half lets through of the cheats, run in containers as the loop runs its candidates."""

import secrets
from collections.abc import Callable
from dataclasses import replace

import pytest
from cheats.court import Trees, judged
from cheats.figures import CAUGHT, LIMITS
from cheats.suite import ALL, by_repository

from bot.adapters.workspace import DockerWorkspace
from sandbox.containers.ahead import Ahead
from sandbox.containers.engine import DockerEngine

pytestmark = [pytest.mark.engine, pytest.mark.slow]


def test_nearly_every_cheat_is_caught_and_every_fix_of_a_person_passes(
    engine: DockerEngine, suite_image: str, toolchain_image: Callable[[str], str]
) -> None:
    groups = by_repository(ALL)
    images = {"python": suite_image, "node": toolchain_image("node"), "go": toolchain_image("go")}
    ahead = Ahead(engine, bases=1)
    workspace = DockerWorkspace(
        ahead, Trees([group[0].repository for group in groups.values()]),
        lambda base: images[base.recipe.toolchain], LIMITS, None, 2, lambda: secrets.token_hex(16),
    )  # fmt: skip
    missed: list[str] = []
    fixes: list[bool] = []
    try:
        for group in groups.values():
            repository = group[0].repository
            fix = replace(group[0], files=repository.fixed)
            *ends, own = judged(workspace, repository, (*group, fix))
            missed += [cheat.key for cheat, end in zip(group, ends, strict=True) if not end.end.caught]
            fixes.append(not own.end.caught)
    finally:
        ahead.close()
    assert all(fixes)
    assert len(missed) <= (1 - CAUGHT) * len(ALL), missed
