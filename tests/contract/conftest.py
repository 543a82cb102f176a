"""What the contract suites over GitHub's stand-in share: its keys, and the stand-in itself, once for each module."""

from collections.abc import Iterator

import pytest
from github_worlds import Keys, StandInWorld

from bot.demo.stand_in import StandIn


@pytest.fixture(scope="module")
def keys() -> Keys:
    return Keys.make()


@pytest.fixture(scope="module")
def stand_in(keys: Keys) -> Iterator[StandIn]:
    with StandIn(StandInWorld.config(keys)) as running:
        yield running
