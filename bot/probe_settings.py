"""The settings of what tells how a worker is: its own HTTP port."""

from pydantic import Field
from pydantic_settings import BaseSettings


class ProbeSettings(BaseSettings):
    """The part of the settings that is about probes and metrics."""

    worker_host: str = Field(
        "127.0.0.1", description="Address of a worker's /healthz, /readyz and /metrics, which ask for no password."
    )
    worker_port: int = Field(8090, ge=0, le=65535, description="Port of these; 0 answers none.")
