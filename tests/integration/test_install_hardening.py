"""What a hostile install leaves on a real engine: plain files below /env in an image that knows nothing of ours."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import docker
import pytest

from sandbox.containers.archive import pack
from sandbox.containers.engine import DockerEngine
from sandbox.environments.images import EnvironmentImages
from sandbox.environments.install import INSTALL_LIMITS, InstallSettings
from sandbox.errors import InstallFailedError
from sandbox.spec import MIB, File, Recipe, RunSpec

pytestmark = [pytest.mark.engine, pytest.mark.enable_socket]

CANARY = "canary-4f1c"
SMALL = replace(INSTALL_LIMITS, results=48 * MIB, scratch=32 * MIB, cache=32 * MIB, memory=512 * MIB, wall_seconds=120)
SECRETIVE = InstallSettings(limits=SMALL, environment=(("CANARY", CANARY),), ca_bundle=b"-----BEGIN CERTIFICATE-----\n")

Install = Callable[..., str]


def recipe(script: str) -> Recipe:
    return Recipe("script", (("sh", "-c", script),), ("true",), "test", (script,))


class Peak:
    """The most bytes that files below a directory took at once."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.most = 0

    def __enter__(self) -> None:
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(0.01):
            # A directory that is removed under the walk ends it; the next one sees what is left.
            with suppress(FileNotFoundError):
                self.most = max(self.most, sum(path.stat().st_size for path in self._directory.rglob("*")))


@pytest.fixture
def install(engine: DockerEngine, base_image: str, tmp_path: Path) -> Iterator[Install]:
    """Installs by a shell script, and removes the images that come of it."""
    made: set[str] = set()

    def run(script: str, settings: InstallSettings = SECRETIVE, lines: list[str] | None = None) -> str:
        log = lines.append if lines is not None else lambda _: None
        images = EnvironmentImages(engine, lambda *_: base_image, settings, data_dir=tmp_path, log=log)
        made.add(images.reference("tests/hardening", {"a.txt": File(b"1")}, recipe(script)))
        return images.ensure("tests/hardening", {"a.txt": File(b"1")}, recipe(script))

    yield run
    for reference in made:
        engine.remove_image(reference)


@pytest.fixture
def client(docker_host: str) -> Iterator[docker.APIClient]:
    found = docker.APIClient(docker_host, version="auto")
    yield found
    found.close()


def said(engine: DockerEngine, image: str, label: str, command: str) -> list[str]:
    result = engine.run(RunSpec(label, image, ("sh", "-c", command)), pack({"repo": {"a.txt": File(b"1")}}))
    return result.output.decode().splitlines()


PLANT = """
cp /bin/true /env/suid && chmod 6755 /env/suid && ln /env/suid /env/hard
mkdir -m 3777 /env/d && echo 1 >/env/d/f && chmod 666 /env/d/f
python3 -c "import os; os.setxattr('/env/d/f', 'user.planted', b'x')"
for place in /tmp /cache /regreen /etc /usr /var/tmp; do echo x >$place/left; done 2>/dev/null
true
"""
LOOK = """
cd /env && stat -c '%a %u %n' suid hard d d/f
find / -xdev -name left 2>/dev/null
ls -d /cache /proxy 2>/dev/null
python3 -c "import os; print(os.listxattr('/env/d/f'))"
touch /env/x 2>/dev/null || echo read-only
"""


def test_neither_bits_nor_owners_nor_attributes_nor_anything_outside_env_outlive_the_install(
    engine: DockerEngine, install: Install, run_label: Callable[[], str]
) -> None:
    image = install(PLANT)
    assert said(engine, image, run_label(), LOOK) == [
        *("755 0 suid", "755 0 hard", "755 0 d", "644 0 d/f"),
        *("[]", "read-only"),
    ]


@pytest.mark.parametrize(
    "script",
    ["mkfifo /env/pipe", "ln -s /etc/passwd /env/link", "ln -s ../etc /env/link", "ln -s /proc/1/environ /env/link"],
)
def test_pipes_and_links_that_leave_make_no_image(install: Install, script: str) -> None:
    with pytest.raises(InstallFailedError, match="The environment holds"):
        install(script)


def test_an_image_holds_no_variable_command_mount_or_user_of_the_install(
    client: docker.APIClient, install: Install, base_image: str
) -> None:
    image = install('echo $CANARY >/tmp/x; test -n "$CANARY"')
    ours, theirs = client.inspect_image(image), client.inspect_image(base_image)
    assert ours["Config"]["Env"] == theirs["Config"]["Env"]
    assert not any(ours["Config"].get(name) for name in ("Volumes", "User", "Entrypoint", "WorkingDir", "OnBuild"))
    assert CANARY not in str(ours)
    assert CANARY not in str(client.history(image))
    assert ours["Config"]["Labels"]["regreen.deadline"] == ""


def test_a_flood_of_files_takes_no_more_of_the_hosts_disk_than_the_limits_say(install: Install, tmp_path: Path) -> None:
    settings = replace(SECRETIVE, limits=replace(SMALL, inodes=5000))
    peak = Peak(tmp_path)
    for script in ("head -c 900m /dev/zero >/env/big; true", "cd /env; for i in $(seq 9000); do : >$i; done; true"):
        with peak, pytest.raises(InstallFailedError):
            install(f"{script}; exit 1", settings)
    with peak:
        install("head -c 40m /dev/urandom >/env/most", settings)
    assert 30 * MIB < peak.most <= SMALL.results + SMALL.cache
    assert [path.suffix for path in (tmp_path / "environments").iterdir()] == [".lock"] * 3


def test_each_install_gets_the_last_ones_cache_on_every_runtime(install: Install, runtime: str | None) -> None:
    settings, lines = replace(SECRETIVE, runtime=runtime), list[str]()
    left = "mkdir -p $PIP_CACHE_DIR && head -c 5m /dev/urandom >$PIP_CACHE_DIR/wheel && sha256sum $PIP_CACHE_DIR/wheel"
    install(f"{left} >/cache/sum", settings, lines)
    install("sha256sum -c /cache/sum", settings, lines)
    install("sha256sum -c /cache/sum && rm -r /cache/pip", settings, lines)
    install("test -f /cache/sum && test ! -e /cache/pip", settings, lines)
    install(f"test -f /cache/sum && head -c {SMALL.cache * 3 // 4} /dev/zero >/cache/large", settings, lines)
    install("test -f /cache/sum && test ! -e /cache/large", settings, lines)
    assert len(lines) == 6, lines


def test_without_a_cache_there_is_no_mount_for_one(install: Install) -> None:
    install('test ! -e /cache && test -n "$PIP_NO_CACHE_DIR"', SECRETIVE.without_cache())
