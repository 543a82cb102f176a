from collections.abc import Iterable
from pathlib import Path

import pytest
from fakes_engine import BASE, ScriptedEngine
from fakes_tls import ProxyClient

from bot.adapters.environments import NOTHING_LISTED, DockerEnvironments, Listed
from bot.errors import EngineDownError, NoRoomError, RegreenError, SetUpError, TreeError
from sandbox.containers.stream import Sink
from sandbox.environments.images import EnvironmentImages
from sandbox.environments.install import InstallSettings
from sandbox.errors import (
    DetectionError,
    DiskFullError,
    EngineUnavailableError,
    InstallFailedError,
    SandboxError,
    TreeTooLargeError,
)
from sandbox.network.egress import SOCKET_NAME
from sandbox.network.origin import Origin
from sandbox.spec import File, Given, RunResult, RunSpec, Tree, Verdict

TREE: Tree = {"test_a.py": File(b"def test_a(): pass\n")}


class ScriptedTrees:
    """One tree for every commit, or an error."""

    def __init__(self, tree: Tree, error: SandboxError | None = None) -> None:
        self.files = tree
        self.error = error

    def tree(self, repository: str, commit: str) -> Tree:
        assert (repository, commit) == ("o/r", "c0ffee")
        if self.error is not None:
            raise self.error
        return self.files


def environments(engine: ScriptedEngine, trees: ScriptedTrees, directory: Path) -> DockerEnvironments:
    return DockerEnvironments(EnvironmentImages(engine, lambda *_: BASE, InstallSettings(), data_dir=directory), trees)


def test_a_prepared_base_is_portable_and_its_image_is_there_for_the_workspace(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    prepared = environments(engine, ScriptedTrees(TREE), tmp_path)
    base = prepared.prepare("o/r", "c0ffee", Given(("pytest", "-q")))
    assert (base.repository, base.commit, base.recipe.test_command) == ("o/r", "c0ffee", ("pytest", "-q"))
    assert engine.image(prepared.image(base)) is not None
    assert len(engine.specs) == 1


def test_the_workspace_gets_an_image_on_a_machine_that_never_prepared_it(tmp_path: Path) -> None:
    base = environments(ScriptedEngine(), ScriptedTrees(TREE), tmp_path).prepare("o/r", "c0ffee", Given())
    elsewhere = ScriptedEngine()
    assert elsewhere.image(environments(elsewhere, ScriptedTrees(TREE), tmp_path).image(base)) is not None


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (DetectionError, SetUpError),
        (InstallFailedError, SetUpError),
        (DiskFullError, NoRoomError),
        (EngineUnavailableError, EngineDownError),
        (TreeTooLargeError, TreeError),
    ],
)
def test_the_sandboxs_errors_keep_cause_and_remedy_in_the_bots_terms(
    tmp_path: Path, raised: type[SandboxError], expected: type[RegreenError]
) -> None:
    trees = ScriptedTrees(TREE, raised("It broke", "Mend it."))
    with pytest.raises(expected) as caught:
        environments(ScriptedEngine(), trees, tmp_path).prepare("o/r", "c0ffee", Given())
    assert (caught.value.cause, caught.value.remedy) == ("It broke", "Mend it.")


def test_a_tree_that_nobody_knows_how_to_test_is_a_set_up_error(tmp_path: Path) -> None:
    with pytest.raises(SetUpError, match="no file named like a test"):
        environments(ScriptedEngine(), ScriptedTrees({}), tmp_path).prepare("o/r", "c0ffee", Given())


class AskingEngine(ScriptedEngine):
    """Its install asks the proxy for each host before it ends."""

    def __init__(self, result: RunResult, *hosts: str) -> None:
        super().__init__(result)
        self.hosts = hosts

    def install(self, spec: RunSpec, archive: Iterable[bytes], *, proxy_dir: Path, sink: Sink) -> RunResult:
        for host in self.hosts:
            with ProxyClient(proxy_dir / SOCKET_NAME) as client:
                client.connect(host)
        return super().install(spec, archive, proxy_dir=proxy_dir, sink=sink)


def failure(directory: Path, *hosts: str, output: bytes = b"", listed: Listed = NOTHING_LISTED) -> SetUpError:
    settings = InstallSettings(allow=frozenset({Origin("localhost")}))
    engine = AskingEngine(RunResult(Verdict.EXITED, 64, output, output_truncated=False), *hosts)
    images = EnvironmentImages(engine, lambda *_: BASE, settings, data_dir=directory)
    environments = DockerEnvironments(images, ScriptedTrees(TREE), listed=listed)
    with pytest.raises(SetUpError) as caught:
        environments.prepare("o/r", "c0ffee", Given())
    return caught.value


def test_refused_hosts_are_named_with_the_settings_and_the_values_that_would_allow_them(tmp_path: Path) -> None:
    error = failure(tmp_path, "a.example:443", "b.example:8443", "a.example:443", "localhost:443")
    assert "`REGREEN_ALLOWED_HOSTS=a.example,b.example:8443`" in error.remedy
    assert "`REGREEN_PRIVATE_HOSTS=localhost`" in error.remedy
    assert "a.example:443 (not on the list)" in error.cause
    only = failure(tmp_path, "a.example:443")
    assert "`REGREEN_ALLOWED_HOSTS=a.example`" in only.remedy
    assert "PRIVATE" not in only.remedy
    assert "Correct what is declared" in failure(tmp_path).remedy


def test_the_whole_value_to_set_is_named_with_what_is_listed_already(tmp_path: Path) -> None:
    listed = Listed(("a.example",), ("c.example", "d.example"))
    error = failure(tmp_path, "b.example:443", "localhost:443", listed=listed)
    assert "`REGREEN_ALLOWED_HOSTS=a.example,b.example`" in error.remedy
    assert "`REGREEN_PRIVATE_HOSTS=c.example,d.example,localhost`" in error.remedy
    assert "`make base`" in error.remedy
    assert "make base" not in failure(tmp_path, "b.example:443").remedy


@pytest.mark.parametrize("count", [0, 300])
def test_a_failed_install_says_no_more_than_a_page_whatever_it_printed_and_asked_for(
    tmp_path: Path, count: int
) -> None:
    hosts = [f"{'x' * 60}.{'y' * 60}.{number}.example:443" for number in range(count)]
    error = failure(tmp_path, *hosts, output=b"\n".join([b"z" * 100_000] * 100))
    assert len(error.cause) <= 8000
    assert len(error.remedy) <= 8000


def test_a_missing_base_image_is_no_engine_that_is_down_and_names_the_command_that_gets_it(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    del engine.images_by_name[BASE]
    with pytest.raises(SetUpError, match=f"base image {BASE} is not here. Run `docker pull {BASE}`"):
        environments(engine, ScriptedTrees(TREE), tmp_path).prepare("o/r", "c0ffee", Given())


class ChoosyEngine(ScriptedEngine):
    """Its installs fail where a step holds one of some words."""

    def __init__(self, *refused: str) -> None:
        super().__init__()
        self.refused = refused

    def install(self, spec: RunSpec, archive: Iterable[bytes], *, proxy_dir: Path, sink: Sink) -> RunResult:
        plan = b"".join(archive)
        if any(word.encode() in plan for word in self.refused):
            super().install(spec, [plan], proxy_dir=proxy_dir, sink=sink)
            return RunResult(Verdict.EXITED, 66, b"no such version", output_truncated=False)
        return super().install(spec, [plan], proxy_dir=proxy_dir, sink=sink)


LOCKED: Tree = {**TREE, "pyproject.toml": File(b'[project]\nname = "p"\n'), "uv.lock": File(b"")}


def test_where_a_lock_cannot_be_installed_the_manifest_is_and_the_recipe_says_so(tmp_path: Path) -> None:
    said: list[str] = []
    engine = ChoosyEngine("regreen-locked")
    images = EnvironmentImages(engine, lambda *_: BASE, InstallSettings(), data_dir=tmp_path)
    base = DockerEnvironments(images, ScriptedTrees(LOCKED), log=said.append).prepare("o/r", "c0ffee", Given())
    assert not any("regreen-locked" in word for step in base.recipe.install for word in step)
    assert base.recipe.unmet == tuple(said)
    assert "uv.lock" in said[0]
    assert "no such version" in said[0]


def test_where_no_recipe_can_be_installed_the_first_ones_cause_leads(tmp_path: Path) -> None:
    images = EnvironmentImages(ChoosyEngine("venv"), lambda *_: BASE, InstallSettings(), data_dir=tmp_path)
    with pytest.raises(SetUpError) as caught:
        DockerEnvironments(images, ScriptedTrees(LOCKED)).prepare("o/r", "c0ffee", Given())
    assert caught.value.cause.startswith("`/tmp/regreen-tool/bin/python -m pip install uv` failed")
    assert "Not set up as" in caught.value.cause.splitlines()[-1]


class TwiceAskingEngine(ScriptedEngine):
    """Each failing install asks for a host of its own."""

    def install(self, spec: RunSpec, archive: Iterable[bytes], *, proxy_dir: Path, sink: Sink) -> RunResult:
        with ProxyClient(proxy_dir / SOCKET_NAME) as client:
            client.connect(f"host{len(self.specs)}.example:443")
        super().install(spec, archive, proxy_dir=proxy_dir, sink=sink)
        output = b"ERROR: no such thing\nhint: See above"
        return RunResult(Verdict.EXITED, 66, output, output_truncated=False)


def test_where_several_recipes_failed_the_hosts_that_any_was_refused_are_named(tmp_path: Path) -> None:
    engine = TwiceAskingEngine()
    images = EnvironmentImages(engine, lambda *_: BASE, InstallSettings(), data_dir=tmp_path)
    with pytest.raises(SetUpError) as caught:
        DockerEnvironments(images, ScriptedTrees(LOCKED)).prepare("o/r", "c0ffee", Given())
    hosts = ",".join(f"host{number}.example" for number in range(len(engine.specs)))
    assert len(engine.specs) > 1
    assert f"REGREEN_ALLOWED_HOSTS={hosts}`" in caught.value.remedy
    assert "ERROR: no such thing; refused: host1.example" in caught.value.cause


def test_a_runtime_that_cannot_install_is_said_with_its_arguments_and_the_setting_for_another(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    engine.unfit = {"runsc"}
    settings = InstallSettings(runtime="runsc")
    images = EnvironmentImages(engine, lambda *_: BASE, settings, data_dir=tmp_path)
    with pytest.raises(SetUpError, match="The runtime runsc lets no container connect") as caught:
        DockerEnvironments(images, ScriptedTrees(TREE)).prepare("o/r", "c0ffee", Given())
    assert "--host-uds=open" in caught.value.remedy
    assert "runtimeArgs" in caught.value.remedy
    assert "REGREEN_INSTALL_RUNTIME_FALLBACK" in caught.value.remedy
