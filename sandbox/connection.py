"""One client to the engine: explicit address, negotiated API version, a deadline on every call, our own errors."""

import errno
import math
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import requests
import urllib3
from docker import APIClient
from docker.errors import APIError, DockerException, ImageNotFound, NotFound

from sandbox.errors import DiskFullError, EngineUnavailableError, ImageMissingError
from sandbox.stream import FrameError

Client = Any
"""The SDK's `APIClient`; the stubs that exist for it are incomplete, so what it returns is checked where it is used."""

_UNKNOWN = "auto"
_UNIX = "unix://"
_NO_ROOM = ("no space left on device", "disk quota exceeded")
_FREE_ROOM = "Free disk space on this host, or remove images that are no longer used."


class _Client(APIClient):
    """The SDK leaves out the timeout on some calls (attach, wait, pull, import); here none goes without."""

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        if options.get("timeout") is None:
            options["timeout"] = self.timeout
        return super().send(request, **options)


class Connection:
    """Opens a client for each piece of work, since a client is not made for several threads."""

    def __init__(self, base_url: str, call_seconds: float) -> None:
        """`base_url` is always explicit: the SDK would follow the command line's context otherwise."""
        self._base_url = base_url
        self.call_seconds = call_seconds
        self._version = _UNKNOWN

    @contextmanager
    def open(self, call_seconds: float | None = None) -> Iterator[Client]:
        """A client whose every call ends within `call_seconds` without an answer.

        Raises `EngineUnavailableError`, `DiskFullError` or `ImageMissingError` for what goes wrong inside the block.
        """
        with translated():
            if self._version == _UNKNOWN:
                _require_socket(self._base_url)
            client = _Client(
                self._base_url, version=self._version, timeout=math.ceil(call_seconds or self.call_seconds)
            )
            # The version is the same for every thread, so the last one to write it does no harm.
            self._version = client.api_version
            try:
                yield client
            finally:
                client.close()


@contextmanager
def translated() -> Iterator[None]:
    """Turn what the SDK and the socket raise into the sandbox's errors."""
    try:
        yield
    except ImageNotFound as error:
        raise ImageMissingError(_said(error), "Build or pull the image first.") from error
    except APIError as error:
        said = _said(error)
        require_room(said)
        raise EngineUnavailableError(
            f"The container engine refused: {said}", "Look into the engine's own log."
        ) from error
    except (requests.RequestException, urllib3.exceptions.HTTPError, DockerException, FrameError) as error:
        raise _unavailable(error) from error
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFullError(f"No room left on this host: {error}", _FREE_ROOM) from error
        if isinstance(error, ConnectionError | TimeoutError):
            raise _unavailable(error) from error
        raise


def _require_socket(base_url: str) -> None:
    """Find out first whether anything listens: the SDK leaks its socket when it cannot connect."""
    if base_url.startswith(_UNIX):
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(base_url.removeprefix(_UNIX))
            except OSError as error:
                raise _unavailable(error) from error


def require_room(said: str) -> None:
    """Raise `DiskFullError` when what the engine said means a full disk."""
    if any(text in said.lower() for text in _NO_ROOM):
        raise DiskFullError(f"The container engine has no room left: {said}", _FREE_ROOM)


def remove_container(client: Client, container: str) -> bool:
    """Kill and remove a container with its anonymous volumes; `False` when it was already gone or going."""
    try:
        client.remove_container(container, v=True, force=True)
    except NotFound:
        return False
    except APIError as error:
        if "already in progress" in _said(error):
            return False
        raise
    return True


def _said(error: APIError) -> str:
    return str(error.explanation or error)[:500]


def _unavailable(error: Exception) -> EngineUnavailableError:
    return EngineUnavailableError(
        f"The container engine does not answer: {str(error)[:300]}", "Start Docker, or set its socket's address."
    )
