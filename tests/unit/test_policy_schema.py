"""The schema that editors check policy files with says what the code says."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from bot.errors import ConfigurationError
from bot.policy import BudgetPolicy, RepoPolicy, parse
from bot.policy.schema import schema

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = (DOCS / "guides" / "policy.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def validator() -> Any:
    return jsonschema_rs.validator_for(json.loads(schema()))


def test_the_published_schema_is_the_one_of_the_code() -> None:
    assert (DOCS / "policy.schema.json").read_text(encoding="utf-8") == schema(), "run `make docs`"


def test_it_knows_every_key_and_no_other() -> None:
    written = json.loads(schema())
    assert set(written["properties"]) == set(RepoPolicy.model_fields)
    assert set(written["$defs"]["BudgetPolicy"]["properties"]) == set(BudgetPolicy.model_fields)
    assert all("description" in each for each in written["properties"].values())


@pytest.mark.parametrize("text", [*EXAMPLES, "{}", "test_command: [a, b]\nsetup: [[a, b], c d]\n", "branches: []"])
def test_it_accepts_what_is_understood(validator: Any, text: str) -> None:
    assert validator.is_valid(yaml.safe_load(text))
    parse(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "lable: x",
        "enabled: yep",
        "budget: {dollars: -1}",
        "budget: {hours: 1}",
        "language: fr",
        "ci_pull_requests: merge",
        "external_text: read",
        "max_attempts: 0",
        "bots: ['evil bot']",
        "reviewers: [a/b/c]",
        "roles: [manager]",
        "models: {manager: x}",
        "models: {coder: ''}",
        "setup: pip install x",
        "allowed_hosts: ['https://a.test']",
        "dry_run: 1",
        "[]",
    ],
)
def test_it_refuses_what_is_refused(validator: Any, text: str) -> None:
    assert not validator.is_valid(yaml.safe_load(text))
    with pytest.raises(ConfigurationError):
        parse(text.encode())


def test_off_may_stand_without_quotes() -> None:
    assert parse(b"ci_pull_requests: off\n").ci_pull_requests == "off"


def test_the_defaults_are_the_ones_that_do_least() -> None:
    policy = RepoPolicy()
    assert (policy.ci_pull_requests, policy.external_text, policy.update_stale_base) == ("off", "omit", False)
    assert not any([policy.bots, policy.branches, policy.allowed_hosts, policy.models, policy.reviewers])
