"""Which base image an environment is built over, what is said where it is missing, and what installs asked for."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from fakes_engine import ScriptedEngine
from fakes_tls import ProxyClient

from bot.adapters.environments import DockerEnvironments
from bot.errors import SetUpError
from sandbox.containers.stream import Sink
from sandbox.environments.images import EnvironmentImages
from sandbox.environments.install import InstallSettings
from sandbox.environments.toolchains import GO, NODE, PYTHON, BaseImages, Toolchain
from sandbox.network.egress import SOCKET_NAME
from sandbox.spec import Egress, File, Given, RunResult, RunSpec, Tree

TREES: dict[str, Tree] = {
    "python": {"requirements.txt": File(b"a\n"), "test_a.py": File(b"def test_a(): pass\n")},
    "node": {"package.json": File(b'{"name": "a", "scripts": {"test": "node --test"}}'), "a.test.js": File(b"")},
    "go": {"go.mod": File(b"module a\n\ngo 1.19\n"), "a_test.go": File(b"package a\n")},
}


class OneTree:
    """The same tree for every commit."""

    def __init__(self, tree: Tree) -> None:
        self.only = tree

    def tree(self, repository: str, commit: str) -> Tree:
        assert (repository, commit) == ("o/r", "c0ffee")
        return self.only


class CuriousEngine(ScriptedEngine):
    """Its installs ask for a host that nobody listed."""

    def install(self, spec: RunSpec, archive: Iterable[bytes], *, proxy_dir: Path, sink: Sink) -> RunResult:
        with ProxyClient(proxy_dir / SOCKET_NAME) as client:
            client.connect("elsewhere.example:443")
        return super().install(spec, archive, proxy_dir=proxy_dir, sink=sink)


def missing(tree: Tree, directory: Path, bases: BaseImages) -> SetUpError:
    images = EnvironmentImages(ScriptedEngine(), bases, InstallSettings(), data_dir=directory)
    with pytest.raises(SetUpError, match="is not here") as caught:
        DockerEnvironments(images, OneTree(tree)).prepare("o/r", "c0ffee", Given())
    return caught.value


@pytest.mark.parametrize(
    ("toolchain", "command"),
    [(PYTHON, "`regreen base`"), (NODE, "`regreen base --toolchain node`"), (GO, "`regreen base --toolchain go`")],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_missing_base_image_of_ours_is_named_with_the_command_that_gets_it(
    tmp_path: Path, toolchain: Toolchain, command: str
) -> None:
    error = missing(TREES[toolchain.name], tmp_path, BaseImages())
    assert toolchain.reference in error.cause
    assert command in error.remedy


def test_a_missing_image_of_the_operators_is_named_with_the_setting_that_names_it(tmp_path: Path) -> None:
    error = missing(TREES["python"], tmp_path, BaseImages({"o/*": "registry.example/o:1"}))
    assert "`docker pull registry.example/o:1`" in error.remedy
    assert "REGREEN_SANDBOX_BASE_IMAGES" in error.remedy


def test_a_refusal_in_an_install_that_succeeded_is_told_once(tmp_path: Path) -> None:
    seen: list[Egress] = []
    engine = CuriousEngine()
    engine.images_by_name[PYTHON.reference] = "sha256:python"
    images = EnvironmentImages(engine, BaseImages(), InstallSettings(report=seen.extend), data_dir=tmp_path)
    environments = DockerEnvironments(images, OneTree(TREES["python"]), seen)
    environments.prepare("o/r", "c0ffee", Given())
    assert environments.egress() == (Egress("elsewhere.example", 443, allowed=False, reason="not on the list"),)
    assert environments.egress() == ()
    environments.prepare("o/r", "c0ffee", Given())
    assert environments.egress() == ()


def test_a_policy_files_hosts_make_an_environment_of_their_own(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    engine.images_by_name[PYTHON.reference] = "sha256:python"
    images = EnvironmentImages(engine, BaseImages(), InstallSettings(), data_dir=tmp_path)
    environments = DockerEnvironments(images, OneTree(TREES["python"]))
    for hosts in ((), ("a.example",), ("b.example", "a.example"), ("a.example", "b.example")):
        environments.prepare("o/r", "c0ffee", Given(hosts=hosts))
    assert len(engine.specs) == 3
