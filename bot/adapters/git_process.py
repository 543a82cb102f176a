"""One git process: through GitPython, with an environment of its own, a hard deadline, and no secret in sight."""

import base64
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, cast
from urllib.parse import urlsplit

from git.cmd import Git
from git.exc import GitCommandNotFound
from pydantic import SecretStr

from bot.errors import FetchError

if TYPE_CHECKING:
    import subprocess

SAID_LENGTH = 500


@dataclass(frozen=True, slots=True)
class Bounds:
    """Seconds that one git process may take, and when a transfer counts as stalled: bytes/s, for seconds."""

    seconds: float = 600.0
    low_speed: int = 1_000
    low_speed_seconds: int = 30


CONFIGURATION = (
    ("credential.helper", ""),
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("http.followRedirects", "false"),
    ("protocol.allow", "never"),
    ("protocol.http.allow", "always"),
    ("protocol.https.allow", "always"),
    ("transfer.fsckObjects", "true"),
    # Old but harmless, and found in well-known repositories' histories.
    ("fetch.fsck.badTimezone", "ignore"),
    ("fetch.fsck.missingSpaceBeforeDate", "ignore"),
    ("fetch.fsck.zeroPaddedFilemode", "ignore"),
)


@dataclass(frozen=True, slots=True)
class GitProcess:
    """Runs git on the repository at `directory`. `secrets` are taken out of whatever git says."""

    directory: Path
    bounds: Bounds
    configuration: tuple[tuple[str, str], ...] = CONFIGURATION
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def run(self, *arguments: str) -> str:
        """Run to the end and throw standard output away; returns why it failed, or nothing.

        Raises `FetchError` when git is not installed or misses the deadline.
        """
        with self.started(arguments) as process:
            _, said = process.communicate()
            return self.complaint(process, said)

    def complaint(self, process: "subprocess.Popen[bytes]", said: bytes) -> str:
        """Why a finished process failed, in git's words without secrets; empty when it did not."""
        if process.returncode == 0:
            return ""
        text = " ".join(said.decode("utf-8", "replace").split())
        for secret in self.secrets:
            text = text.replace(secret, "[redacted]")
        return text[-SAID_LENGTH:] or f"git ended with {process.returncode}"

    @contextmanager
    def started(
        self, arguments: tuple[str, ...], standard_input: BinaryIO | None = None
    ) -> Iterator["subprocess.Popen[bytes]"]:
        """A running git with its output on pipes; killed with all its children at the deadline and on the way out."""
        git = Git(str(self.directory))
        try:
            # A session of its own, so that the transport's processes die with it: they hold our pipes open.
            handle = git.execute(
                ["git", *arguments],
                istream=standard_input,
                as_process=True,
                env=dict(self._environment()),
                start_new_session=True,
            )
        except (OSError, GitCommandNotFound):
            raise FetchError("Git cannot be started", "Install git on the worker's machine.") from None
        process = cast("subprocess.Popen[bytes]", handle.proc)
        late = threading.Event()

        def stop() -> None:
            late.set()
            _kill(process)

        timer = threading.Timer(self.bounds.seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            yield process
        finally:
            timer.cancel()
            _kill(process)
            process.wait()
            if late.is_set():
                raise FetchError(
                    f"Git took longer than {self.bounds.seconds:.0f} s and was stopped",
                    "Check the network, or ask again later.",
                )

    def _environment(self) -> Mapping[str, str]:
        counted = {"GIT_CONFIG_COUNT": str(len(self.configuration))}
        for number, (key, value) in enumerate(self.configuration):
            counted |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return MappingProxyType(
            counted
            | {
                "GIT_DIR": str(self.directory),
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_PARAMETERS": "",
                "GIT_ATTR_NOSYSTEM": "1",
                "GIT_TERMINAL_PROMPT": "0",
                "GIT_ASKPASS": "",
                "SSH_ASKPASS": "",
                "GIT_LFS_SKIP_SMUDGE": "1",
                "GIT_NO_REPLACE_OBJECTS": "1",
                "GIT_HTTP_LOW_SPEED_LIMIT": str(self.bounds.low_speed),
                "GIT_HTTP_LOW_SPEED_TIME": str(self.bounds.low_speed_seconds),
            }
        )


def with_token(git: GitProcess, url: str, token: SecretStr) -> GitProcess:
    """The same, with the token as a header for this one server and none other."""
    secret = token.get_secret_value()
    if not secret:
        return git
    encoded = base64.b64encode(f"x-access-token:{secret}".encode()).decode()
    parts = urlsplit(url)
    header = (f"http.{parts.scheme}://{parts.netloc}/.extraHeader", f"Authorization: Basic {encoded}")
    return replace(git, configuration=(*git.configuration, header), secrets=(*git.secrets, secret, encoded))


def _kill(process: "subprocess.Popen[bytes]") -> None:
    # Only while it is not reaped: afterwards its number may be somebody else's.
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
