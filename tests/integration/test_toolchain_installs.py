"""Each toolchain's package client installs through the egress proxy, and runs what it installed without a network."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.containers.archive import pack
from sandbox.containers.engine import DockerEngine
from sandbox.environments.images import EnvironmentImages
from sandbox.environments.install import InstallSettings
from sandbox.environments.toolchains import TOOLCHAINS, BaseImages
from sandbox.errors import InstallFailedError
from sandbox.registries import Registries
from sandbox.registries.ask import InImage
from sandbox.spec import Egress, File, Recipe, RunResult, RunSpec, Tree

# The proxy runs in this process, and reaches the registries that this machine's clients name.
pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.enable_socket]

REPOSITORY = "regreen-tests/toolchains"
PATH = ("PATH", "/env/bin:/usr/local/bin:/usr/bin:/bin")
VENV = ("python3", "-m", "venv", "/env")
PIP = ("python", "-m", "pip", "install", "--quiet")
GO_TEST = b"""package small
import "testing"
func TestSmall(t *testing.T) { if 1 + 1 != 2 { t.Fatal() } }
"""
GO_TREE: Tree = {"go.mod": File(b"module small\n\ngo 1.19\n"), "small_test.go": File(GO_TEST)}
C_SOURCE = b"""package small
// int two(void) { return 2; }
import "C"
func Two() int { return int(C.two()) }
"""


class Toolchains:
    """Installs recipes, remembers what the proxy decided, and removes what it built."""

    def __init__(self, engine: DockerEngine, settings: InstallSettings, directory: Path) -> None:
        self.asked: list[Egress] = []
        self.built: set[str] = set()
        self.engine = engine
        self.registries = settings.registry_for
        settings = replace(settings, report=self.asked.extend)
        self._images = EnvironmentImages(engine, BaseImages(), settings, data_dir=directory)

    def install(self, recipe: Recipe, tree: Tree) -> str:
        self.built.add(self._images.reference(REPOSITORY, tree, recipe))
        return self._images.ensure(REPOSITORY, tree, recipe)

    def run(self, run_id: str, image: str, tree: Tree, *command: str, **variables: str) -> RunResult:
        environment = (PATH, ("HOME", "/tmp"), *variables.items())  # noqa: S108 - the container's own
        return self.engine.run(RunSpec(run_id, image, command, environment=environment), pack({"repo": tree}))


@pytest.fixture
def toolchains(
    engine: DockerEngine,
    toolchain_image: Callable[[str], str],
    ca_bundle: Path | None,
    run_label: Callable[[], str],
    tmp_path: Path,
) -> Iterator[Toolchains]:
    registries = Registries({name: InImage(engine, toolchain_image(name), run_label()) for name in TOOLCHAINS})
    hosts = {origin.host for name in TOOLCHAINS for origin in registries(name).origins}
    bundle = ca_bundle.read_bytes() if ca_bundle else None
    # A mirror, or a proxy that inspects HTTPS, has a private address.
    settings = InstallSettings(private=frozenset(hosts), ca_bundle=bundle, registry_for=registries)
    toolchains = Toolchains(engine, settings, tmp_path)
    yield toolchains
    for reference in toolchains.built - {one.reference for one in TOOLCHAINS.values()}:
        engine.remove_image(reference)


def recipe(toolchain: str, *steps: tuple[str, ...]) -> Recipe:
    return Recipe(toolchain, steps, ("true",), "given", toolchain=toolchain)


def test_npm_installs_a_package_from_the_registry_that_the_host_uses(
    toolchains: Toolchains, run_label: Callable[[], str]
) -> None:
    tree = {"a.js": File(b"process.exit(require('is-odd')(3) ? 0 : 1)\n")}
    image = toolchains.install(recipe("node", ("npm", "install", "--prefix", "/env", "is-odd@3.0.1")), tree)
    result = toolchains.run(run_label(), image, tree, "node", "a.js", NODE_PATH="/env/node_modules")
    assert result.exit_code == 0, result.output
    assert {one.host for one in toolchains.asked if one.allowed} == {
        one.host for one in toolchains.registries("node").origins
    }


@pytest.mark.parametrize("client", ["pip", "uv"])
def test_a_python_client_installs_a_package_from_the_index_that_the_host_uses(
    toolchains: Toolchains, run_label: Callable[[], str], client: str
) -> None:
    steps = {"pip": [(*PIP, "iniconfig")], "uv": [(*PIP, "uv"), ("uv", "pip", "install", "--python=/env", "iniconfig")]}
    image = toolchains.install(recipe("python", VENV, *steps[client]), {})
    result = toolchains.run(run_label(), image, {}, "python", "-c", "import iniconfig")
    assert result.exit_code == 0, result.output
    assert [one for one in toolchains.asked if not one.allowed] == []


@pytest.mark.parametrize("more", [{}, {"two.go": File(C_SOURCE)}], ids=["go", "with C"])
def test_go_tests_with_the_standard_library_without_any_install(
    toolchains: Toolchains, run_label: Callable[[], str], more: Tree
) -> None:
    image = toolchains.install(recipe("go"), GO_TREE)
    assert image == TOOLCHAINS["go"].reference
    result = toolchains.run(run_label(), image, {**GO_TREE, **more}, "go", "test", "./...")
    assert result.exit_code == 0, result.output


def test_a_host_that_only_another_toolchain_uses_is_refused_and_reported(toolchains: Toolchains) -> None:
    (index,) = {origin.host for origin in toolchains.registries("node").origins}
    fetch = f"import urllib.request as r; r.urlopen('https://{index}/is-odd', timeout=20)"
    with pytest.raises(InstallFailedError, match="not on the list"):
        toolchains.install(recipe("python", ("python3", "-c", fetch)), {})
    assert [(one.host, one.allowed, one.count) for one in toolchains.asked][-1] == (index, False, 1)


def test_a_host_of_the_policy_file_is_reached_and_one_with_a_private_address_is_not(toolchains: Toolchains) -> None:
    fetch = ("python3", "-c", "import urllib.request as r; r.urlopen('https://localhost.localdomain/', timeout=20)")
    with pytest.raises(InstallFailedError, match=r"localhost\.localdomain:443 \((it resolves to a private|the name)"):
        toolchains.install(replace(recipe("python", fetch), hosts=("localhost.localdomain",)), {})


@pytest.mark.parametrize("toolchain", ["node", "go"])
def test_an_image_answers_for_a_host_without_the_client(
    engine: DockerEngine, toolchain_image: Callable[[str], str], run_label: Callable[[], str], toolchain: str
) -> None:
    asked = InImage(engine, toolchain_image(toolchain), run_label())
    answer = {"node": asked(("npm", "config", "get", "registry")), "go": asked(("go", "env", "GOPROXY"))}[toolchain]
    assert answer is not None
    assert answer.startswith(b"https://")
