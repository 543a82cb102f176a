"""The systemd units: sound and tight by systemd's own word, and started for real in a container that boots systemd."""

import os
import re
import shutil
import subprocess
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes_github_site import key_pair
from product_image import ROOT, build, packed

UNITS = ROOT / "deploy" / "systemd"
NAMES = ("regreen-serve", "regreen-worker")
MOST_EXPOSED = 1.5
"""Of 10, by `systemd-analyze security`; what is above 2 it calls medium."""
MACHINE = Path(__file__).parent / "systemd_image"
LINES = (
    "REGREEN_APP_ID=1",
    "REGREEN_WEBHOOK_SECRETS=a-secret-of-sixteen-characters",
    "REGREEN_GITHUB_API_URL=http://127.0.0.1:9",
    "REGREEN_PRIVATE_KEY_FILE=/etc/regreen/app.pem",
)
READY = "import urllib.request as r; print(r.urlopen('http://127.0.0.1:{port}/readyz', timeout=20).read().decode())"
PORTS = {"regreen-serve": 8080, "regreen-worker": 8090}


def analyzed(*arguments: str) -> str:
    found = shutil.which("systemd-analyze")
    if found is None:
        pytest.skip("There is no systemd-analyze: apt-get install systemd.")
    done = subprocess.run([found, *arguments], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", sorted(path.name for path in UNITS.iterdir() if path.suffix != ".conf"))
def test_systemd_finds_nothing_wrong_in_a_unit(name: str) -> None:
    said = analyzed("verify", "--man=no", str(UNITS / name)).splitlines()
    # here nothing is installed
    assert [line for line in said if "is not executable: No such file" not in line] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_unit_is_exposed_to_little(name: str) -> None:
    said = analyzed("security", "--offline=true", "--no-pager", str(UNITS / f"{name}.service"))
    exposed = re.search(r"exposure level for \S+: ([0-9.]+)", said)
    assert exposed, said
    assert float(exposed[1]) <= MOST_EXPOSED


@pytest.fixture
def machine(client: Any, image: str, docker_host: str, tmp_path: Path) -> Iterator[Any]:
    """A booted machine with both services enabled, the engine's socket and no network."""
    if not docker_host.startswith("unix://"):
        pytest.skip("The machine gets the engine's socket, and this engine has none.")
    socket = Path(docker_host.removeprefix("unix://"))
    tag = f"regreen-systemd-test:{os.getpid()}"

    def fill(archive: tarfile.TarFile) -> None:
        archive.add(MACHINE / "Dockerfile", "Dockerfile")
        archive.add(UNITS, "systemd")

    build(client, tag, packed(fill), {"BASE_IMAGE": image, "ENGINE_GROUP": str(socket.stat().st_gid)})
    environment, key = tmp_path / "regreen.env", tmp_path / "app.pem"
    environment.write_text("\n".join(LINES) + "\n")
    key.write_text(key_pair()[0])
    os.chown(key, 10002, 10002)
    key.chmod(0o600)
    hierarchy = Path("/sys/fs/cgroup/systemd")
    mounts = {
        str(socket): "/var/run/docker.sock",
        str(environment): "/etc/regreen/regreen.env",
        str(key): "/etc/regreen/app.pem",
    }
    mounts |= {str(hierarchy): str(hierarchy)} if hierarchy.is_dir() else {}
    booted = client.containers.run(
        tag,
        detach=True,
        network_mode="none",
        # what systemd needs to make cgroups, mounts and user namespaces
        cap_add=["SYS_ADMIN", "SYS_PTRACE"],
        security_opt=["seccomp=unconfined", "apparmor=unconfined"],
        cgroupns="host",
        tmpfs={"/run": "", "/run/lock": "", "/tmp": ""},  # noqa: S108 - the container's
        volumes=[f"{source}:{target}" for source, target in mounts.items()],
    )
    yield booted
    booted.remove(force=True, v=True)
    client.images.remove(tag, force=True)


def told(machine: Any, *command: str) -> str:
    """What a command says in there; one that the machine is too busy for is asked again."""
    deadline = time.monotonic() + 60
    while True:
        code, output = machine.exec_run(list(command))
        said = str(output.decode())
        if code == 0 or time.monotonic() > deadline:
            return said
        time.sleep(1.0)


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_both_services_start_under_their_limits_are_ready_and_end_in_order(machine: Any) -> None:
    waiting, deadline = set(NAMES), time.monotonic() + 180
    while waiting and time.monotonic() < deadline:
        for name in sorted(waiting):
            code, _ = machine.exec_run(["python3", "-c", READY.format(port=PORTS[name])])
            waiting -= {name} if code == 0 else set()
        time.sleep(0.5)
    assert not waiting, told(machine, "journalctl", "--no-pager", "-n", "60", "-o", "cat")
    for name in NAMES:
        restarts = told(machine, "systemctl", "show", "-P", "NRestarts", name)
        assert restarts.strip() == "0", told(machine, "journalctl", "--no-pager", "-u", name, "-o", "cat")
        pid = told(machine, "systemctl", "show", "-P", "MainPID", name).strip()
        status = told(machine, "cat", f"/proc/{pid}/status")
        assert re.search(r"CapBnd:\s+0+$", status, re.MULTILINE)
        assert re.search(r"NoNewPrivs:\s+1$", status, re.MULTILINE)
        assert re.search(r"Seccomp:\s+2$", status, re.MULTILINE)
    told(machine, "systemctl", "stop", *NAMES)
    for name in NAMES:
        ended = told(machine, "systemctl", "show", "-p", "ActiveState", "-p", "Result", name)
        assert set(ended.split()) == {"ActiveState=inactive", "Result=success"}, ended
