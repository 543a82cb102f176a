"""Clients are asked for their configuration: npm and go, on the host or in an image."""

import json
from collections.abc import Iterable

import pytest

from sandbox.errors import EngineUnavailableError
from sandbox.network.origin import Origin
from sandbox.registries import Registries, Registry, go_registry, npm_registry
from sandbox.registries.ask import Ask, InImage, on_host
from sandbox.spec import RunResult, RunSpec, Verdict


def answering(**values: str) -> Ask:
    return lambda _: json.dumps(values).encode()


def npm(**values: str) -> Registry:
    return npm_registry([answering(**values)])


def go(proxy: str, database: str = "sum.example") -> Registry:
    return go_registry([answering(GOPROXY=proxy, GOSUMDB=database)])


def nobody(_: tuple[str, ...]) -> None:
    return None


class ScriptedEngine:
    """Answers each run alike, or with an error."""

    def __init__(self, answer: RunResult | EngineUnavailableError) -> None:
        self.answer = answer
        self.specs: list[RunSpec] = []

    def run(self, spec: RunSpec, archive: Iterable[bytes]) -> RunResult:
        assert list(archive)
        self.specs.append(spec)
        if isinstance(self.answer, EngineUnavailableError):
            raise self.answer
        return self.answer


def test_npm_is_pointed_at_its_registry_and_at_those_of_its_scopes_and_at_nothing_else() -> None:
    registry = npm(
        **{
            "registry": "https://mirror.example:8443/npm/",
            "@acme:registry": "http://acme.example/",
            "audit": "https://audit.example/",
            "//acme.example/:_authToken": "https://token.example/",
        }
    )
    assert registry.origins == {Origin("mirror.example", 8443), Origin("acme.example", 80, tls=False)}
    assert dict(registry.environment) == {
        "npm_config_registry": "https://mirror.example:8443/npm/",
        "npm_config_@acme:registry": "http://acme.example/",
    }


def test_credentials_in_an_npm_registry_never_leave_the_host() -> None:
    registry = npm(registry="https://user:secret@mirror.example/")
    assert registry.environment == (("npm_config_registry", "https://mirror.example/"),)


@pytest.mark.parametrize("answer", [b"", b"no JSON", b"[]", b"\xff"])
def test_a_client_that_answers_nonsense_is_as_good_as_none(answer: bytes) -> None:
    assert npm_registry([lambda _: answer]) == go_registry([lambda _: answer]) == Registry()


def test_an_image_is_asked_only_where_the_host_has_no_client() -> None:
    here, there = answering(registry="https://here.example/"), answering(registry="https://there.example/")
    assert npm_registry([here, there]).origins == {Origin("here.example")}
    assert npm_registry([nobody, there]).origins == {Origin("there.example")}


def test_go_is_pointed_at_its_proxies_and_at_no_version_control_server() -> None:
    registry = go("https://user:secret@first.example|https://second.example,direct")
    assert registry.origins == {Origin("first.example"), Origin("second.example"), Origin("sum.example")}
    assert dict(registry.environment)["GOPROXY"] == "https://first.example,https://second.example"


@pytest.mark.parametrize("proxy", ["off", "direct", "", "file:///srv/modules"])
def test_go_without_a_proxy_reaches_nothing(proxy: str) -> None:
    registry = go(proxy)
    assert registry.origins == frozenset()
    assert dict(registry.environment)["GOPROXY"] == "off"


def test_a_checksum_database_is_named_by_its_key_and_reached_by_its_name_or_switched_off() -> None:
    assert Origin("sums.example") in go("https://proxy.example", "sums.example+033de0ae+key").origins
    assert go("https://proxy.example", "off").origins == {Origin("proxy.example")}


def test_each_client_is_asked_once_and_only_when_its_toolchain_is_needed() -> None:
    asked: list[str] = []

    def image(argv: tuple[str, ...]) -> bytes:
        asked.append(argv[0])
        return b"{}"

    registries = Registries({"node": image, "go": image})
    assert (registries("unknown"), asked) == (Registry(), [])
    first = registries("node")
    assert registries("node") is first
    assert asked in ([], ["npm"])  # empty where this host has a client of its own


def test_a_client_in_an_image_is_run_without_the_hosts_variables() -> None:
    engine = ScriptedEngine(RunResult(Verdict.EXITED, 0, b'{"registry": "https://a.example/"}', output_truncated=False))
    assert npm_registry([InImage(engine, "node:1", "run")]).origins == {Origin("a.example")}
    (spec,) = engine.specs
    assert (spec.image, spec.command[0], dict(spec.environment).keys()) == ("node:1", "npm", {"PATH", "HOME"})


@pytest.mark.parametrize(
    "answer",
    [
        RunResult(Verdict.EXITED, 127, b"{}", output_truncated=False),
        RunResult(Verdict.TIMEOUT, None, b"{}", output_truncated=False),
        EngineUnavailableError("It is gone", "Start it."),
    ],
    ids=["missing", "hanging", "no engine"],
)
def test_a_client_in_an_image_that_does_not_answer_is_none(answer: RunResult | EngineUnavailableError) -> None:
    assert InImage(ScriptedEngine(answer), "node:1", "run")(("npm",)) is None


def test_a_client_that_this_host_lacks_or_that_fails_is_none() -> None:
    assert on_host(("regreen-no-such-program",)) is None
    assert on_host(("false",)) is None
    assert on_host(("echo", "answer")) == b"answer\n"
