"""One client to the engine: explicit address, negotiated API version, a deadline on every call, our own errors."""

import errno
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import requests
import urllib3
from docker import APIClient
from docker.errors import APIError, DockerException, ImageNotFound, NotFound

from sandbox.containers.stream import FrameError
from sandbox.containers.transport import BoundAdapter, Clock
from sandbox.errors import DiskFullError, EngineStuckError, EngineUnavailableError, ImageMissingError

Client = Any
"""The SDK's `APIClient`; the stubs that exist for it are incomplete, so what it returns is checked where it is used."""

_UNKNOWN = "auto"
_NO_ROOM = ("no space left on device", "disk quota exceeded")
_FREE_ROOM = "Free disk space on this host, or remove images that are no longer used."


class _Client(APIClient):
    """The SDK bounds the silence within a call, and on some calls not even that; here every call ends at a time."""

    def __init__(self, base_url: str, version: str, seconds: float) -> None:
        # The SDK mounts its adapters, and makes its first call, while it is being set up.
        self._address = base_url
        self._clock = Clock()
        self._seconds = seconds
        super().__init__(base_url, version=version, timeout=math.ceil(seconds))

    def mount(self, prefix: str | bytes, adapter: requests.adapters.BaseAdapter) -> None:
        del adapter
        super().mount(prefix, BoundAdapter(self._address, self._clock))

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        given = options.get("timeout")
        self._clock.allow(self._seconds if given is None else min(given, self._seconds))
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
        """A client whose every call, to its answer's last byte, ends within `call_seconds`.

        Raises `EngineStuckError`, `EngineUnavailableError`, `DiskFullError` or `ImageMissingError` for what goes wrong
        inside the block.
        """
        with translated():
            client = _Client(self._base_url, self._version, call_seconds or self.call_seconds)
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
        raise _unanswered(error) from error
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFullError(f"No room left on this host: {error}", _FREE_ROOM) from error
        if isinstance(error, ConnectionError | TimeoutError):
            raise _unanswered(error) from error
        raise


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


def _unanswered(error: Exception) -> EngineUnavailableError:
    said = f"The container engine does not answer: {str(error)[:300]}"
    if _late(error):
        return EngineStuckError(said, "Restart the container engine.")
    return EngineUnavailableError(said, "Start Docker, or set its socket's address.")


def _late(error: BaseException | None) -> bool:
    """Whether a missed deadline is behind it: each library on the way wraps it in an error of its own."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, requests.Timeout | urllib3.exceptions.TimeoutError | TimeoutError):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False
