"""Environment images: a repository's dependencies, installed once for each content of what decides them."""

import errno
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from sandbox import install
from sandbox.errors import DiskFullError, ImageMissingError
from sandbox.install import Installation, InstallSettings
from sandbox.keys import environment_key
from sandbox.layer import sanitise
from sandbox.locks import locked
from sandbox.spec import Recipe, Tree

REPOSITORY_NAME = "regreen-env"

BaseFor = Callable[[str, Recipe], str]
"""Repository and recipe → the base image's reference, as `sandbox.toolchains.BaseImages`."""


class Engine(install.Engine, Protocol):
    """What building an image takes of a `DockerEngine`; see there."""

    def image(self, reference: str) -> str | None:
        """The content id of a local image."""
        ...

    def layer(self, base: str, archive: BinaryIO, reference: str, labels: Mapping[str, str]) -> str:
        """Put a tar over an image."""
        ...


class EnvironmentImages:
    """Builds environment images on one engine; several processes may share `data_dir`, one at a time builds a key."""

    def __init__(
        self,
        engine: Engine,
        base_for: BaseFor,
        settings: InstallSettings,
        *,
        data_dir: Path,
        log: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`base_for` says which base image a recipe runs in; `log` gets a line about each piece of work."""
        self._engine = engine
        self._base_for = base_for
        self._settings = settings
        # The engine takes a relative path for the name of a volume.
        self._directory = (data_dir / "environments").absolute()
        self._log = log

    def reference(self, repository: str, tree: Tree, recipe: Recipe) -> str:
        """The image's reference, whether it is there or not; the base image's for a recipe that installs nothing.

        Raises `ImageMissingError` when the base image is not here, `EngineUnavailableError`.
        """
        base = self._base_for(repository, recipe)
        if not recipe.install:
            return base
        base_id = self._engine.image(base)
        if base_id is None:
            raise ImageMissingError(f"The sandbox base image {base} is not here", "Pull or build it first.")
        return f"{REPOSITORY_NAME}:{environment_key(base_id, repository.lower(), tree, recipe)}"

    def ensure(self, repository: str, tree: Tree, recipe: Recipe) -> str:
        """The reference of an image with the recipe's environment at /env, built unless it is there.

        Raises `InstallFailedError` with the failed step, the log's last lines and the refused hosts,
        `ImageMissingError`, `TreeTooLargeError`, `DiskFullError`, `EngineUnavailableError`.
        """
        reference = self.reference(repository, tree, recipe)
        if self._engine.image(reference) is not None:
            return reference
        key = reference.rpartition(":")[2]
        with _room_needed(), locked(self._directory / f"{key}.lock"):
            if self._engine.image(reference) is None:
                labels = {"regreen.env": "1", "regreen.repository": repository, "regreen.key": key}
                self._build(reference, tree, recipe, labels)
        return reference

    def _build(self, reference: str, tree: Tree, recipe: Recipe, labels: Mapping[str, str]) -> None:
        base = self._base_for(labels["regreen.repository"], recipe)
        key = labels["regreen.key"]
        work = self._directory / key
        # A process that was killed here leaves its directory; we hold the lock, so nobody uses it.
        shutil.rmtree(work, ignore_errors=True)
        proxy_dir = work / "proxy"
        proxy_dir.mkdir(parents=True)
        try:
            self._log(f"Setting up the environment of {labels['regreen.repository']}: {recipe.source}")
            with (work / "raw.tar").open("w+b") as raw, (work / "env.tar").open("w+b") as clean:
                installation = Installation(self._engine, self._settings, base, tree, recipe)
                installation.run(f"env-{key}", proxy_dir, raw)
                raw.seek(0)
                sanitise(raw, clean, self._settings.limits)
                clean.seek(0)
                self._engine.layer(base, clean, reference, labels)
        finally:
            shutil.rmtree(work, ignore_errors=True)


@contextmanager
def _room_needed() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        raise DiskFullError(
            "The data directory has no room for building an environment", "Free space in the data directory."
        ) from error
