"""gVisor's runtime comes to an engine that was started here, and to no other; what that takes is said exactly."""

import json
from pathlib import Path

import pytest

from bot.demo import bootstrap, gvisor
from bot.demo.machine import NotReadyError

OLD = "  -fsgofer-host-uds\n  -platform value\n    specifies which platform to use: ptrace (default), kvm."
DEBIAN = OLD + "  -host-uds value\n  -oci-seccomp\n    Enables loading OCI seccomp filters inside the sandbox."
NEW = DEBIAN.replace("ptrace (default)", "systrap (default), ptrace")


@pytest.mark.parametrize(
    ("flags", "arguments"),
    [
        (OLD, ["--network=none", "--platform=ptrace", "--fsgofer-host-uds"]),
        (DEBIAN, ["--network=none", "--platform=ptrace", "--host-uds=open", "--oci-seccomp"]),
        (NEW, ["--network=none", "--platform=systrap", "--host-uds=open", "--oci-seccomp"]),
    ],
)
def test_the_arguments_are_those_that_the_version_knows(flags: str, arguments: list[str]) -> None:
    assert gvisor.arguments(flags) == arguments


def test_what_the_engine_was_configured_with_stays() -> None:
    entry = gvisor.entry("/usr/bin/runsc", DEBIAN)
    before = {"data-root": "/srv/docker", "runtimes": {"kata": {"path": "kata-runtime"}}}
    assert gvisor.configuration(before, entry) == {
        "data-root": "/srv/docker",
        "runtimes": {"kata": {"path": "kata-runtime"}, "runsc": entry},
    }
    assert gvisor.configuration(before, None) == before
    own = {"runtimes": {"runsc": {"path": "/opt/runsc"}}}
    assert gvisor.configuration(own, entry) == own


def test_a_configuration_that_is_missing_or_broken_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "daemon.json"
    assert gvisor.existing(path) == {}
    path.write_text('{"debug": true}')
    assert gvisor.existing(path) == {"debug": True}
    for text in ("[]", "{"):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"JSON|Expecting"):
            gvisor.existing(path)


def test_the_advice_is_a_piece_of_configuration() -> None:
    entry = gvisor.entry("/usr/bin/runsc", DEBIAN)
    said = gvisor.advice(entry)
    assert json.loads(said[said.index("{") :]) == {"runtimes": {"runsc": entry}}
    assert "apt-get install runsc" in gvisor.advice(None)


def test_an_engine_that_somebody_else_runs_is_left_alone_and_it_is_said_what_to_do(tmp_path: Path) -> None:
    said: list[str] = []
    bootstrap.provide_gvisor(lambda: False, tmp_path, {}, said.append)
    assert len(said) == 1
    assert '{"runtimes": {"runsc": ' in said[0]
    assert "left out" in said[0]


def test_where_it_is_required_nothing_runs_without_it(tmp_path: Path) -> None:
    required = {bootstrap.REQUIRE_GVISOR: "1"}
    with pytest.raises(NotReadyError, match=r"daemon\.json"):
        bootstrap.provide_gvisor(lambda: False, tmp_path, required, print)
    said: list[str] = []
    bootstrap.provide_gvisor(lambda: True, tmp_path, required, said.append)
    assert said == []
