"""Makes a machine ready for the demo and the tests, says what it does, then runs a command with what it found.

`python -m bot.demo.bootstrap [--toolchains] [--with-gvisor] [--with-postgres] [--without-engine] [COMMAND …]`:
`--toolchains` gets the base images for Node and Go too; `--stop` alone stops what earlier runs left running.
`--with-gvisor` gets its runtime for an engine that was started here, and says of any other what to do;
`--with-postgres` gets the programs of Postgres, `--with-chromium` a browser, `--with-compose` docker-compose;
`--without-engine` gets no engine and no image. REGREEN_REQUIRE_GVISOR, …_POSTGRES, …_CHROMIUM and …_COMPOSE ask
likewise, and let nothing run without.
A launcher of processes: it reads the environment to hand it on, which elsewhere only `bot.settings` may.
"""

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import dropwhile
from pathlib import Path

from bot.demo import chromium, compose, gvisor, machine, network, postgres
from bot.demo.machine import NotReadyError, Say
from bot.demo.processes import demo_directory, stop_left_running
from bot.errors import RegreenError
from bot.settings import Settings, load
from sandbox.containers.engine import DockerEngine
from sandbox.environments.base import ensure_base
from sandbox.environments.debian import Debootstrap
from sandbox.environments.toolchains import PYTHON, TOOLCHAINS, BaseImages, Toolchain
from sandbox.errors import SandboxError
from sandbox.registries import Registries
from sandbox.registries.ask import InImage

REQUIRE_GVISOR = "REGREEN_REQUIRE_GVISOR"
ENGINE_PACKAGES = ("docker.io", "iptables", "ca-certificates")
_OPTIONS = (_TOOLCHAINS, _GVISOR, _POSTGRES, _CHROMIUM, _COMPOSE, _ALONE) = (
    "--toolchains",
    "--with-gvisor",
    "--with-postgres",
    "--with-chromium",
    "--with-compose",
    "--without-engine",
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the caller needs; gVisor's runtime and base images are nothing without an `engine`."""

    toolchains: tuple[Toolchain, ...] = (PYTHON,)
    gvisor: bool = False
    postgres: bool = False
    chromium: bool = False
    compose: bool = False
    engine: bool = True


def prepare(environ: Mapping[str, str], say: Say, wanted: Wanted) -> dict[str, str]:
    """Get git, an engine and the base images; returns the variables to add to the environment.

    Raises `NotReadyError` with the exact command that would help.
    """
    if not shutil.which("git"):
        machine.install(("git",), "git is missing.", environ, say)
    for asked, need, found in (
        (wanted.postgres, postgres.NEED, postgres.programs),
        (wanted.chromium, chromium.NEED, chromium.program),
        (wanted.compose, compose.NEED, compose.command),
    ):
        if asked or environ.get(need.require):
            need.provide(environ, say, found)
    return _with_engine(environ, say, wanted) if wanted.engine else {}


def _with_engine(environ: Mapping[str, str], say: Say, wanted: Wanted) -> dict[str, str]:
    directory = engine_directory(load())
    address = machine.find(environ, say) or _get_engine(directory, environ, say)
    if machine.started_here(directory):
        say("dockerd was started by this preparation and is left running; `make stop` ends it.")
    if wanted.gvisor or environ.get(REQUIRE_GVISOR):
        engine = DockerEngine(address)
        provide_gvisor(lambda: gvisor.RUNTIME in engine.ping().runtimes, directory, environ, say)
    bases = {one.name: _base(address, environ, say, one) for one in wanted.toolchains}
    ask = {name: InImage(DockerEngine(address), base, f"prepare-{os.getpid()}") for name, base in bases.items()}
    return {"REGREEN_DOCKER_HOST": address} | _network(environ, say, Registries(ask))


def engine_directory(settings: Settings) -> Path:
    """Where the pid and the log of an engine that is started here are kept."""
    return settings.data_dir / "engine"


def exports(found: Mapping[str, str]) -> list[str]:
    """The shell's lines for what was found, but for an engine at its usual address."""
    usual = ("REGREEN_DOCKER_HOST", machine.DEFAULT_ADDRESS)
    return [f"export {name}={shlex.quote(value)}" for name, value in found.items() if (name, value) != usual]


def _get_engine(directory: Path, environ: Mapping[str, str], say: Say) -> str:
    explicit = environ.get("REGREEN_DOCKER_HOST") or environ.get("DOCKER_HOST")
    if explicit:
        raise NotReadyError(f"DOCKER_HOST is {explicit}, and no engine answers there: correct or unset it.")
    say("No container engine answers on this machine.")
    if not shutil.which("dockerd"):
        machine.install(ENGINE_PACKAGES, "Regreen runs tests in containers, and docker.io is missing.", environ, say)
    elif os.getuid() != 0:
        raise NotReadyError("The engine is installed but does not run. Start it:  sudo systemctl start docker")
    address = machine.DEFAULT_ADDRESS
    return address if not machine.answers(address) else machine.start(directory, environ, say)


def provide_gvisor(known: Callable[[], bool], directory: Path, environ: Mapping[str, str], say: Say) -> None:
    """Have gVisor's runtime `known` to the engine, or say what a person has to do.

    Raises `NotReadyError`, which says it, where `environ` requires the runtime.
    """
    if known():
        return
    try:
        _reload(directory, known, environ, say)
    except NotReadyError as error:
        if environ.get(REQUIRE_GVISOR):
            raise
        say(f"{error} Until then, what runs on gVisor is left out.")


def _reload(directory: Path, known: Callable[[], bool], environ: Mapping[str, str], say: Say) -> None:
    """Give gVisor's runtime to the engine that was started here, and to no other."""
    if machine.started_here(directory):
        if not shutil.which(gvisor.RUNTIME):
            machine.install((gvisor.RUNTIME,), "Tests run on gVisor too, and it is missing.", environ, say)
        if machine.reload(directory, known):
            say(f"The engine that was started here knows the runtime {gvisor.RUNTIME} now.")
            return
    raise NotReadyError(gvisor.advice(gvisor.installed()))


def _network(environ: Mapping[str, str], say: Say, registries: Registries) -> dict[str, str]:
    found = {}
    if bundle := network.ca_bundle(environ):
        found["REGREEN_CA_BUNDLE"] = str(bundle)
    private = network.private_hosts(network.registry_hosts(registries))
    if private and not environ.get("REGREEN_PRIVATE_HOSTS"):
        found["REGREEN_PRIVATE_HOSTS"] = ",".join(private)
        say(
            f"Package registries resolve to a private address here ({', '.join(private)}): a mirror, or a proxy "
            "that inspects HTTPS. The install phase may reach them for this run, trusting your CA bundle."
        )
    return found


@dataclass(frozen=True, slots=True)
class _AskedDebootstrap:
    """Debootstrap, installed first where it is missing: only now is it known that no base image can be pulled."""

    reference: str
    packages: tuple[str, ...]
    environ: Mapping[str, str]
    say: Say

    def build(self, work: Path, log: Say) -> Path:
        """The root file system's tar. Raises what the builder raises, and `NotReadyError`."""
        if os.getuid() == 0 and not shutil.which("debootstrap") and shutil.which("apt-get"):
            purpose = "No base image can be pulled here, so one is built with debootstrap, which is missing."
            machine.install(("debootstrap",), purpose, self.environ, self.say)
        return Debootstrap(self.reference, self.packages).build(work, log)


def _base(address: str, environ: Mapping[str, str], say: Say, toolchain: Toolchain) -> str:
    settings, engine = load(), DockerEngine(address)
    reference = BaseImages(settings.base_images).of_toolchain(toolchain.name)
    if engine.image(reference):
        return reference
    begin = time.monotonic()
    builder = _AskedDebootstrap(reference, toolchain.packages, environ, say)
    work_dir, log = settings.data_dir / "images", _each_kind_once(say)
    ensure_base(engine, reference, work_dir=work_dir, log=log, toolchain=toolchain, builder=builder)
    say(f"Base image {reference}: {time.monotonic() - begin:.0f} s")
    return reference


def _each_kind_once(say: Say) -> Say:
    """Debootstrap and apt report each of 500 packages five times; the first line of each kind shows where they are."""
    seen = set()

    def log(line: str) -> None:
        kind = line if line.startswith(("E: ", "W: ")) else line.removeprefix("I: ").partition(" ")[0].partition(":")[0]
        if kind not in seen:
            seen.add(kind)
            say(line.removeprefix("I: "))

    return log


def _stop(settings: Settings, say: Say) -> None:
    stopped = stop_left_running(demo_directory(settings))
    if stopped:
        say(f"Stopped {stopped} processes of the demo.")
    if machine.stop(engine_directory(settings)):
        say("Stopped the dockerd that was started here.")


def _ready(found: Mapping[str, str], say: Say) -> None:
    lines = exports(found)
    say("Ready. Regreen's own commands need these variables in your shell:" if lines else "Ready.")
    for line in lines:
        print(line)  # noqa: T201 - standard output is for the shell


def _run(command: list[str], environ: Mapping[str, str]) -> int:
    """Run to its end: Ctrl-C reaches the command too, which then stops what it started; killing it would not."""
    process = subprocess.Popen(command, env=dict(environ))  # noqa: S603 - the caller's own command
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            return process.wait()


def _wanted(arguments: list[str]) -> tuple[Wanted, list[str]]:
    """The options at the beginning, and the command after them."""
    command = list(dropwhile(_OPTIONS.__contains__, arguments))
    options = arguments[: len(arguments) - len(command)]
    toolchains = tuple(TOOLCHAINS.values()) if _TOOLCHAINS in options else (PYTHON,)
    wanted = Wanted(
        toolchains,
        gvisor=_GVISOR in options,
        postgres=_POSTGRES in options,
        chromium=_CHROMIUM in options,
        compose=_COMPOSE in options,
        engine=_ALONE not in options,
    )
    return wanted, command


def main(arguments: list[str], environ: Mapping[str, str]) -> int:
    """Prepare, then run the command; its exit code, or 1 when this machine is not ready."""

    def say(line: str) -> None:
        print(f"▸ {line}", file=sys.stderr, flush=True)  # noqa: T201 - a terminal program's voice

    try:
        if arguments == ["--stop"]:
            _stop(load(), say)
            return 0
        wanted, command = _wanted(arguments)
        found = prepare(environ, say, wanted)
        if not command:
            _ready(found, say)
            return 0
        return _run(command, {**environ, **found})
    except (NotReadyError, SandboxError, RegreenError) as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
