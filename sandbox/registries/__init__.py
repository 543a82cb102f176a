"""Where packages come from here: asked of the package clients themselves, so that no address is written down."""

from collections.abc import Callable, Mapping
from functools import partial

from sandbox.registries.ask import Ask, on_host
from sandbox.registries.go import go_registry
from sandbox.registries.npm import npm_registry
from sandbox.registries.pip import pip_registry
from sandbox.registries.registry import Registry

__all__ = ["Registries", "Registry", "go_registry", "npm_registry", "pip_registry"]


class Registries:
    """`registries(toolchain)` is what that toolchain's clients use; each is asked at most once, when it is needed."""

    def __init__(self, in_image: Mapping[str, Ask] | None = None) -> None:
        """`in_image` (toolchain → ask) is tried where this host has no client of its own."""
        others = in_image or {}
        self._ask: dict[str, Callable[[], Registry]] = {
            "python": pip_registry,
            "node": partial(npm_registry, (on_host, *filter(None, (others.get("node"),)))),
            "go": partial(go_registry, (on_host, *filter(None, (others.get("go"),)))),
        }
        self._known: dict[str, Registry] = {}

    def __call__(self, toolchain: str) -> Registry:
        """The registry; an empty one for a toolchain without a client that we know."""
        if toolchain not in self._known:
            self._known[toolchain] = self._ask.get(toolchain, Registry)()
        return self._known[toolchain]
