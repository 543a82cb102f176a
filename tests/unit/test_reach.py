"""What an install may reach, and what is said of what it asked for."""

import pytest

from sandbox.network.decisions import MAX_DISTINCT, Decisions
from sandbox.network.origin import Origin
from sandbox.network.reach import may_be_private, reach, summary
from sandbox.registries.registry import Registry
from sandbox.spec import Egress, Recipe

REGISTRY = Registry(frozenset({Origin("index.example")}))


def recipe(*hosts: str) -> Recipe:
    return Recipe("python", (("pip", "install", "."),), ("pytest",), "given", hosts=hosts)


def test_the_registries_the_operators_list_and_the_recipes_hosts_are_reached_and_nothing_else() -> None:
    found = reach(REGISTRY, {Origin("operator.example", 80, tls=False)}, recipe("Policy.example", "other.example:8443"))
    assert found == {
        Origin("index.example"),
        Origin("operator.example", 80, tls=False),
        Origin("policy.example"),
        Origin("other.example", 8443),
    }


def test_a_recipes_hosts_are_reached_by_https_only() -> None:
    assert all(origin.tls for origin in reach(Registry(), (), recipe("a.example:80", "b.example")))


@pytest.mark.parametrize("host", ["", "a.example:port", "a.example:70000"])
def test_a_host_that_is_none_is_refused(host: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        reach(Registry(), (), recipe(host))


def test_decisions_are_counted_however_many_hosts_came_before() -> None:
    decisions = Decisions()
    for _ in range(3):
        for number in range(MAX_DISTINCT + 5):
            decisions.add(Origin(f"h{number}.example"), allowed=number % 2 == 0, reason="why")
    counted = decisions.counted()
    assert len(counted) == MAX_DISTINCT
    assert {one.count for one in counted} == {3}


def test_the_summary_names_what_was_reached_and_what_was_refused_within_bounds() -> None:
    asked = [Egress(f"h{number}.example", 443, allowed=False, reason="not on the list") for number in range(30)]
    line = summary([Egress("index.example", 443, allowed=True, reason="listed", count=4), *asked])
    assert line.startswith("reached index.example:443 (4); REFUSED h0.example:443 (not on the list), ")
    assert line.endswith(" and 10 others")
    assert summary([]) == ""


def test_a_host_that_the_operator_lists_as_private_is_private_where_no_repository_named_it() -> None:
    registry = Registry(frozenset({Origin("mirror.example")}))
    found = may_be_private(registry, {Origin("own.example", 8443)}, ("MIRROR.example", "own.example", "other.example"))
    assert found == {Origin("mirror.example"), Origin("own.example", 8443)}
