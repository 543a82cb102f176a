"""One run's container from its creation to its removal: fed, drained, killed at its deadline, or quarantined."""

import secrets
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import PurePosixPath
from typing import Any

from docker.errors import APIError, NotFound

from sandbox.containers import policy, protocol
from sandbox.containers.attachment import Attachment
from sandbox.containers.connection import Client, Connection, remove_container, translated
from sandbox.containers.quarantine import Quarantine, Stuck
from sandbox.containers.stream import Output, Sink
from sandbox.errors import EndedEarlyError, EngineStuckError, EngineUnavailableError, SandboxError, TreeTooLargeError
from sandbox.spec import RunResult, RunSpec, Verdict

PING_SECONDS = 2.0
_NOT_RUNNING = 409
_KILLED = 137
_GONE = ("no such container", "cannot start a stopped process", "marked for removal")
_LOOKS, _LOOK_SECONDS = 40, 0.1
_REMEDY = "Restart the container engine; the next reaping removes what is left of the run."


class Container:
    """A started container. Used from one thread at a time."""

    def __init__(
        self, client: Client, identity: str, attachment: Attachment, connection: Connection, grace_seconds: float
    ) -> None:
        """`grace_seconds` is how long the engine may take to end what it was told to kill."""
        self._client = client
        self._id = identity
        self._attachment = attachment
        self._connection = connection
        self._grace = grace_seconds
        self._secret = secrets.token_hex(protocol.SECRET_BYTES).encode()

    @property
    def silent(self) -> bool:
        """Whether it said nothing so far, not even that it has ended."""
        return self._attachment.silent

    def feed(self, archive: Iterable[bytes]) -> None:
        """Send the secret and a tar, of which `protocol.COMMAND` is a member, from a thread of its own."""
        self._attachment.feed(chain((self._secret + b"\n",), archive))

    def finish(self, spec: RunSpec, sink: Sink) -> RunResult:
        """Read until it ends, or end it at the deadline, which counts from now; the tar of results goes to `sink`."""
        started = time.monotonic()
        output = Output(spec.limits, sink, protocol.UNPACKED, self._secret)
        killed = self._attachment.drain(output, spec.limits.wall_seconds, self._kill)
        seconds = time.monotonic() - started
        code = int(self._client.wait(self._id, timeout=self._grace)["StatusCode"])
        out_of_memory = self._out_of_memory(unexplained=killed is None and code == _KILLED)
        # The last frames may carry a breach that needed no kill any more.
        forged = Verdict.FORGED if output.forged else None
        verdict = Verdict.OOM if out_of_memory else killed or output.breach or forged or Verdict.EXITED
        if verdict is Verdict.EXITED and not output.marked:
            raise _never_began(code, output.log.value.decode(errors="replace")[:300].strip())
        return RunResult(
            verdict=verdict,
            exit_code=code if killed is None else None,
            output=output.log.value,
            output_truncated=output.log.truncated,
            seconds=seconds,
        )

    def _out_of_memory(self, *, unexplained: bool) -> bool:
        """Whether the engine saw the limit reached; its event may arrive later than the end of a killed container."""
        for _ in range(_LOOKS):
            state: Mapping[str, Any] = self._client.inspect_container(self._id)["State"]
            if state["OOMKilled"] or not unexplained:
                return bool(state["OOMKilled"])
            time.sleep(_LOOK_SECONDS)
        return False

    def _kill(self) -> None:
        with self._connection.open() as client:
            try:
                client.kill(self._id)
            except NotFound:
                return
            except APIError as error:
                if error.status_code != _NOT_RUNNING:
                    raise


def _never_began(code: int, log: str) -> SandboxError:
    """Why the mark was never written: the first process gives up with one code only, any other is not its own doing."""
    if code == protocol.UNPACK_FAILED:
        return TreeTooLargeError(f"The tree does not unpack: {log}", "Raise the limits on size and files.")
    how = "was killed" if code == _KILLED else f"ended with exit code {code}"
    return EndedEarlyError(
        f"A container {how} before its command began{': ' if log else ''}{log}",
        "Try again; where it comes again, look into the engine's log and for lack of memory on its machine.",
    )


@contextmanager
def _removed(client: Client, container: str) -> Iterator[None]:
    """Remove it at the end; an engine that just missed a deadline would take as long once more for that."""
    stuck = False
    try:
        with translated():
            yield
    except EngineStuckError:
        stuck = True
        raise
    finally:
        if not stuck:
            remove_container(client, container)


@contextmanager
def _gone() -> Iterator[None]:
    try:
        yield
    except APIError as error:
        said = str(error.explanation or error)[:500]
        if not any(text in said.lower() for text in _GONE):
            raise
        raise EndedEarlyError(
            f"Something ended a container before it was started: {said}",
            "Try again; where it comes again, look for what removes containers on the engine.",
        ) from error


class Containers:
    """Makes the containers of one engine; safe to use from several threads.

    `running` bounds how many run at once: whoever uses a container holds it.
    """

    def __init__(
        self,
        connection: Connection,
        seccomp: str,
        grace_seconds: float,
        running: int,
        labels: Mapping[str, str],
    ) -> None:
        """`seccomp` is the profile's JSON text; every container carries `labels` besides its own."""
        self._connection = connection
        self._seccomp = seccomp
        self._grace = grace_seconds
        self._labels = labels
        self._stuck = threading.Event()
        self._closed = threading.Event()
        self.running = threading.BoundedSemaphore(running)
        self.quarantine = Quarantine()

    @contextmanager
    def started(self, spec: RunSpec, proxy_dir: PurePosixPath | None = None, waits: float = 0.0) -> Iterator[Container]:
        """A started container, removed at the end; it may wait `waits` seconds before it is used.

        Raises `EngineStuckError` when the engine missed a deadline: the run is in quarantine then. While it is known to
        be stuck, that takes one short call.
        """
        self._require_answering()
        deadline = time.time() + waits + spec.limits.wall_seconds + self._grace + self._connection.call_seconds
        with self._quarantining(spec.run_id) as named, self._connection.open() as client:
            body = self._arguments(client, spec, round(deadline), proxy_dir)
            with ExitStack() as held:
                try:
                    container = held.enter_context(self._begun(client, body, named))
                except EndedEarlyError:
                    # Nothing was said or fed yet, so another one does as well.
                    container = held.enter_context(self._begun(client, body, named))
                yield container

    @contextmanager
    def _begun(self, client: Client, body: Mapping[str, Any], named: list[str]) -> Iterator[Container]:
        """Raises `EndedEarlyError` for one that is gone before it starts."""
        self._require_open()
        named[:] = [str(client.create_container_from_config(body)["Id"])]
        with _removed(client, named[0]), ExitStack() as attached:
            with _gone():
                attachment = attached.enter_context(self._attached(client, named[0]))
                client.start(named[0])
            self._require_open()
            yield Container(client, named[0], attachment, self._connection, self._grace)

    def close(self) -> None:
        """Start no container from now on, not even one that is being made."""
        self._closed.set()

    def _require_open(self) -> None:
        if self._closed.is_set():
            raise EngineUnavailableError("No container is started any more: the run is being ended", "Start it again.")

    def _attached(self, client: Client, container: str) -> Attachment:
        return Attachment(client, container, self._connection.call_seconds, self._grace)

    def _arguments(
        self, client: Client, spec: RunSpec, deadline: int, proxy_dir: PurePosixPath | None
    ) -> dict[str, Any]:
        image = client.inspect_image(spec.image)
        policy.require_harmless(spec.image, image["Config"] or {})
        # By its id: the name may come to mean another image in between.
        body = policy.arguments(replace(spec, image=str(image["Id"])), self._seccomp, deadline, proxy_dir)
        return {**body, "Labels": {**self._labels, **body["Labels"]}}

    @contextmanager
    def _quarantining(self, run_id: str) -> Iterator[list[str]]:
        """Gives a list for the container's id, and keeps that when the engine gets stuck."""
        named: list[str] = []
        try:
            yield named
        except EngineStuckError as error:
            self._stuck.set()
            self.quarantine.add(Stuck(run_id, "".join(named)))
            container = f" (container {named[0][:12]})" if named else ""
            raise EngineStuckError(f"{error.cause}; run {run_id}{container} is in quarantine", _REMEDY) from error

    def _require_answering(self) -> None:
        if not self._stuck.is_set():
            return
        try:
            with self._connection.open(min(PING_SECONDS, self._connection.call_seconds)) as client:
                client.ping()
        except EngineUnavailableError as error:
            held = len(self.quarantine.held)
            raise EngineStuckError(f"The container engine is stuck, with {held} runs in quarantine", _REMEDY) from error
        self._stuck.clear()

    def release(self) -> tuple[Stuck, ...]:
        """Try to remove what is left of the stuck runs; returns those of which nothing is. Raises as any call does."""
        released = []
        for stuck in self.quarantine.held:
            with self._connection.open() as client:
                found = client.containers(all=True, filters={"label": f"{policy.RUN_LABEL}={stuck.run_id}"})
                for container in found:
                    remove_container(client, str(container["Id"]))
            self.quarantine.release(stuck)
            released.append(stuck)
        return tuple(released)
