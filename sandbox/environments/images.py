"""Environment images: a repository's dependencies, installed once for each content of what decides them."""

import errno
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Protocol

from sandbox.environments import install, kept
from sandbox.environments.caches import SHARE, PackageCaches
from sandbox.environments.install import Installation, InstallSettings
from sandbox.environments.kept import KEY_LABEL, KeptImages
from sandbox.environments.keys import environment_key, key_of_tree, tree_digest
from sandbox.environments.layer import FILE_SYSTEM_BLOCK
from sandbox.environments.sieve import Sieve
from sandbox.errors import (
    CacheSuspectedError,
    DiskFullError,
    EngineUnavailableError,
    ImageMissingError,
    RuntimeUnfitError,
)
from sandbox.locks import locked
from sandbox.spec import Recipe, Tree

REPOSITORY_NAME = "regreen-env"
ENVIRONMENTS = "environments"
CACHES = "caches"
TREE_LABEL = "regreen.tree"
"""The digest of the one tree that an image serves, since its install generated files there; empty for any tree."""
GENERATED_LABEL = "regreen.generated"
"""Those files, as a JSON list of paths relative to the tree."""

_CAUSE = 500

BaseFor = Callable[[str, Recipe], str]
"""Repository and recipe → the base image's reference, as `sandbox.environments.toolchains.BaseImages`."""


class Engine(install.Engine, kept.Engine, Protocol):
    """What building an image takes of a `DockerEngine`; see there."""

    def layer(self, base: str, archive: BinaryIO, reference: str, labels: Mapping[str, str]) -> str:
        """Put a tar over an image."""
        ...


@dataclass(frozen=True, slots=True)
class _Build:
    """One image to build: its key, the repository's name and identity, and where its files lie meanwhile."""

    key: str
    repository: str
    identity: str
    base: str
    tree: Tree
    recipe: Recipe
    work: Path

    @property
    def reference(self) -> str:
        return f"{REPOSITORY_NAME}:{self.key}"


class EnvironmentImages:
    """Builds environment images on one engine; several processes may share `data_dir`, one at a time builds a key.

    What `ensure` returned stays until `release`, or until this object or its process goes; then it may be evicted.
    """

    def __init__(
        self,
        engine: Engine,
        base_for: BaseFor,
        settings: InstallSettings,
        *,
        data_dir: Path,
        log: Callable[[str], None] = lambda _: None,
        identify: Callable[[str], str] = str,
    ) -> None:
        """`base_for` says which base image a recipe runs in; `log` gets a line about each piece of work.

        `identify` turns a repository's name into what no other one ever has: neither image nor package cache is
        shared between identities. A name that may be given again, as on a forge, is none; a path here is one.
        """
        self._engine = engine
        self._base_for = base_for
        self._settings = settings
        self._identify = identify
        # The engine takes a relative path for the name of a volume.
        directory = data_dir.absolute()
        self._directory = directory / ENVIRONMENTS
        self._kept = KeptImages(engine, directory, settings.room.images, log)
        self._caches = PackageCaches(directory / CACHES, settings.room.caches)
        self._log = log

    def reference(self, repository: str, tree: Tree, recipe: Recipe) -> str:
        """The image's reference, whether it is there or not; the base image's for a recipe that installs nothing.

        Raises `ImageMissingError` when the base image is not here, `EngineUnavailableError`.
        """
        build = self._planned(repository, tree, recipe)
        return self._fitting(build)[0].reference if recipe.install else build.base

    def ensure(self, repository: str, tree: Tree, recipe: Recipe) -> str:
        """The reference of an image with the recipe's environment at /env, built unless it is there.

        Raises `InstallFailedError` with the failed step, the log's last lines and the refused hosts,
        `RuntimeUnfitError`, `ImageMissingError`, `TreeTooLargeError`, `DiskFullError`, `EngineUnavailableError`.
        """
        build = self._planned(repository, tree, recipe)
        if not recipe.install:
            return build.base
        with _room_needed():
            build, built = self._ensured(build)
        if built:
            self._evict()
        return build.reference

    def generated(self, reference: str) -> tuple[str, ...]:
        """The files that an image lays under the tree and that may differ with it; paths relative to the tree.

        Raises `EngineUnavailableError`.
        """
        name, _, key = reference.rpartition(":")
        labels = self._labels(reference, key) if name == REPOSITORY_NAME else None
        return tuple(str(path) for path in json.loads((labels or {}).get(GENERATED_LABEL, "[]")))

    def release(self) -> None:
        """Say that nothing runs in what `ensure` returned any more."""
        self._kept.release()

    def _ensured(self, build: _Build) -> tuple[_Build, bool]:
        """What serves this tree, and whether it had to be built."""
        while True:
            # Only what is held is looked for: what is found stays.
            self._kept.use(build.key)
            fitting, there = self._fitting(build)
            if fitting.key != build.key:
                build = fitting
                continue
            if there:
                return build, False
            with locked(build.work.with_suffix(".lock")):
                # Another process may have built it meanwhile, for another tree perhaps.
                if self._labels(build.reference, build.key) is None:
                    self._build(build)
                    return build, True

    def _fitting(self, build: _Build) -> tuple[_Build, bool]:
        """The build of the image that serves this tree, and whether it is there: the tree's own where it needs one."""
        labels = self._labels(build.reference, build.key)
        if labels is None:
            return build, False
        served = labels.get(TREE_LABEL, "")
        digest = tree_digest(build.tree) if served else ""
        if served == digest:
            return build, True
        own = key_of_tree(build.key, digest)
        build = replace(build, key=own, work=self._directory / own)
        return build, self._labels(build.reference, own) is not None

    def _labels(self, reference: str, key: str) -> Mapping[str, str] | None:
        found = self._engine.images(KEY_LABEL, key)
        return next((image.labels for image in found if reference in image.references), None)

    def _planned(self, repository: str, tree: Tree, recipe: Recipe) -> _Build:
        base = self._base_for(repository, recipe)
        identity = self._identify(repository)
        base_id = self._engine.image(base)
        if base_id is None:
            raise ImageMissingError(f"The sandbox base image {base} is not here", "Pull or build it first.", base)
        key = environment_key(base_id, identity, tree, recipe)
        return _Build(key, repository, identity, base, tree, recipe, self._directory / key)

    def _build(self, build: _Build) -> None:
        self._log(f"Setting up the environment of {build.repository}: {build.recipe.source}")
        # A process that was killed here leaves its directory; we hold the lock, so nobody uses it.
        shutil.rmtree(build.work, ignore_errors=True)
        settings: InstallSettings | None = self._settings
        try:
            while settings is not None:
                settings = self._attempted(build, settings)
        finally:
            shutil.rmtree(build.work, ignore_errors=True)

    def _attempted(self, build: _Build, settings: InstallSettings) -> InstallSettings | None:
        """Try to build an image; with what to try again, if at all."""
        try:
            self._try(build, settings)
        except CacheSuspectedError as error:
            self._log(f"The install failed with its package cache, so it starts again without: {error.cause[:_CAUSE]}")
            self._caches.drop(build.identity)
            return settings.without_cache()
        except RuntimeUnfitError as error:
            if settings.fallback is None:
                raise
            self._log(f"{error.cause}; installing with {settings.fallback} instead")
            return settings.fallen_back()
        return None

    def _try(self, build: _Build, settings: InstallSettings) -> None:
        limits = settings.limits
        most = limits.cache // SHARE
        proxy_dir, cache = build.work / "proxy", build.work / "cache.tar"
        proxy_dir.mkdir(parents=True, exist_ok=True)
        with (build.work / "env.tar").open("w+b") as layer, cache.open("w+b") as members:
            sieve = Sieve(layer, limits, members if limits.cache else None)
            installation = Installation(self._engine, settings, build.base, build.tree, build.recipe)
            with self._caches.read(build.identity, most) as warm:
                installation.run(f"env-{build.key}", proxy_dir, sieve, warm)
            sieve.finish()
            layer.seek(0)
            labels = {
                **self._kept.labels(build.key, build.repository, sieve.occupied),
                TREE_LABEL: tree_digest(build.tree) if sieve.bound else "",
                GENERATED_LABEL: json.dumps(sieve.bound),
            }
            self._engine.layer(build.base, layer, build.reference, labels)
        # An empty one says that the cache is as it was, or grew too large: what there is stays.
        if sieve.cache_occupied is not None and FILE_SYSTEM_BLOCK < sieve.cache_occupied <= most:
            self._caches.keep(build.identity, cache)

    def _evict(self) -> None:
        try:
            self._kept.evict()
        except (EngineUnavailableError, OSError) as error:
            self._log(f"Nothing was evicted: {error}")


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
