"""Getting an environment ready leaves in the run's log what that asked of the network."""

import pytest
from fakes import MemoryJournal
from fakes_fix import ScriptedEnvironments

from bot.errors import SetUpError
from bot.pipeline.prepare import MOST, prepare
from sandbox.spec import Egress, Given

REACHED = Egress("index.example", 443, allowed=True, reason="listed", count=7)
REFUSED = Egress("elsewhere.example", 8443, allowed=False, reason="not on the list", count=2)


def logged(*asked: Egress, error: SetUpError | None = None) -> MemoryJournal:
    journal = MemoryJournal()
    environments = ScriptedEnvironments(error, asked)
    if error is None:
        prepare(environments, journal, "o/r", "c0ffee", Given())
    else:
        with pytest.raises(SetUpError):
            prepare(environments, journal, "o/r", "c0ffee", Given())
    return journal


def test_what_was_reached_is_one_line_and_each_refusal_one() -> None:
    assert logged(REACHED, REFUSED).events == [
        ("egress_allowed", {"hosts": {"index.example:443": 7}, "requests": 7}),
        ("egress_refused", {"host": "elsewhere.example", "port": 8443, "reason": "not on the list", "count": 2}),
    ]


def test_a_refusal_is_logged_when_the_set_up_failed_too() -> None:
    assert logged(REFUSED, error=SetUpError("It failed", "Mend it.")).named("egress_refused")


def test_a_set_up_that_asked_for_nothing_leaves_no_line() -> None:
    assert logged().events == []


def test_a_flood_of_hosts_is_counted_beyond_the_first() -> None:
    journal = logged(
        *(
            Egress(f"h{number}.example", 443, allowed=False, reason="not on the list", count=3)
            for number in range(MOST + 9)
        )
    )
    assert len(journal.named("egress_refused")) == MOST
    assert journal.named("egress_refused_more") == [{"hosts": 9, "requests": 27}]
