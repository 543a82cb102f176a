"""Attack 9: a build backend in a real install container that tries to get a secret out, past the egress proxy."""

import io
import socketserver
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pytest
from attacks_inside import ENVIRONMENT, came_through, program_tree, told

from sandbox.containers.archive import pack
from sandbox.containers.engine import DockerEngine
from sandbox.network.decisions import Decision
from sandbox.network.egress import SOCKET_NAME, EgressProxy, Timeouts
from sandbox.network.origin import Origin
from sandbox.spec import MIB, File, Limits, Phase, RunResult, RunSpec, Verdict

pytestmark = [pytest.mark.attack(9, "install-phase exfiltration"), pytest.mark.engine, pytest.mark.slow]

PROJECT = b'[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
RUN = (
    "python3 -I /regreen/relay.py 3128 /proxy/egress.sock >/dev/null & "
    "python3 -m pip wheel --no-build-isolation --no-deps -w /env/out /repo >/tmp/log 2>&1; "
    "cat /tmp/said || cat /tmp/log"
)
ADDRESSES = {
    "listed.example": ("127.0.0.1",),
    "plain.example": ("127.0.0.1",),
    "private.example": ("10.0.0.1",),
    "metadata.example": ("169.254.169.254",),
    "mapped.example": ("::ffff:169.254.169.254",),
    "translated.example": ("64:ff9b:1::a9fe:a9fe",),
    "compatible.example": ("::127.0.0.1",),
    "sitelocal.example": ("fec0::1",),
    "mixed.example": ("1.1.1.1", "127.0.0.1"),
}
"""What names resolve to; the first two are private hosts that the operator lists."""
TRIED = 67
PRIVATE = "it resolves to a private, loopback or reserved address"
METADATA = "it resolves to a link-local or metadata address"
EXPECTED = {
    ("evil.example", "not on the list"),
    ("sub.listed.example", "not on the list"),
    ("listed.example.evil.example", "not on the list"),
    ("1.1.1.1", "an address instead of a name"),
    ("::1", "not on the list"),
    ("private.example", PRIVATE),
    ("metadata.example", METADATA),
    ("mapped.example", METADATA),
    ("translated.example", METADATA),
    ("compatible.example", PRIVATE),
    ("sitelocal.example", PRIVATE),
    ("mixed.example", PRIVATE),
    ("unknown.example", "the name does not resolve"),
    ("listed.example", "the TLS server name is another host's"),
    ("listed.example", "the tunnel carries no TLS handshake"),
    ("listed.example", "the tunnel carries not exactly one server name"),
    ("listed.example", "the tunnel carries no whole ClientHello in time"),
    ("plain.example", "neither a tunnel nor a plain GET"),
    ("?", "no request that a proxy understands"),
    ("?", "too many connections at once"),
}


async def resolve(host: str, port: int) -> tuple[str, ...]:
    del port
    return ADDRESSES.get(host, ())


class Recorder(socketserver.ThreadingTCPServer):
    """Sends back what it gets, and keeps it."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Record)
        self.received: list[bytes] = []


class _Record(socketserver.BaseRequestHandler):
    server: Recorder

    def handle(self) -> None:
        while data := self.request.recv(65536):
            self.server.received.append(data)
            self.request.sendall(data)


@pytest.fixture
def server() -> Iterator[Recorder]:
    with Recorder() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@dataclass(frozen=True)
class Exfiltration:
    """One hostile build: what it told, and what the proxy decided meanwhile."""

    result: RunResult
    decisions: tuple[Decision, ...]
    refusals: int


@pytest.fixture
def proxy_dir(tmp_path: Path, canary: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the socket will be. The canary is beside it and in the worker's environment."""
    monkeypatch.setenv("REGREEN_OPENAI_API_KEY", canary)
    (tmp_path / "secret").write_text(canary)
    (tmp_path / "proxy").mkdir()
    return tmp_path / "proxy"


@pytest.fixture
def built(
    engine: DockerEngine, base_image: str, runtime: str | None, run_label: Callable[[], str], server: Recorder,
    proxy_dir: Path,
) -> Exfiltration:  # fmt: skip
    """Runs the backend in the install phase."""
    canary, port = (proxy_dir.parent / "secret").read_text(), server.server_address[1]
    variables = (("LISTED_PORT", str(port)), ("WORD", canary[::-1]))
    limits = Limits(wall_seconds=180, memory=512 * MIB, pids=128, tree=16 * MIB, scratch=64 * MIB, results=64 * MIB)
    spec = RunSpec(
        run_label(), base_image, ("sh", "-c", RUN), Phase.INSTALL, limits,
        environment=(*ENVIRONMENT, *variables), runtime=runtime, collect="/env",
    )  # fmt: skip
    tree = {**program_tree(), "pyproject.toml": File(PROJECT)}
    relay = File((files("sandbox") / "guest" / "relay.py").read_bytes())
    allow = {Origin("listed.example", port), Origin("plain.example", port, tls=False)}
    allow |= {Origin(host) for host in (*ADDRESSES, "unknown.example", "1.1.1.1", "::1")}
    listed = [origin for origin in allow if origin.host in {"listed.example", "plain.example"}]
    with EgressProxy(proxy_dir, allow, listed, timeouts=Timeouts(3, 3, 5), resolve=resolve) as proxy:
        archive = pack({"repo": tree, "regreen": {"relay.py": relay}})
        result = engine.install(spec, archive, proxy_dir=proxy_dir, sink=io.BytesIO())
        return Exfiltration(result, proxy.decisions(), sum(one.count for one in proxy.counted() if not one.allowed))


def test_a_hostile_build_gets_nothing_out_and_every_refusal_is_recorded(
    built: Exfiltration, server: Recorder, tmp_path: Path
) -> None:
    assert built.result.verdict is Verdict.EXITED
    assert len(told(built.result)) == TRIED, built.result.output.decode()
    assert came_through(built.result) == {}
    assert not any(b"stolen" in data for data in server.received)
    reasons = {(one.host, one.reason) for one in built.decisions if not one.allowed}
    assert reasons >= EXPECTED
    assert [one for one in built.decisions if one.allowed and one.host != "plain.example"] == []
    assert built.refusals > 900
    assert sorted(path.name for path in tmp_path.iterdir()) == ["proxy", "secret"]
    assert list((tmp_path / "proxy").iterdir()) == [tmp_path / "proxy" / SOCKET_NAME]
