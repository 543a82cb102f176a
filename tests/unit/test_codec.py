import json
import math
from typing import Any

import pytest
from fakes_store import approval, fix_check, fix_issue
from hypothesis import given
from hypothesis import strategies as st

from bot.codec import codec_for
from bot.engine.codec import decode_job, decode_outcome, encode_job, encode_outcome
from bot.jobs import JobOutcome, State
from bot.pipeline.ports.github import FailedJob, Permission, PullRequest, RepositoryFacts
from bot.repair.types import Base, Completion, Patch, Screening, SourceFile, Usage
from sandbox.spec import Recipe, TestRun

TYPES = [
    TestRun,
    tuple[TestRun, ...],
    tuple[SourceFile, ...],
    tuple[Screening, ...],
    tuple[FailedJob, ...],
    tuple[PullRequest, ...],
    Base,
    Completion,
    Patch,
    Permission,
    Recipe,
    RepositoryFacts,
    bytes | None,
    str | None,
    float,
    type(None),
]


@pytest.mark.parametrize("declared", TYPES, ids=str)
def test_every_type_that_a_port_returns_survives_json(declared: Any) -> None:
    @given(st.from_type(declared))
    def survives(value: Any) -> None:
        codec = codec_for(declared)
        encoded = codec.encode(value)
        # as text, since NaN, which may stand anywhere in a value, equals nothing
        assert repr(codec.decode(json.loads(json.dumps(encoded)))) == repr(value)

    survives()


def test_numbers_that_json_does_not_know_survive() -> None:
    codec = codec_for(Usage)
    for number in (math.inf, -math.inf, math.nan):
        encoded = codec.encode(Usage(dollars=number))
        again = codec.decode(json.loads(json.dumps(encoded, allow_nan=False))).dollars
        assert again == number or (math.isnan(again) and math.isnan(number))


def test_lone_surrogates_in_a_test_output_become_storable() -> None:
    codec = codec_for(Screening)
    decoded = codec.decode(codec.encode(Screening(plausible=True, detail="a\ud800\0")))
    assert decoded.detail == "a\ufffd\0"


def test_a_value_of_another_type_is_refused_when_it_is_recorded_and_when_it_is_read() -> None:
    with pytest.raises(ValueError, match="Expected"):
        codec_for(Screening).encode("plausible")
    with pytest.raises(ValueError, match="plausible"):
        codec_for(Screening).decode({"detail": "x"})


def test_jobs_and_outcomes_survive() -> None:
    for job in (fix_issue(), fix_check()):
        assert decode_job(json.loads(json.dumps(encode_job(job)))) == job
        queued_earlier = encode_job(job)
        del queued_earlier["job"]["repository_id"]
        queued_earlier["job"].pop("approves", None)
        assert decode_job(queued_earlier) == job
    assert decode_job(json.loads(json.dumps(encode_job(approval())))) == approval()
    outcome = JobOutcome(State.UNSOLVED, "No fix", "iterations", tokens=5, dollars=0.1, seconds=2.0)
    assert decode_outcome(encode_outcome(outcome)) == outcome
