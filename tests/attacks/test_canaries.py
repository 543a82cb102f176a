"""Attack 10, outside: secrets seeded where a worker keeps them are in nothing that it leaves or shows."""

import base64
import contextlib
import io
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from docker import APIClient
from fakes import FakeClock
from fakes_forge import REPOSITORY, Forge, forge_at
from pydantic import SecretStr

from bot import log
from bot.adapters.git_process import Bounds
from bot.adapters.journal import FileJournal
from bot.errors import FetchError
from bot.settings import Settings, load
from bot.wiring.sandbox import build_sandbox, install_settings
from sandbox.containers.engine import DockerEngine
from sandbox.environments.images import EnvironmentImages
from sandbox.environments.install import InstallSettings
from sandbox.registries.registry import Registry
from sandbox.spec import File, Recipe, Tree

pytestmark = pytest.mark.attack(10, "secrets")

INSTALL = (
    "mkdir -p /env/bin; env >/env/environ; cat /proc/1/environ /proc/1/cmdline /proc/self/mountinfo >>/env/environ; "
    "cp -r /regreen /env/regreen; sleep 1"
)
TREE: Tree = {"a.py": File(b"x = 1\n")}


@pytest.fixture
def settings(canary: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, docker_host: str) -> Settings:
    """A worker's settings, read from an environment that is full of secrets."""
    for name in ("REGREEN_WEBHOOK_SECRETS", "OPENAI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, canary)
    monkeypatch.setenv("PIP_INDEX_URL", f"https://user:{canary}@index.invalid/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"https://{canary}@extra.invalid/simple")
    monkeypatch.setenv("npm_config__authToken", canary)
    monkeypatch.setenv("REGREEN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("REGREEN_DOCKER_HOST", docker_host)
    return load()


def forms(word: str) -> tuple[bytes, ...]:
    """A secret as it is, and in the encodings that headers and configurations show."""
    basic = f"x-access-token:{word}".encode()
    return word.encode(), base64.b64encode(word.encode()), base64.b64encode(basic)


def holds(data: bytes, word: str) -> bool:
    return any(form in data for form in forms(word))


@pytest.mark.engine
def test_neither_an_install_container_nor_its_image_holds_a_secret(
    settings: Settings, canary: str, client: APIClient, engine: DockerEngine, base_image: str
) -> None:
    (settings.data_dir / "secret").parent.mkdir(parents=True)
    (settings.data_dir / "secret").write_text(canary)
    images = EnvironmentImages(
        engine, lambda *_: base_image, InstallSettings(registry_for=_registry), data_dir=settings.data_dir
    )
    recipe = Recipe("python", (("sh", "-c", INSTALL),), ("true",), "attack")
    repository = f"attack-{canary[-12:]}/x"
    reference = images.reference(repository, TREE, recipe)
    seen: list[str] = []
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(client, reference.rpartition(":")[2], seen, done))
    watcher.start()
    try:
        assert images.ensure(repository, TREE, recipe) == reference
        done.set()
        watcher.join()
        image = client.inspect_image(reference)
        saved = b"".join(client.get_image(reference))
        seen += [json.dumps(image), json.dumps(client.history(reference))]
    finally:
        done.set()
        watcher.join()
        images.release()
        engine.remove_image(reference)
    assert len(seen) > 2
    assert b"index.invalid" in saved  # what the install saw of the configuration is in the image, without credentials
    assert not any(holds(text.encode(), canary) for text in seen)
    assert not holds(saved, canary)
    assert not image["Config"]["Env"]


def _registry(toolchain: str) -> Registry:
    """What this worker's own package clients say, asked as the worker asks."""
    from sandbox.registries.pip import pip_registry  # noqa: PLC0415 - where it lies is not this test's subject

    del toolchain
    return pip_registry()


def _watch(client: APIClient, key: str, seen: list[str], done: threading.Event) -> None:
    while not done.wait(0.1):
        for container in client.containers(all=True, filters={"label": f"regreen.run=env-{key}"}):
            with contextlib.suppress(Exception):
                seen.append(json.dumps(client.inspect_container(container)))


@pytest.fixture
def forge(tmp_path: Path, canary: str) -> Iterator[Forge]:
    with forge_at(tmp_path / "forge") as running:
        running.server.token = running.token = canary
        yield running


def test_a_token_is_in_no_file_of_a_mirror_no_command_line_and_nothing_that_git_said(forge: Forge, canary: str) -> None:
    (forge.work / "a.py").write_text("x = 1\n")
    lines: list[bytes] = []
    done = threading.Event()
    watcher = threading.Thread(target=_command_lines, args=(forge.server.url, lines, done))
    watcher.start()
    try:
        forge.sources.fetch(REPOSITORY, forge.push())
        forge.server.hang = True
        forge.bounds = Bounds(seconds=0.7)
        with pytest.raises(FetchError) as hung:
            forge.sources.fetch(REPOSITORY, "2" * 40)
        forge.server.released.set()
        forge.server.hang = False
        forge.bounds = Bounds(seconds=20)
        forge.server.token = "another"
        with pytest.raises(FetchError) as refused:
            forge.sources.fetch(REPOSITORY, "3" * 40)
    finally:
        done.set()
        watcher.join()
    assert any(b"remote-http" in line for line in lines)
    stored = [path.read_bytes() for path in forge.mirrors.rglob("*") if path.is_file()]
    said = [str(error.value).encode() + repr(error.value).encode() for error in (hung, refused)]
    assert not any(holds(data, canary) for data in (*stored, *said, *lines))
    assert not holds(repr(forge.sources).encode(), canary)


def _command_lines(needle: str, seen: list[bytes], done: threading.Event) -> None:
    while not done.is_set():
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                line = path.read_bytes()
                if needle.encode() in line:
                    seen.append(line)
        done.wait(0.01)


def test_settings_show_no_secret_however_they_are_printed(settings: Settings, canary: str) -> None:
    shown = [repr(settings), str(settings), repr(settings.model_dump()), settings.model_dump_json()]
    assert not any(holds(text.encode(), canary) for text in shown)


def test_a_wrong_setting_is_named_without_its_value(
    settings: Settings, canary: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    del settings
    monkeypatch.setenv("REGREEN_WEBHOOK_SECRETS", f"short,{canary}")
    monkeypatch.setenv("REGREEN_PORT", canary)
    with pytest.raises(Exception, match="REGREEN_PORT") as caught:
        load()
    assert not holds(str(caught.value).encode(), canary)


def test_neither_logs_nor_the_run_log_hold_a_secret_in_any_form_or_depth(
    settings: Settings, canary: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    redact = log.redactor(settings.secrets)
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    log.configure("debug", redact)
    texts = [form.decode() for form in forms(canary)]
    try:
        for text in texts:
            logger = structlog.get_logger()
            logger.info(text, said=text, listed=[text, {"deep": (text,)}], raw=text.encode(), error=ValueError(text))
            try:
                _fail(text)
            except ValueError:
                logger.exception("failed")
    finally:
        structlog.reset_defaults()
    journal = FileJournal(tmp_path / "log.jsonl", FakeClock(), redact)
    for text in texts:
        journal.append("event", {"said": text, text: [text, {"deep": (text,)}], "secret": SecretStr(text)})
    assert out.getvalue().count("failed") >= len(texts)
    assert not holds(out.getvalue().encode(), canary)
    assert not holds((tmp_path / "log.jsonl").read_bytes(), canary)


def _fail(secret: str) -> None:
    raise ValueError(secret)


def test_a_sandbox_that_is_built_from_the_settings_keeps_no_secret(settings: Settings, canary: str) -> None:
    class NoTrees:
        def tree(self, repository: str, commit: str) -> Tree:
            del repository, commit
            return TREE

    made = build_sandbox(settings, NoTrees())
    assert not holds(repr(made).encode(), canary)
    assert not holds(_everything(made), canary)


def _everything(value: object, depth: int = 6, seen: set[int] | None = None) -> bytes:
    """Whatever an object of ours holds, as text."""
    known = set() if seen is None else seen
    if depth == 0 or id(value) in known:
        return b""
    known.add(id(value))
    names = [*getattr(value, "__dict__", {}), *getattr(type(value), "__slots__", ())]
    inner = [getattr(value, name, None) for name in names]
    if isinstance(value, dict):
        inner += [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        inner += value
    cells = [cell.cell_contents for cell in getattr(value, "__closure__", None) or () if not isinstance(cell, str)]
    return repr(value).encode(errors="replace") + b"".join(
        _everything(one, depth - 1, known) for one in [*inner, *cells]
    )


def test_a_bundle_of_certificates_is_handed_in_without_the_private_key_beside_them(canary: str, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.pem"
    certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
    key = f"-----BEGIN PRIVATE KEY-----\n{canary}\n-----END PRIVATE KEY-----\n"
    bundle.write_text(f"# {canary}\n{certificate}{key}{certificate}")
    handed_in = install_settings(Settings(data_dir=tmp_path, ca_bundle=bundle), _registry).ca_bundle
    assert handed_in == (certificate * 2).encode()
