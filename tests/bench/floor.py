"""What any tool has to do between a label and a pull request, and nothing else.

A clone, an installation where there is none yet, and plain containers that run the suite: no limits, no result files,
no comparison, one after the other. A container gets the tree as a tar and is removed afterwards.
"""

import os
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.journal import Run
from bench.subjects import InvalidMeasurementError, Subject
from docker import APIClient

from bot.adapters.workspace import ENVIRONMENT
from bot.settings import Settings
from sandbox.containers.archive import pack
from sandbox.detect import detect
from sandbox.registries import pip_registry
from sandbox.spec import File, Recipe

RUN_SECONDS = 1800
OWN_IMAGE = "regreen-bench-floor"
GREEN, RED = 0, 1
BUNDLE = "/etc/regreen-bench-ca.pem"


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds by part; `install` is 0 when nothing was to be installed."""

    clone: float
    install: float
    suites: tuple[float, ...]
    selections: tuple[float, ...]

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.clone + self.install + sum(self.suites) + sum(self.selections)


@dataclass(slots=True)
class Floor:
    """Measures on the engine that the worker uses. `work` is an empty directory, `url` the address of the clone."""

    settings: Settings
    work: Path
    _client: Any = field(init=False)

    def __post_init__(self) -> None:
        """Open the engine."""
        self._client = APIClient(self.settings.docker_host, version="auto", timeout=RUN_SECONDS)

    def measure(self, subject: Subject, url: str, run: Run, *, install: bool) -> Measured:
        """Do what `run` did: as many suites on the base and on the fix, and the same selections."""
        begin = time.monotonic()
        tree = self._clone(f"{url}/{subject.repository}.git")
        clone = time.monotonic() - begin
        recipe = detect(tree)
        fixed = {**tree, subject.path: File(subject.fixed[subject.path])}
        installed = self._install(tree, recipe) if install else 0.0
        image = self._environment(subject.repository)
        suites = [self._suite(image, tree, recipe.test_command, RED) for _ in range(run.base_suites)]
        selections = [
            self._suite(image, fixed if patched else tree, (*recipe.test_command, *ids), GREEN if patched else RED)
            for ids, patched in run.selections
        ]
        suites += [self._suite(image, fixed, recipe.test_command, GREEN) for _ in range(run.fix_suites)]
        return Measured(clone, installed, tuple(suites), tuple(selections))

    def forget_images(self, repository: str) -> None:
        """Remove a repository's environment images."""
        for image in self._client.images(filters={"label": f"regreen.repository={repository}"}):
            self._client.remove_image(str(image["Id"]), force=True)

    def close(self) -> None:
        """Close the engine's client."""
        self._client.close()

    def _clone(self, url: str) -> dict[str, File]:
        into = self.work / f"clone-{time.monotonic_ns()}"
        command = ["git", "clone", "--quiet", "--depth=1", url, str(into)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=RUN_SECONDS)
        if done.returncode:
            raise InvalidMeasurementError(f"The floor could not clone: {done.stderr.strip()[-500:]}")
        files = (path for path in into.rglob("*") if path.is_file() and ".git" not in path.relative_to(into).parts)
        return {path.relative_to(into).as_posix(): File(path.read_bytes()) for path in files}

    def _install(self, tree: Mapping[str, File], recipe: Recipe) -> float:
        """The recipe's own commands in one container, kept as an image."""
        steps = [" ".join(f"'{word}'" for word in step) for step in recipe.install]
        begin = time.monotonic()
        container = self._container(
            self.settings.sandbox_base_image,
            ("/bin/sh", "-ec", "\n".join(steps)),
            (*ENVIRONMENT, ("PIP_NO_CACHE_DIR", "1"), ("PIP_DISABLE_PIP_VERSION_CHECK", "1"), *self._registry()),
            network_mode="host",
            binds=self._bundle(),
        )
        try:
            self._finish(container, tree, GREEN)
            kept = self._client.commit(container, repository=OWN_IMAGE, tag="latest")
        finally:
            self._client.remove_container(container, v=True, force=True)
        seconds = time.monotonic() - begin
        # The suites run in the pipeline's image, which this one is like.
        self._client.remove_image(kept["Id"], force=True)
        return seconds

    def _suite(self, image: str, tree: Mapping[str, File], command: tuple[str, ...], expected: int) -> float:
        begin = time.monotonic()
        container = self._container(image, command, ENVIRONMENT, network_mode="none")
        try:
            self._finish(container, tree, expected)
        finally:
            self._client.remove_container(container, v=True, force=True)
        return time.monotonic() - begin

    def _container(
        self, image: str, command: tuple[str, ...], environment: tuple[tuple[str, str], ...], **host: Any
    ) -> str:
        made = self._client.create_container(
            image,
            list(command),
            working_dir="/repo",
            environment=dict(environment),
            host_config=self._client.create_host_config(**host),
        )
        return str(made["Id"])

    def _finish(self, container: str, tree: Mapping[str, File], expected: int) -> None:
        self._client.put_archive(container, "/", b"".join(pack({"repo": tree})))
        self._client.start(container)
        code = self._client.wait(container, timeout=RUN_SECONDS)["StatusCode"]
        said = self._client.logs(container)
        if code != expected:
            text = said.decode("utf-8", "replace")[-1500:]
            raise InvalidMeasurementError(f"A plain container ended with {code}, not {expected}:\n{text}")

    def _environment(self, repository: str) -> str:
        """The image that the pipeline built: both run the suite in the same one."""
        found = self._client.images(filters={"label": f"regreen.repository={repository}"})
        if len(found) != 1:
            raise InvalidMeasurementError(f"There are {len(found)} environment images of {repository}, not one")
        return str(found[0]["Id"])

    def _registry(self) -> tuple[tuple[str, str], ...]:
        trusted = (("PIP_CERT", BUNDLE), ("SSL_CERT_FILE", BUNDLE)) if self.settings.ca_bundle else ()
        return (*pip_registry().environment, *trusted)

    def _bundle(self) -> list[str]:
        bundle = self.settings.ca_bundle
        return [f"{os.path.realpath(bundle)}:{BUNDLE}:ro"] if bundle else []
