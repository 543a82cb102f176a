"""Sets the demo up: keys, directories, and the three processes, each with its log and its part of the environment."""

import json
import secrets
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.demo.person import Person
from bot.demo.processes import Child, Processes, demo_directory, free_port
from bot.demo.scene import READY_FILE
from bot.settings import Settings

START_SECONDS = 60
KEY_BITS = 2048
REGREEN = "from bot.cli import main; main()"
"""The `regreen` command of this very interpreter, wherever its script was installed."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The running demo. `runs` is where the worker's journals appear, `environment` that of its processes."""

    directory: Path
    processes: Processes
    person: Person
    maintainer: str
    github: str
    server: str
    environment: Mapping[str, str]

    def start_worker(self) -> Child:
        """Start another worker after the first one has ended."""
        return regreen(self.processes, "worker", self.environment)

    @property
    def runs(self) -> Path:
        """Where the worker keeps a directory for each run."""
        return self.directory / "data" / "runs"


def set_up(settings: Settings, environ: Mapping[str, str]) -> Stage:
    """Start stand-in, webhook server and worker, and wait until they answer. Raises `DemoError`.

    What an earlier demo left running in the same directory has to be stopped before.
    """
    directory = demo_directory(settings)
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True, mode=0o700)
    write_keys(directory)
    github, server = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    ours = {**environ, **_variables(directory, github, server, settings)}
    processes = Processes(directory)
    try:
        hook = f"{server}/webhook"
        scene = [sys.executable, "-P", "-m", "bot.demo.scene", str(directory), github.rpartition(":")[2], hook]
        processes.start("github", scene, ours)
        for name in ("serve", "worker"):
            regreen(processes, name, ours)
        ready = directory / READY_FILE
        processes.wait_for("the stand-in", ready.exists, START_SECONDS)
        processes.wait_for("the webhook server", lambda: answers(f"{server}/readyz"), START_SECONDS)
        scene_says = json.loads(ready.read_text())
        person = Person.at(scene_says["api"], scene_says["token"])
    except BaseException:
        processes.stop()
        raise
    return Stage(directory, processes, person, scene_says["maintainer"], github, server, ours)


def regreen(processes: Processes, command: str, environ: Mapping[str, str]) -> Child:
    """Start one of Regreen's commands."""
    return processes.start(command, [sys.executable, "-P", "-c", REGREEN, command], environ)


def free_of_charge(base_url: str) -> bool:
    """Whether a model server is this machine's or this network's own."""
    host = urlsplit(base_url).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_private
    except ValueError:
        return False


def _variables(directory: Path, github: str, server: str, settings: Settings) -> dict[str, str]:
    """What differs from the operator's settings. Secrets go through the environment, never through arguments."""
    # GitHub asks for a second between writes; the stand-in does not.
    found = connection(directory, github, server) | {"REGREEN_WRITE_SPACING": "0", "REGREEN_EDIT_SPACING": "0"}
    # what is said on the stand-in leads to the pages
    found["REGREEN_PUBLIC_URL"] = server
    if free_of_charge(settings.openai_base_url) and not settings.prices and not settings.free_models:
        found["REGREEN_FREE_MODELS"] = "*"
    return found


def connection(directory: Path, github: str, server: str) -> dict[str, str]:
    """The variables that connect server, worker and stand-in, with a webhook secret made now."""
    return {
        "REGREEN_DATA_DIR": str(directory / "data"),
        "REGREEN_HOST": "127.0.0.1",
        "REGREEN_PORT": server.rpartition(":")[2],
        "REGREEN_GITHUB_URL": github,
        # an operator's own would lead elsewhere; empty, it follows from the one above
        "REGREEN_GITHUB_API_URL": "",
        "REGREEN_APP_ID": "1",
        "REGREEN_APP_SLUG": "regreen",
        "REGREEN_LABEL": "regreen",
        "REGREEN_PRIVATE_KEY_FILE": str(directory / "app.pem"),
        "REGREEN_WEBHOOK_SECRETS": secrets.token_hex(20),
    }


def write_keys(directory: Path) -> None:
    """Make the App's key pair: app.pem, which only its owner reads, and app.pub."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=KEY_BITS)
    private = directory / "app.pem"
    private.touch(mode=0o600)
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        )
    )
    public = key.public_key()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    (directory / "app.pub").write_bytes(pem)


def answers(url: str) -> bool:
    """Whether a server says that all is well."""
    try:
        return httpx.get(url, timeout=2, trust_env=False).is_success
    except httpx.HTTPError:
        return False
