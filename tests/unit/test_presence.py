"""The App comes and goes: what it leaves stops, and how things are now counts, whichever delivery says it last."""

from dataclasses import replace

import pytest
from fakes_acts import Desk
from payloads import installed, labeled

from bot.errors import CredentialsError, NotFoundError
from bot.jobs import State
from bot.pipeline.reports.labels import Label


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


def test_a_removal_that_comes_late_stops_nothing_and_leaves_what_is_gone(desk: Desk) -> None:
    desk.label()
    late = installed("removed", repositories_removed=[{"full_name": "octo/fizz"}])
    assert desk.receive(late, "installation_repositories") == "the repository is there again"
    assert (desk.states, desk.around.departures.gone, desk.around.app.forgotten) == ([], {}, [])
    both = installed("removed", repositories_removed=[{"full_name": "octo/fizz"}, {"full_name": "octo/buzz"}])
    assert desk.receive(both, "installation_repositories").startswith("left, 0 jobs")
    assert list(desk.around.departures.gone) == [(99, "octo/buzz")]
    assert desk.around.app.forgotten == [(99, ("octo/buzz",))]


def archived(desk: Desk) -> str:
    return desk.receive(labeled(action="archived"), "repository")


def test_an_archived_repository_has_its_jobs_stopped_unless_it_is_not_archived_any_more(desk: Desk) -> None:
    desk.label()
    assert archived(desk) == "the repository is not archived any more"
    assert desk.states == []
    desk.github.facts = replace(desk.github.facts, archived=True)
    assert archived(desk).startswith("left, 1 jobs")
    assert desk.states == [State.CANCELLED]
    assert desk.around.departures.gone == {}


def test_a_repository_that_cannot_be_seen_is_left_and_one_behind_wrong_credentials_is_asked_for_again(
    desk: Desk,
) -> None:
    desk.label()
    desk.github.failures["repository"] = [CredentialsError("401", "Mend it.")]
    assert archived(desk) == "undecided"
    desk.github.failures["repository"] = [NotFoundError("404", "Look.")]
    assert archived(desk).startswith("left, 1 jobs")
