"""What every `Labels` does: the fake in memory, and the adapter against the stand-in over HTTP."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from fakes_labels import FakeLabels
from github_worlds import StandInWorld, over_rest

from bot.adapters.github.labels import RestLabels
from bot.pipeline.reports.labels import COLOURS, Label, Labels


@dataclass
class Kept:
    """An issue, its labels, and the port."""

    labels: Labels
    number: int
    world: StandInWorld | None = None

    @property
    def borne(self) -> set[str]:
        if self.world is None:
            assert isinstance(self.labels, FakeLabels)
            return self.labels.borne[self.number]
        return set(self.world.repository.issues[self.number].labels)

    @property
    def made(self) -> set[str]:
        if self.world is None:
            assert isinstance(self.labels, FakeLabels)
            return self.labels.made
        return {label.name for label in self.world.repository.labels.values()}

    def bear(self, name: str) -> None:
        """Put a label on as a person."""
        if self.world is None:
            assert isinstance(self.labels, FakeLabels)
            self.labels.borne[self.number].add(name)
        else:
            self.world.state.add_label(self.world.full_name, self.number, name)


@pytest.fixture(params=["fake", "rest"])
def kept(request: pytest.FixtureRequest) -> Iterator[Kept]:
    if request.param == "fake":
        yield Kept(FakeLabels(), 1)
        return
    with over_rest(request) as (stand_in, keys):
        world = StandInWorld(stand_in, keys)
        labels = RestLabels(world.tokens, world.installation, world.full_name, world.pace)
        yield Kept(labels, world.open_issue(), world)


def test_an_issue_bears_one_of_ours_and_keeps_the_others(kept: Kept) -> None:
    kept.bear("bug")
    kept.labels.put(kept.number, Label.WORKING)
    assert kept.borne == {"bug", Label.WORKING}
    kept.labels.put(kept.number, Label.NEEDS_REVIEW)
    assert kept.borne == {"bug", Label.NEEDS_REVIEW}


def test_none_takes_ours_off_and_may_be_said_again(kept: Kept) -> None:
    kept.labels.put(kept.number, Label.FAILED)
    kept.labels.put(kept.number, None)
    kept.labels.put(kept.number, None)
    assert kept.borne == set()


def test_the_same_label_again_changes_nothing(kept: Kept) -> None:
    kept.labels.put(kept.number, Label.FAILED)
    kept.labels.put(kept.number, Label.FAILED)
    assert kept.borne == {Label.FAILED}


def test_the_labels_are_made_once_with_what_they_mean(kept: Kept) -> None:
    kept.labels.make()
    kept.labels.make()
    assert set(Label) <= kept.made
    if kept.world is not None:
        made = kept.world.repository.labels
        assert {name: made[name.lower()].color for name in Label} == {name: COLOURS[name][0] for name in Label}


def test_what_a_label_means_fits_github() -> None:
    assert all(len(meaning) <= 100 and len(colour) == 6 for colour, meaning in COLOURS.values())
