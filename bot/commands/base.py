"""Gets base images: what the worker and `regreen fix` only name."""

from collections.abc import Callable

from bot.commands import Shown
from bot.errors import ConfigurationError
from bot.settings import Settings
from sandbox.containers.engine import DockerEngine
from sandbox.environments import base
from sandbox.environments.toolchains import TOOLCHAINS, BaseImages


def ensured(settings: Settings, toolchain: str, say: Callable[[str], None]) -> Shown:
    """See to a toolchain's base image, and name its content id.

    Raises `ImageMissingError` with the command that would help, `ConfigurationError` for a toolchain without one.
    """
    if toolchain not in TOOLCHAINS:
        raise ConfigurationError(f"There is no base image for {toolchain!r}", f"Name one of {', '.join(TOOLCHAINS)}.")
    engine, reference = DockerEngine(settings.docker_host), BaseImages(settings.base_images).of_toolchain(toolchain)
    work_dir = settings.data_dir / "base"
    found = base.ensure_base(engine, reference, work_dir=work_dir, log=say, toolchain=TOOLCHAINS[toolchain])
    return Shown(good=True, document={"toolchain": toolchain, "image": reference, "id": found}, lines=[found])
