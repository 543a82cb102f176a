"""What the dashboard and the alerts ask for exists: a name that was changed in the code alone would show nothing."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from fakes_store import FakeInbox
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from pydantic import SecretStr

from bot.adapters.store import connect
from bot.settings import Settings
from bot.web.counts import StoreCollector
from bot.web.webhook import create_app
from bot.wiring.health import new_registry, register_store, worker_health

DEPLOY = Path(__file__).parents[2] / "deploy"
DASHBOARD = json.loads((DEPLOY / "grafana" / "regreen.json").read_text())
ALERTS = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yaml").read_text())
SAMPLES = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",), "info": ("_info",)}
OURS = re.compile(r"\bregreen_[a-z_]+")
MATCHED = re.compile(r"\{([^{}]*)\}")
BY = re.compile(r"\bby \(([^)]*)\)")


def registries(data_dir: Path) -> Iterator[CollectorRegistry]:
    """A server's and a worker's, made as they make them."""
    database = connect("sqlite://")
    server = new_registry()
    register_store(server, database)
    server.register(Shared())
    create_app(FakeInbox(), (SecretStr("x" * 16),), ready=dict, registry=server)
    yield server
    yield worker_health(Settings(data_dir=data_dir), database).registry
    database.dispose()


class Shared(StoreCollector):
    """What only a server on Postgres has beside."""

    def __init__(self) -> None:
        super().__init__(dict, dict, dict)

    def describe(self) -> list[GaugeMetricFamily]:
        return [family for family in super().describe() if family.name == "regreen_workers"]


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, frozenset[str]]:
    """Every sample's name and its labels."""
    found: dict[str, frozenset[str]] = {}
    for registry in registries(tmp_path_factory.mktemp("data")):
        for collector in list(registry._collector_to_names):
            labels = frozenset(getattr(collector, "_labelnames", ()))
            for family in collector.describe() if hasattr(collector, "describe") else ():
                own = frozenset(getattr(family, "_labelnames", ()))
                for suffix in SAMPLES.get(family.type, ()):
                    found[f"{family.name}{suffix}"] = labels | own | ({"le"} if suffix == "_bucket" else set())
    return found


def asked() -> list[str]:
    panels = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    return [*panels, *(rule["expr"] for rule in rules())]


def rules() -> list[dict[str, Any]]:
    return [rule for group in ALERTS["groups"] for rule in group["rules"]]


@pytest.mark.parametrize("query", asked())
def test_every_metric_and_label_that_is_asked_for_exists(query: str, known: dict[str, frozenset[str]]) -> None:
    names = OURS.findall(query)
    assert names or query.startswith("up{")
    assert set(names) <= set(known)
    used = {label.strip() for group in BY.findall(query) for label in group.split(",")}
    used |= {part.split("=")[0].strip("!~ ") for group in MATCHED.findall(query) for part in group.split(",")}
    every_target_has = {"instance", "job"}
    assert used <= every_target_has.union(*(known[name] for name in names))


def test_every_metric_is_shown_or_warned_of(known: dict[str, frozenset[str]]) -> None:
    shown = {name for query in asked() for name in OURS.findall(query)}
    families = {name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") for name in known}
    missing = {
        one for one in families if one.startswith("regreen_") and not any(name.startswith(one) for name in shown)
    }
    assert missing <= {"regreen_build_info", "regreen_job_starts_total"}


SECOND = {
    "regreen_call_errors_total": "an engine that is down fails `regreen_ready` as well",
    "regreen_chore_failures_total": "more than five are asked for",
    "regreen_model_calls_total": "each model has its series from a job on: tests/unit/test_worker_metrics.py",
    "regreen_model_dollars_total": "likewise",
}
"""Counters whose first rise no alert has to see, or that this test cannot: each with its reason."""
COUNTED = re.compile(r"(?:rate|increase)\((regreen_[a-z_]+)(?:\{([^}]*)\})?\[")


def test_what_alerts_count_is_there_as_nothing_before_it_happens(tmp_path: Path) -> None:
    # Prometheus sees no rise in a series that begins at 1: what happens once would never be told
    samples = [one for registry in registries(tmp_path) for family in registry.collect() for one in family.samples]
    counted = [found for rule in rules() for found in COUNTED.findall(rule["expr"]) if found[0] not in SECOND]
    assert len(counted) > 5
    for name, matchers in counted:
        for label, values in re.findall(r'([a-z_]+)=~?"([^"]*)"', matchers) or [("", "")]:
            for value in values.split("|"):
                there = [one for one in samples if one.name == name and (not label or one.labels.get(label) == value)]
                assert there, f"{name} {label}={value}"


def test_panels_do_not_overlap_and_have_a_title_and_a_reason() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells
        assert panel["title"]
        assert panel["description"]


def test_every_alert_says_what_is_wrong_and_what_to_do() -> None:
    names = [rule["alert"] for rule in rules()]
    assert len(names) == len(set(names))
    for rule in rules():
        assert rule["labels"]["severity"] in {"warning", "critical"}
        assert rule["annotations"].keys() == {"summary", "description"}
