"""The compose files by their own words: what each service may do is bounded, and each says how it is."""

from pathlib import Path
from typing import Any

import pytest
import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"
IMAGE = Path(__file__).parents[2] / "Dockerfile"
SERVICES = [
    pytest.param(name, service, id=f"{file.name}-{name}")
    for file in sorted(DEPLOY.glob("compose*.yaml"))
    for name, service in yaml.safe_load(file.read_text(encoding="utf-8"))["services"].items()
]
BECOME_ITS_USER = {"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"}
"""What the start of Postgres's official image takes."""


@pytest.mark.parametrize(("name", "service"), SERVICES)
def test_a_service_has_no_right_that_it_does_not_need(name: str, service: dict[str, Any]) -> None:
    assert service["cap_drop"] == ["ALL"]
    assert set(service.get("cap_add", [])) == (BECOME_ITS_USER if name == "postgres" else set())
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["pids_limit"] <= 512
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}
    assert not service.keys() & {"privileged", "devices", "pid", "ipc", "network_mode", "userns_mode"}
    assert service.get("read_only", False) is (name != "postgres")


@pytest.mark.parametrize(("name", "service"), SERVICES)
def test_nothing_is_published_beyond_loopback(name: str, service: dict[str, Any]) -> None:
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    assert "ports" in service or name == "postgres"


@pytest.mark.parametrize(("name", "service"), SERVICES)
def test_a_service_says_whether_it_is_well(name: str, service: dict[str, Any]) -> None:
    # the image's own is the server's
    assert "healthcheck" in service or (name == "serve" and "HEALTHCHECK" in IMAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "service"), SERVICES)
def test_the_engine_and_the_key_are_the_workers_alone(name: str, service: dict[str, Any]) -> None:
    mounted = " ".join(service["volumes"])
    assert ("sock" in mounted, "app.pem" in mounted) == (name == "worker", name == "worker")
