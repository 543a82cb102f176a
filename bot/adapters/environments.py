"""`Environments` on a container engine: detect the recipe, have its image built, say what went wrong in our terms."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from bot.adapters.workspace import sandbox_errors
from bot.errors import SetUpError
from bot.pipeline.ports.job import Trees
from bot.repair.types import Base
from sandbox.detect import candidates
from sandbox.environments.images import EnvironmentImages
from sandbox.environments.toolchains import PYTHON, TOOLCHAINS
from sandbox.errors import ImageMissingError, InstallFailedError, RuntimeUnfitError
from sandbox.spec import Egress, Given, Recipe, Tree

MAX_TRIED = 3
MAX_SAID = 300
MAX_HOSTS = 40


@dataclass(frozen=True, slots=True)
class Listed:
    """What the operator's settings list already: hosts that installs may reach, hosts that may be private."""

    allowed: tuple[str, ...] = ()
    private: tuple[str, ...] = ()


NOTHING_LISTED = Listed()


class DockerEnvironments:
    """Implements `bot.pipeline.ports.job.Environments`; `image` is for the workspace, which runs in what it returns."""

    def __init__(
        self,
        images: EnvironmentImages,
        trees: Trees,
        seen: list[Egress] | None = None,
        log: Callable[[str], None] = lambda _: None,
        listed: Listed = NOTHING_LISTED,
    ) -> None:
        """`seen` is where the images' settings report to what installs asked for; `log` gets what was tried in vain.

        `listed` is in the values that a remedy gives for the settings.
        """
        self._images = images
        self._trees = trees
        self._seen = [] if seen is None else seen
        self._log = log
        self._listed = listed

    def prepare(self, repository: str, commit: str, given: Given) -> Base:
        """Detect the recipe and have its environment built, so that the runs which follow only reuse it.

        Where one cannot be installed, the next one of the same toolchain is tried, and says so among what is unmet.
        """
        with _translated(self._listed):
            tree = self._trees.tree(repository, commit)
            return Base(repository, commit, self._installed(repository, tree, candidates(tree, given)))

    def _installed(self, repository: str, tree: Tree, recipes: tuple[Recipe, ...]) -> Recipe:
        errors: list[InstallFailedError] = []
        said: list[str] = []
        for recipe in [one for one in recipes if one.toolchain == recipes[0].toolchain][:MAX_TRIED]:
            try:
                self._images.ensure(repository, tree, recipe)
            except InstallFailedError as error:
                errors.append(error)
                said.append(f"Not set up as {recipe.source[:MAX_SAID]} says: {_gist(error)}.")
                self._log(said[-1])
            else:
                return replace(recipe, unmet=(*recipe.unmet, *said))
        first = errors[0]
        others = "".join(f"\n{line}" for line in (*said[1:], *recipes[0].unmet))
        unlisted = dict.fromkeys(host for error in errors for host in error.unlisted)
        private = dict.fromkeys(host for error in errors for host in error.private)
        # `_listing` names the settings for whatever was refused; where nothing was, the first one's remedy leads.
        raise InstallFailedError(
            f"{first.cause}{others}",
            first.remedy,
            tuple(unlisted)[:MAX_HOSTS],
            tuple(private)[:MAX_HOSTS],
        ) from first

    def egress(self) -> tuple[Egress, ...]:
        """What installs asked of the network since the last call."""
        taken = tuple(self._seen)
        del self._seen[: len(taken)]
        return taken

    def named(self, base: Base) -> str:
        """The name of a base's image, whether it is there or not. Raises as `image` does."""
        with _translated(self._listed):
            tree = self._trees.tree(base.repository, base.commit)
            return self._images.reference(base.repository, tree, base.recipe)

    def release(self) -> None:
        """Let every image be evicted that was used so far."""
        self._images.release()

    def image(self, base: Base) -> str:
        """The image that a base's tests run in, built again where this machine has none. Raises as `prepare` does."""
        with _translated(self._listed):
            return self._images.ensure(base.repository, self._trees.tree(base.repository, base.commit), base.recipe)


@contextmanager
def _translated(listed: Listed) -> Iterator[None]:
    """As `sandbox_errors`, with the settings and commands that would help."""
    with sandbox_errors():
        try:
            yield
        except InstallFailedError as error:
            raise SetUpError(error.cause, _listing(error, listed) or error.remedy) from error
        except ImageMissingError as error:
            raise SetUpError(error.cause, _getting(error) or error.remedy) from error
        except RuntimeUnfitError as error:
            setting = "REGREEN_INSTALL_RUNTIME_FALLBACK, for example to runc"
            raise SetUpError(error.cause, f"{error.remedy} The setting for that is {setting}.") from error


def _gist(error: InstallFailedError) -> str:
    """Which step failed, the log's most telling line, and the hosts that were refused."""
    refused = ", ".join((*error.unlisted, *error.private))
    parts = [part[:MAX_SAID] for part in (error.told, f"refused: {refused}" if refused else "") if part]
    return error.cause.splitlines()[0][:MAX_SAID] + (f" ({'; '.join(parts)})" if parts else "")


def _getting(error: ImageMissingError) -> str:
    """The command that gets a base image of ours, or the setting that names another; empty where neither would help."""
    for toolchain in TOOLCHAINS.values():
        if error.reference == toolchain.reference:
            option = "" if toolchain is PYTHON else f" --toolchain {toolchain.name}"
            return f"Run `regreen base{option}`, which pulls or builds it."
    settings = "REGREEN_SANDBOX_BASE_IMAGE, REGREEN_SANDBOX_BASE_IMAGES"
    return f"Run `docker pull {error.reference}` where the engine is, or correct {settings}." if error.reference else ""


def _listing(error: InstallFailedError, listed: Listed) -> str:
    """The settings that would let the install reach what it asked for, with their whole values; empty without any."""
    wanted = (
        ("REGREEN_ALLOWED_HOSTS", listed.allowed, error.unlisted, "if the repository needs them and you trust them"),
        (
            "REGREEN_PRIVATE_HOSTS",
            listed.private,
            error.private,
            "if they are a mirror or an inspecting proxy of yours",
        ),
    )
    said = [
        f"`{name}={','.join(dict.fromkeys((*known, *hosts)))}`, {condition}"
        for name, known, hosts, condition in wanted
        if hosts
    ]
    if not said:
        return ""
    base = " `make base` in a checkout prints the values that all registries need here." if error.private else ""
    return f"Set {'; '.join(said)}.{base}"
