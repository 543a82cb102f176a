"""`Environments` on a container engine: detect the recipe, have its image built, say what went wrong in our terms."""

from collections.abc import Iterator
from contextlib import contextmanager

from bot.errors import EngineDownError, NoRoomError, SetUpError, TreeError
from bot.pipeline.ports import Trees
from bot.repair.types import Base
from sandbox.detect import detect
from sandbox.errors import (
    DetectionError,
    DiskFullError,
    EngineUnavailableError,
    ImageMissingError,
    InstallFailedError,
    TreeTooLargeError,
)
from sandbox.images import EnvironmentImages
from sandbox.spec import Egress, Given
from sandbox.toolchains import PYTHON, TOOLCHAINS


class DockerEnvironments:
    """Implements `bot.pipeline.ports.Environments`; `image` is for the workspace, which runs in what it returns."""

    def __init__(self, images: EnvironmentImages, trees: Trees, seen: list[Egress] | None = None) -> None:
        """`seen` is where the images' settings report to what installs asked for."""
        self._images = images
        self._trees = trees
        self._seen = [] if seen is None else seen

    def prepare(self, repository: str, commit: str, given: Given) -> Base:
        """Detect the recipe and have its environment built, so that the runs which follow only reuse it."""
        with _translated():
            tree = self._trees.tree(repository, commit)
            recipe = detect(tree, given)
            self._images.ensure(repository, tree, recipe)
        return Base(repository, commit, recipe)

    def egress(self) -> tuple[Egress, ...]:
        """What installs asked of the network since the last call."""
        taken = tuple(self._seen)
        del self._seen[: len(taken)]
        return taken

    def image(self, base: Base) -> str:
        """The image that a base's tests run in, built again where this machine has none. Raises as `prepare` does."""
        with _translated():
            return self._images.ensure(base.repository, self._trees.tree(base.repository, base.commit), base.recipe)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except InstallFailedError as error:
        raise SetUpError(error.cause, _listing(error) or error.remedy) from error
    except ImageMissingError as error:
        raise SetUpError(error.cause, _getting(error) or error.remedy) from error
    except DetectionError as error:
        raise SetUpError(error.cause, error.remedy) from error
    except DiskFullError as error:
        raise NoRoomError(error.cause, error.remedy) from error
    except EngineUnavailableError as error:
        raise EngineDownError(error.cause, error.remedy) from error
    except TreeTooLargeError as error:
        raise TreeError(error.cause, error.remedy) from error


def _getting(error: ImageMissingError) -> str:
    """The command that gets a base image of ours, or the setting that names another; empty where neither would help."""
    for toolchain in TOOLCHAINS.values():
        if error.reference == toolchain.reference:
            option = "" if toolchain is PYTHON else f" --toolchain {toolchain.name}"
            return f"Run `regreen base{option}`, which pulls or builds it."
    settings = "REGREEN_SANDBOX_BASE_IMAGE, REGREEN_SANDBOX_BASE_IMAGES"
    return f"Run `docker pull {error.reference}` where the engine is, or correct {settings}." if error.reference else ""


def _listing(error: InstallFailedError) -> str:
    """The settings that would let the install reach what it asked for, with their values; empty where none would."""
    wanted = (
        ("REGREEN_ALLOWED_HOSTS", error.unlisted, "if the repository needs them and you trust them"),
        ("REGREEN_PRIVATE_HOSTS", error.private, "if they are a mirror or an inspecting proxy of yours"),
    )
    said = [f"`{name}={','.join(hosts)}`, {condition}" for name, hosts, condition in wanted if hosts]
    return f"Set, beside what is listed already: {'; '.join(said)}." if said else ""
