"""Containers made ahead: the same run as without, each used once, none left behind."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import docker
import pytest

from sandbox.containers.ahead import Ahead
from sandbox.containers.engine import DockerEngine
from sandbox.containers.policy import RUN_LABEL
from sandbox.containers.upload import Packed, upload
from sandbox.spec import MIB, File, Limits, RunSpec, Tree, Verdict

pytestmark = pytest.mark.engine

LIMITS = Limits(wall_seconds=30, memory=64 * MIB, tree=16 * MIB, scratch=16 * MIB, results=1 * MIB)
BASE: Tree = {"a/b.txt": File(b"old"), "gone/x": File(b""), "kept": File(b"kept"), "big": File(b"x" * MIB)}
CHANGED: Tree = {"a/b.txt": File(b"new"), "kept": BASE["kept"], "big": BASE["big"], "n/e/w": File(b"new")}
LOOK = ("sh", "-c", "cat a/b.txt kept n/e/w; find . -type d | sort; wc -c <big; hostname; echo 1 >/regreen/results/r")
PATH = (("PATH", "/usr/bin:/bin"),)


class Bench:
    """Makes and counts containers of one test."""

    def __init__(self, engine: DockerEngine, image: str, runtime: str | None, labels: Callable[[], str]) -> None:
        self.engine, self._image, self._runtime, self._labels = engine, image, runtime, labels
        self.given: list[str] = []

    def spec(self, *command: str, limits: Limits = LIMITS) -> RunSpec:
        self.given.append(self._labels())
        return RunSpec(self.given[-1], self._image, command, limits=limits, environment=PATH, runtime=self._runtime)

    def containers(self, client: docker.APIClient, run_id: str) -> list[str]:
        found = client.containers(all=True, filters={"label": f"{RUN_LABEL}={run_id}"})
        return [str(one["Id"]) for one in found]

    def running(self, client: docker.APIClient, run_id: str) -> dict[str, Any] | None:
        """What the engine says of a run's container, once it runs; it lists some that it cannot inspect yet."""
        for found in self.containers(client, run_id):
            with suppress(docker.errors.NotFound):
                seen: dict[str, Any] = client.inspect_container(found)
                return seen if seen["State"]["Running"] else None
        return None


@pytest.fixture
def client(docker_host: str) -> Iterator[docker.APIClient]:
    client = docker.APIClient(docker_host)
    yield client
    client.close()


@pytest.fixture
def bench(engine: DockerEngine, base_image: str, runtime: str | None, run_label: Callable[[], str]) -> Bench:
    return Bench(engine, base_image, runtime, run_label)


@pytest.fixture
def ahead(engine: DockerEngine) -> Iterator[Ahead]:
    ahead = Ahead(engine, bases=1)
    yield ahead
    ahead.close()


def waiting(bench: Bench, client: docker.APIClient, ahead: Ahead, base: Packed) -> str:
    """Prepare a container; returns its id once it runs."""
    spec = bench.spec()
    ahead.prepare(spec, base)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        found = bench.running(client, spec.run_id)
        if found:
            return str(found["Id"])
        time.sleep(0.02)
    pytest.fail("no container was made ahead")


def test_a_run_in_a_waiting_container_is_the_run_without_one(
    bench: Bench, client: docker.APIClient, ahead: Ahead
) -> None:
    base = Packed.of(BASE)
    made = waiting(bench, client, ahead, base)
    first = ahead.run(bench.spec(*LOOK), upload(base, {"repo": CHANGED}))
    second = ahead.run(bench.spec(*LOOK), upload(base, {"repo": CHANGED}))
    host = made[:12].encode()
    assert first.output.splitlines()[-1] == host
    assert second.output.splitlines()[-1] != host
    assert first.output.splitlines()[:-1] == second.output.splitlines()[:-1]
    assert first.output.startswith(b"newkeptnew.\n./a\n./n\n./n/e\n1048576\n")
    assert (first.verdict, first.results, first.exit_code) == (Verdict.EXITED, {"r": b"1\n"}, 0)
    ahead.close()
    assert [bench.containers(client, run_id) for run_id in bench.given] == [[]] * 3


def test_the_waiting_container_has_the_policy_of_any_other(
    bench: Bench, client: docker.APIClient, ahead: Ahead
) -> None:
    base = Packed.of(BASE)
    made = client.inspect_container(waiting(bench, client, ahead, base))
    spec = bench.spec("sleep", "3")
    with ThreadPoolExecutor() as pool:
        run = pool.submit(bench.engine.run, spec, upload(base, {"repo": BASE}))
        while not (seen := bench.running(client, spec.run_id)):
            assert not run.done()
        run.result()
    assert made["HostConfig"] == seen["HostConfig"]
    config, other = dict(made["Config"]), dict(seen["Config"])
    for each in (config, other):
        del each["Hostname"], each["Labels"]
    assert config == other


def test_the_wall_clock_starts_with_the_run(bench: Bench, ahead: Ahead) -> None:
    base, limits = Packed.of(BASE), Limits(wall_seconds=2, memory=64 * MIB)
    ahead.prepare(bench.spec(limits=limits), base)
    time.sleep(4)
    result = ahead.run(bench.spec("true", limits=limits), upload(base, {"repo": BASE}))
    assert (result.verdict, result.exit_code) == (Verdict.EXITED, 0)
    looped = ahead.run(bench.spec("sleep", "60", limits=limits), upload(base, {"repo": BASE}))
    assert looped.verdict is Verdict.TIMEOUT


def test_another_spec_or_base_does_not_get_it(bench: Bench, client: docker.APIClient, ahead: Ahead) -> None:
    base, same = Packed.of(BASE), Packed.of(BASE)
    made = waiting(bench, client, ahead, base)
    ahead.run(bench.spec("true", limits=Limits()), upload(base, {"repo": BASE}))
    ahead.run(bench.spec("true"), upload(same, {"repo": BASE}))
    assert client.inspect_container(made)["State"]["Running"]


@pytest.mark.parametrize("how", ["kill", "remove"])
def test_one_that_died_while_it_waited_is_replaced(
    bench: Bench, client: docker.APIClient, ahead: Ahead, how: str
) -> None:
    base = Packed.of(BASE)
    made = waiting(bench, client, ahead, base)
    if how == "kill":
        client.kill(made)
    else:
        client.remove_container(made, force=True)
    result = ahead.run(bench.spec(*LOOK), upload(base, {"repo": CHANGED}))
    assert (result.verdict, result.exit_code) == (Verdict.EXITED, 0)


def test_closing_removes_what_waits_and_one_waits_for_each_base(
    bench: Bench, client: docker.APIClient, ahead: Ahead
) -> None:
    base = Packed.of(BASE)
    waiting(bench, client, ahead, base)
    ahead.prepare(bench.spec(), base)
    waiting(bench, client, ahead, Packed.of({}))
    ahead.close()
    ahead.prepare(bench.spec(), base)
    end = time.monotonic() + 20
    while any(bench.containers(client, run_id) for run_id in bench.given) and time.monotonic() < end:
        time.sleep(0.1)
    assert [bench.containers(client, run_id) for run_id in bench.given] == [[]] * 4


def test_one_that_waited_too_long_goes(bench: Bench, client: docker.APIClient) -> None:
    ahead = Ahead(bench.engine, bases=1, wait_seconds=1)
    base = Packed.of(BASE)
    waiting(bench, client, ahead, base)
    end = time.monotonic() + 20
    while bench.containers(client, bench.given[0]) and time.monotonic() < end:
        time.sleep(0.1)
    assert bench.containers(client, bench.given[0]) == []
    assert ahead.run(bench.spec("true"), upload(base, {"repo": BASE})).exit_code == 0
    ahead.close()
