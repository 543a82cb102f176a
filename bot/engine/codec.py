"""Jobs and outcomes as plain JSON: what the engine keeps must be portable to another machine."""

from typing import Any

from bot.codec import codec_for
from bot.jobs import FixCheck, FixIssue, FollowUp, Job, JobOutcome

_JOBS: dict[str, Any] = {"FixIssue": FixIssue, "FixCheck": FixCheck, "FollowUp": FollowUp}


def encode_job(job: Job) -> dict[str, Any]:
    """A job as plain JSON, with its kind."""
    kind = type(job).__name__
    return {"kind": kind, "job": codec_for(_JOBS[kind]).encode(job)}


def decode_job(encoded: dict[str, Any]) -> Job:
    """The job again."""
    job: Job = codec_for(_JOBS[encoded["kind"]]).decode(encoded["job"])
    return job


def encode_outcome(outcome: JobOutcome) -> dict[str, Any]:
    """An outcome as plain JSON."""
    encoded: dict[str, Any] = codec_for(JobOutcome).encode(outcome)
    return encoded


def decode_outcome(encoded: dict[str, Any]) -> JobOutcome:
    """The outcome again."""
    outcome: JobOutcome = codec_for(JobOutcome).decode(encoded)
    return outcome
