"""The settings of workers: how much they work on at once, and how they live and end among others."""

from pydantic import Field
from pydantic_settings import BaseSettings

SPARE_CONNECTIONS = 4
"""For what a worker does beside its jobs."""


class WorkerSettings(BaseSettings):
    """The part of the settings that is about workers."""

    parallel_jobs: int = Field(2, ge=1, le=32, description="Repositories that one worker works on at once.")
    most_jobs: int = Field(0, ge=0, description="Jobs that all workers together work on at once; 0: no limit.")
    installation_jobs: int = Field(
        0, ge=0, description="Jobs of one installation of the App that all workers work on at once; 0: no limit."
    )
    lease_seconds: float = Field(
        60.0,
        ge=2,
        # an hour is what no lease lasts for (`ports.leases.LONGEST`), and renewals may be silent for five minutes
        le=900,
        description="Seconds without a word from a worker after which others take its jobs; it stops by itself when it "
        "has not reached Postgres for half of them.",
    )
    grace_seconds: float = Field(
        10.0, ge=0, description="Seconds that steps under way may take to end when a worker is stopped."
    )

    @property
    def connections(self) -> int:
        """How many to Postgres a worker's stores share, and its jobs' steps: no job waits for another's."""
        return SPARE_CONNECTIONS + self.parallel_jobs
