"""The container engine of this machine: find it, or, agreed, install and start it; stop only what was started here."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from bot.demo import gvisor

SOCKETS = ("/var/run/docker.sock", "{run}/docker.sock", "{home}/.docker/run/docker.sock", "{run}/podman/podman.sock")
START_SECONDS = 60
STOP_SECONDS = 60
RELOAD_SECONDS = 10
DEFAULT_ADDRESS = "unix:///var/run/docker.sock"

Say = Callable[[str], None]
Ask = Callable[[str], str]


class NotReadyError(Exception):
    """Something that this machine lacks; the text says what, and the exact command that helps."""


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=5)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket's path instead of a host."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def candidates(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Where an engine may listen: an explicit address alone, else the usual sockets that exist."""
    explicit = environ.get("REGREEN_DOCKER_HOST") or environ.get("DOCKER_HOST")
    if explicit:
        return (explicit,)
    run = environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    paths = [Path(place.format(run=run, home=environ.get("HOME", "/root"))) for place in SOCKETS]
    return tuple(f"unix://{path}" for path in paths if path.exists())


def answers(address: str) -> str:
    """Ask an engine for a sign of life: empty when it answers, else why not."""
    parts = urlsplit(address)
    connection = (
        _UnixConnection(parts.path) if parts.scheme == "unix" else http.client.HTTPConnection(parts.netloc, timeout=5)
    )
    try:
        connection.request("GET", "/_ping")
        status = connection.getresponse().status
    except PermissionError:
        return f"this user may not open it (join its group: sudo usermod -aG docker {os.environ.get('USER', '$USER')})"
    except (OSError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    finally:
        connection.close()
    return "" if status == http.client.OK else f"it answers {status}"


def find(environ: Mapping[str, str], say: Say) -> str | None:
    """The first engine that answers; says of every other one why it is none."""
    for address in candidates(environ):
        reason = answers(address)
        if not reason:
            return address
        say(f"No engine at {address}: {reason}.")
    return None


@dataclass(frozen=True, slots=True)
class Powers:
    """What this process may do here: `agreed` says that nobody needs to be asked."""

    root: bool
    apt: bool
    terminal: bool
    agreed: bool

    @classmethod
    def here(cls, environ: Mapping[str, str]) -> Self:
        """Those of this process."""
        agreed = bool(environ.get("CI") or environ.get("REGREEN_YES"))
        return cls(os.getuid() == 0, shutil.which("apt-get") is not None, sys.stdin.isatty(), agreed)


def agree(command: str, purpose: str, powers: Powers, ask: Ask, say: Say) -> None:
    """Ask before changing this machine.

    Raises `NotReadyError` with the exact command when nobody can be asked, when the answer is no, or without root.
    """
    if not powers.apt:
        raise NotReadyError(f"{purpose} Install it by your system's own means and start again.")
    if not powers.root:
        raise NotReadyError(f"{purpose} Install it and start again:  sudo sh -c '{command}'")
    if powers.agreed:
        say(f"{purpose} Running: {command}")
    elif not powers.terminal:
        raise NotReadyError(f"{purpose} Run this and start again (or set REGREEN_YES=1):  {command}")
    elif ask(f'{purpose} Run "{command}"? [y/N] ').strip().lower() not in {"y", "yes"}:
        raise NotReadyError("Nothing was installed.")


def install(packages: tuple[str, ...], purpose: str, environ: Mapping[str, str], say: Say, before: str = "") -> None:
    """Install Debian packages after the shell command `before`, asked first. Raises `NotReadyError`."""
    install = f"apt-get install -y --no-install-recommends {' '.join(packages)}"
    command = " && ".join(filter(None, (before, "apt-get update", install)))
    agree(command, purpose, Powers.here(environ), input, say)
    done = subprocess.run(  # noqa: S603 - literal packages, exactly the command that was shown
        ["sh", "-c", command],  # noqa: S607 - likewise
        env={**environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-15:])
        raise NotReadyError(f"'{command}' failed:\n{tail}")


def start(directory: Path, environ: Mapping[str, str], say: Say) -> str:
    """Start the installed engine, by the init system where there is one, and wait until it answers."""
    service = _service_command()
    if service:
        say(f"Starting the engine: {' '.join(service)}")
        subprocess.run(service, check=False)  # noqa: S603 - one of two literal commands
        if _wait_until(lambda: not answers(DEFAULT_ADDRESS), START_SECONDS / 4):
            return DEFAULT_ADDRESS
    directory.mkdir(parents=True, exist_ok=True)
    log, pid_file = directory / "dockerd.log", _pid_file(directory)
    say(f"Starting dockerd; its log is {log}")
    command = ["dockerd", "--host", DEFAULT_ADDRESS, "--pidfile", str(pid_file.resolve())]
    command += ["--config-file", str(configure(directory).resolve())]
    with log.open("ab") as sink:
        process = subprocess.Popen(  # noqa: S603 - a literal program with our own paths
            command,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            start_new_session=True,
            env=dict(environ),
        )
    if not _wait_until(lambda: process.poll() is not None or not answers(DEFAULT_ADDRESS), START_SECONDS):
        process.terminate()
    if answers(DEFAULT_ADDRESS):
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-8:])
        raise NotReadyError(f"dockerd did not start within {START_SECONDS} s. The end of {log}:\n{tail}")
    return DEFAULT_ADDRESS


def configure(directory: Path) -> Path:
    """Write the configuration of an engine that is started here: the usual one, and gVisor where it is installed.

    Raises `NotReadyError` when the usual one cannot be read.
    """
    try:
        content = gvisor.configuration(gvisor.existing(), gvisor.installed())
    except (OSError, ValueError) as error:
        raise NotReadyError(f"{gvisor.USUAL_CONFIGURATION} cannot be read ({error}): correct it.") from None
    path = directory / "daemon.json"
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def reload(directory: Path, done: Callable[[], bool]) -> bool:
    """Let the engine that was started here read its configuration anew, running containers untouched; until `done`."""
    pid = started_here(directory)
    if pid is None:
        return False
    configure(directory)
    os.kill(pid, signal.SIGHUP)
    return _wait_until(done, RELOAD_SECONDS)


def started_here(directory: Path) -> int | None:
    """The pid of the dockerd that `start` left running, checked to be one."""
    try:
        pid = int(_pid_file(directory).read_text())
        name = Path(f"/proc/{pid}/comm").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    return pid if name == "dockerd" and _alive(pid) else None


def stop(directory: Path) -> bool:
    """Stop the dockerd that `start` left running, with its containerd; `False` where there was none."""
    pid = started_here(directory)
    if pid is None:
        return False
    family = {pid, *_children(pid)}
    os.kill(pid, signal.SIGTERM)
    if not _wait_until(lambda: not any(map(_alive, family)), STOP_SECONDS):
        for member in filter(_alive, family):
            os.kill(member, signal.SIGKILL)
    _pid_file(directory).unlink(missing_ok=True)
    return True


def _service_command() -> tuple[str, ...]:
    if Path("/run/systemd/system").is_dir():
        return ("systemctl", "start", "docker")
    first = Path("/proc/1/comm").read_text(encoding="ascii").strip() if Path("/proc/1/comm").exists() else ""
    return ("service", "docker", "start") if first == "init" and shutil.which("service") else ()


def _pid_file(directory: Path) -> Path:
    return directory / "dockerd.pid"


def _children(pid: int) -> tuple[int, ...]:
    lists = Path(f"/proc/{pid}/task").glob("*/children")  # by thread: the engine starts processes from any of its own
    return tuple(int(child) for listed in lists for child in listed.read_text(encoding="ascii").split())


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True
