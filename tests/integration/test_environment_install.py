from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox.containers.archive import pack
from sandbox.containers.engine import DockerEngine
from sandbox.detect import detect
from sandbox.environments.images import EnvironmentImages
from sandbox.environments.install import InstallSettings
from sandbox.errors import InstallFailedError
from sandbox.registries import Registry, pip_registry
from sandbox.spec import File, RunSpec, Tree

# The proxy runs in this process, and reaches the registry that this machine's pip names.
pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.enable_socket]

REPOSITORY = "regreen-tests/small"
ENVIRONMENT = (("PATH", "/env/bin:/usr/local/bin:/usr/bin:/bin"), ("HOME", "/tmp"))  # noqa: S108 - the container's
TESTS = """
import importlib.metadata, small
def test_metadata(): assert importlib.metadata.version("small") == "1.2.3"
def test_tree(): assert small.__file__.startswith("/repo/")
"""

Ensure = Callable[[Tree, Registry], str]


def package(requirement: str = "iniconfig") -> Tree:
    return {
        "pyproject.toml": File(
            f'[project]\nname = "small"\nversion = "1.2.3"\ndependencies = ["{requirement}"]\n'.encode()
        ),
        "src/small/__init__.py": File(b"import iniconfig\n"),
        "tests/test_small.py": File(TESTS.encode()),
    }


def old_fashioned_package() -> Tree:
    """Its pinned build tools know only the editable install that leaves the metadata in the tree."""
    return {
        "pyproject.toml": File(
            b'[build-system]\nrequires = ["setuptools<64"]\nbuild-backend = "setuptools.build_meta"\n'
        ),
        "setup.py": File(b'from setuptools import setup\nsetup(name="small", version="1.2.3", packages=["small"])\n'),
        "small/__init__.py": File(b""),
        "tests/test_small.py": File(TESTS.encode()),
    }


@pytest.fixture(scope="session")
def registry() -> Registry:
    found = pip_registry()
    if not found.origins:
        pytest.fail("This machine's pip names no index.")
    return found


@pytest.fixture
def ensure(engine: DockerEngine, base_image: str, ca_bundle: Path | None, tmp_path: Path) -> Iterator[Ensure]:
    """Sets up a tree's environment; the registry may resolve to a private address here. Removes what it built."""
    built: set[str] = set()

    def run(tree: Tree, registry: Registry) -> str:
        settings = InstallSettings(
            allow=registry.origins,
            private=frozenset(origin.host for origin in registry.origins),
            ca_bundle=ca_bundle.read_bytes() if ca_bundle else None,
            environment=registry.environment,
        )
        images = EnvironmentImages(engine, lambda *_: base_image, settings, data_dir=tmp_path)
        built.add(images.reference(REPOSITORY, tree, detect(tree)))
        return images.ensure(REPOSITORY, tree, detect(tree))

    yield run
    for reference in built:
        engine.remove_image(reference)


@pytest.mark.parametrize("tree", [package(), old_fashioned_package()], ids=["modern", "old-fashioned"])
def test_a_package_with_a_dependency_from_the_registry_is_tested_from_its_tree_with_its_metadata(
    engine: DockerEngine, ensure: Ensure, registry: Registry, tree: Tree, run_label: Callable[[], str]
) -> None:
    image = ensure(tree, registry)
    spec = RunSpec(run_label(), image, detect(tree).test_command, environment=ENVIRONMENT)
    result = engine.run(spec, pack({"repo": tree}))
    assert (result.exit_code, b"2 passed" in result.output) == (0, True), result.output
    content = engine.image(image)
    assert ensure({**tree, "more.py": File(b"")}, registry) == image
    assert engine.image(image) == content


def test_a_dependency_that_does_not_exist_fails_with_the_step_and_the_log(ensure: Ensure, registry: Registry) -> None:
    with pytest.raises(InstallFailedError, match=r"pip install --use-pep517 -e \.` failed") as caught:
        ensure(package("regreen-no-such-package-0a1b2c"), registry)
    assert "No matching distribution found for regreen-no-such-package-0a1b2c" in caught.value.cause


def test_a_host_that_is_not_listed_is_refused_and_named(ensure: Ensure) -> None:
    tree = {"requirements.txt": File(b"small @ https://elsewhere.invalid/small.tar.gz")}
    with pytest.raises(InstallFailedError, match=r"Hosts that the sandbox refused: elsewhere\.invalid:443 \(not on"):
        ensure(tree, Registry(environment=(("PIP_RETRIES", "0"),)))
