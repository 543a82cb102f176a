"""GitHub's own example deliveries and official schemas, against the reading of events, decisions and the web server."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from typing import Any

import httpx
import pytest
from deciding import OPERATOR, WRITER
from fakes_store import FakeInbox
from fastapi import FastAPI
from octokit import Example, Filler, conforms, examples, schema, validator
from payloads import SECRET, signed
from prometheus_client import CollectorRegistry
from pydantic import SecretStr

from bot.acts import Act
from bot.events import HANDLED, CommitChecked, Delivery, Event, Unhandled, parse
from bot.events.parsing import KINDS
from bot.jobs import FixCheck, Job
from bot.policy import RepoPolicy
from bot.triggers import Ignore, Known, decide, needs, prefilter
from bot.web.webhook import create_app

HERE = {"id": 99, "node_id": "MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9uOTk="}
CONFORMING = 215
"""How many of the examples are as the official schemas say; the others are older than these, or of no event."""
RED = {"check_suite": "conclusion", "check_run": "conclusion", "workflow_run": "conclusion"}


def read(one: Example) -> Event:
    return parse(Delivery("d-1", one.event, json.dumps(one.payload).encode()))


def installed(one: Example) -> Example:
    """The example as the App itself would get it."""
    return replace(one, payload={**one.payload, "installation": one.payload.get("installation") or HERE})


def test_each_of_the_329_real_deliveries_is_read_or_ignored_with_a_reason() -> None:
    assert len(examples()) == 329
    for one in examples():
        event = read(one)
        assert not isinstance(event, Unhandled) or event.reason


def test_each_of_them_leads_to_a_job_an_act_or_a_reason_under_an_installation() -> None:
    known = [Known(), WRITER, Known(RepoPolicy(branches=("**",), ci_pull_requests="stack"), may_write=True)]
    came_to: Counter[str] = Counter()
    for one in map(installed, examples()):
        event = read(one)
        for fact in known:
            decision = decide(event, "d-1", OPERATOR, fact)
            assert isinstance(decision, Job | Act) or (isinstance(decision, Ignore) and decision.reason)
            needs(event, fact.policy)
            came_to[type(decision).__name__] += 1
    assert came_to.keys() >= {"Ignore", "Cancel", "Greet", "Leave"}


def test_every_kind_that_something_is_done_for_is_among_them_or_has_an_official_schema() -> None:
    seen = {one.kind for one in examples()}
    for kind in sorted(KINDS):
        assert kind in seen or schema(kind) is not None, kind
    for one in map(installed, examples()):
        if one.kind in KINDS:
            event = read(one)
            assert not isinstance(event, Unhandled) or "default branch" in event.reason, one.kind


def test_those_that_conform_to_the_official_schemas_are_none_that_is_refused() -> None:
    conforming = [one for one in examples() if conforms(one)]
    assert len(conforming) == CONFORMING
    # With an installation they conform still, so that what the App gets is what GitHub describes.
    assert all(conforms(installed(one)) for one in conforming)
    handled = [one for one in conforming if one.kind in KINDS]
    assert len({one.kind for one in handled}) >= 8
    for one in handled:
        read(installed(one))


def turned_red(one: Example) -> Example:
    """A failing delivery made of a real one: on the default branch, by another App."""
    payload: dict[str, Any] = json.loads(json.dumps(one.payload))
    branch = payload["repository"]["default_branch"]
    if one.event == "status":
        payload |= {"state": "failure", "branches": [{**payload["branches"][0], "name": branch}]}
        return replace(one, payload=payload)
    about = payload[one.event]
    about[RED[one.event]] = "failure"
    (about["check_suite"] if one.event == "check_run" else about)["head_branch"] = branch
    if one.event == "workflow_run":
        about["head_repository"] = about["head_repository"] | {"id": payload["repository"]["id"]}
    return replace(one, payload=payload)


def test_every_completed_check_turned_red_still_conforms_and_starts_a_fix_of_its_commit() -> None:
    kinds = {"check_suite.completed", "check_run.completed", "workflow_run.completed", "status"}
    completed = [one for one in examples() if one.kind in kinds and one.payload.get("branches", [1])]
    assert {one.kind for one in completed} == kinds
    for one in map(installed, completed):
        red = turned_red(one)
        assert conforms(red) or not conforms(one)
        event = read(red)
        assert isinstance(event, CommitChecked)
        assert prefilter(event, OPERATOR) is None
        job = decide(event, "d-1", OPERATOR, Known())
        assert isinstance(job, FixCheck)
        assert (job.head_sha, job.branch) == (event.head_sha, event.repository.default_branch)


@pytest.mark.parametrize("least", [True, False], ids=["least", "all"])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_what_the_official_schema_allows_is_read(kind: str, least: bool) -> None:  # noqa: FBT001 - drawn
    described = schema(kind)
    assert described is not None
    payload = Filler(least).value(described) | {"installation": HERE}
    event = parse(Delivery("d-1", kind.partition(".")[0], json.dumps(payload).encode()))
    assert decide(event, "d-1", OPERATOR, WRITER)


def test_most_of_what_is_made_from_the_schemas_conforms_to_them() -> None:
    made = [(kind, Filler(least).value(schema(kind) or {})) for kind in KINDS for least in (True, False)]
    valid = [kind for kind, payload in made if (found := validator(kind)) is not None and found.is_valid(payload)]
    assert len(valid) >= 0.6 * len(made)


async def posted(app: FastAPI) -> list[tuple[Example, httpx.Response]]:
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://bot") as client:
        answers = []
        for number, one in enumerate(examples()):
            body = json.dumps(one.payload).encode()
            headers = signed(body, event=one.event, delivery_id=f"d-{number}")
            answers.append((one, await client.post("/webhook", content=body, headers=headers)))
        return answers


def test_the_server_takes_each_of_them_or_says_why_nothing_is_done() -> None:
    inbox = FakeInbox()
    app = create_app(inbox, (SecretStr(SECRET),), ready=dict, registry=CollectorRegistry())
    for one, answer in asyncio.run(posted(app)):
        assert answer.status_code == 202
        said = answer.json()
        assert said["outcome"] in ({"accepted", "duplicate"} if one.event in HANDLED else {"ignored"})
        assert said["outcome"] != "ignored" or said["reason"]
    assert len(inbox.deliveries) > 100
