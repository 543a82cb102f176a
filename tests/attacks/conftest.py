"""Fixtures for attacks: started by the engine as any run is, judged from outside."""

import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import pytest
from attacks_inside import ENVIRONMENT, SMALL, Attack, program_tree
from docker import APIClient

from bot.adapters.workspace import DockerWorkspace
from sandbox.containers.ahead import Ahead
from sandbox.containers.archive import pack
from sandbox.containers.engine import DockerEngine
from sandbox.spec import MIB, RunResult, RunSpec, Tree


@pytest.fixture
def attack(engine: DockerEngine, base_image: str, runtime: str | None, run_label: Callable[[], str]) -> Attack:
    """Runs a program of `programs` with arguments; nothing of its container is left afterwards."""

    def attack(
        program: str,
        *arguments: str,
        run_id: str = "",
        tree: Tree | None = None,
        environment: tuple[tuple[str, str], ...] = ENVIRONMENT,
        **limits: float,
    ) -> RunResult:
        label = run_id or run_label()
        spec = RunSpec(
            label, base_image, ("python3", f"{program}.py", *arguments), limits=replace(SMALL, **limits),
            environment=environment, runtime=runtime,
        )  # fmt: skip
        try:
            return engine.run(spec, pack({"repo": {**program_tree(), **(tree or {})}}))
        finally:
            assert engine.sweep("regreen.run", label) == 0

    return attack


@pytest.fixture
def client(docker_host: str) -> Iterable[APIClient]:
    """The engine's own interface, for what a test must see that the sandbox does not show."""
    client = APIClient(docker_host, version="auto", timeout=60)
    yield client
    client.close()


@pytest.fixture
def canary() -> str:
    """A word that is nowhere else."""
    return f"canary{secrets.token_hex(12)}"


@pytest.fixture
def workspace(
    engine: DockerEngine, suite_image: str, runtime: str | None
) -> Iterator[Callable[[Tree], DockerWorkspace]]:
    """The bot's own workspace over a tree, whatever the commit."""

    class Trees:
        def __init__(self, tree: Tree) -> None:
            self._tree = tree

        def tree(self, repository: str, commit: str) -> Tree:
            del repository, commit
            return self._tree

    limits = replace(SMALL, wall_seconds=30, tree=16 * MIB, scratch=16 * MIB)
    ahead = Ahead(engine, bases=1)
    yield lambda tree: DockerWorkspace(
        ahead, Trees(tree), lambda _: suite_image, limits, runtime, 2, lambda: secrets.token_hex(16)
    )
    ahead.close()
