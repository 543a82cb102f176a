"""The App comes and goes: what it leaves stops, and how things are now counts, whichever delivery says it last."""

import pytest
from fakes_acts import Desk
from payloads import installed, labeled

from bot.jobs import State
from bot.pipeline.labels import Label


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_an_installation_that_is_suspended_has_its_jobs_stopped_and_its_tokens_forgotten(desk: Desk) -> None:
    desk.label()
    desk.around.app.suspended.add(99)
    assert desk.receive(installed("suspend"), "installation").startswith("left, 1 jobs stopped")
    assert desk.states == [State.CANCELLED]
    assert desk.around.app.forgotten == [(99, ())]
    calls = len(desk.github.calls)
    assert "suspended" in desk.receive(labeled())
    assert len(desk.github.calls) == calls


def test_what_a_suspension_stopped_is_told_when_the_app_is_back(desk: Desk) -> None:
    desk.label()
    desk.around.app.suspended.add(99)
    desk.receive(installed("suspend"), "installation")
    assert desk.comments == []
    desk.around.app.suspended.clear()
    assert desk.retelling.look() == 1
    assert "**Stopped: the installation was suspended**" in desk.status
    assert desk.retelling.look() == 0


def test_a_suspension_that_comes_late_stops_nothing(desk: Desk) -> None:
    desk.label()
    assert desk.receive(installed("suspend"), "installation") == "the installation is there again"
    assert desk.states == []


def test_an_installation_that_is_back_works_again_whichever_delivery_was_lost(desk: Desk) -> None:
    desk.around.app.suspended.add(99)
    desk.receive(installed("suspend"), "installation")
    desk.around.app.suspended.clear()
    assert desk.label() == "queued"
    assert desk.around.departures.gone == {}


def test_a_repository_that_is_taken_out_of_the_installation_is_left_alone(desk: Desk) -> None:
    desk.label()
    desk.around.app.installations[99].clear()
    removed = installed("removed", repositories_removed=[{"full_name": "octo/fizz"}])
    assert desk.receive(removed, "installation_repositories").startswith("left, 1 jobs")
    assert "removed from the installation" in desk.receive(labeled())
    desk.around.app.installations[99].add("octo/fizz")
    added = installed("added", repositories_added=[{"full_name": "octo/fizz"}])
    assert desk.receive(added, "installation_repositories") == "greeted"
    assert desk.around.labels.made == set(Label)
    assert desk.label() == "queued"
