"""The toolchains that base images exist for, and which base image a repository's recipe runs in."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbox.errors import ImageMissingError
from sandbox.spec import Recipe


@dataclass(frozen=True, slots=True)
class Toolchain:
    """`reference` names the image here; `pull_from` is pulled for it, or Debian's `packages` are installed in it.

    `commands` must answer in it: Python too, since what starts the install steps is written in it. `links` (path →
    target) put what an image keeps elsewhere on the path that every run has.
    """

    name: str
    reference: str
    pull_from: str
    commands: tuple[str, ...]
    packages: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()


PYTHON = Toolchain(
    "python", "regreen-base:bookworm", "python:3.11-slim-bookworm", ("python3 -c 'import ensurepip, venv'",)
)
NODE = Toolchain(
    "node",
    "regreen-base-node:bookworm",
    "node:22-bookworm",
    ("python3 --version", "node --version", "npm --version"),
    ("nodejs", "npm"),
)
GO = Toolchain(
    "go",
    "regreen-base-go:bookworm",
    "golang:1.24-bookworm",
    ("python3 --version", "go version"),
    # A C compiler, since the race detector and cgo, both on by default in what CI runs, take one.
    ("golang-go", "gcc", "libc6-dev"),
    (("usr/local/bin/go", "/usr/local/go/bin/go"), ("usr/local/bin/gofmt", "/usr/local/go/bin/gofmt")),
)
TOOLCHAINS = {one.name: one for one in (PYTHON, NODE, GO)}


@dataclass(frozen=True, slots=True)
class BaseImages:
    """`base_images(repository, recipe)` is the reference of the base image.

    `named` is what the operator named: `owner/name` or `owner/*` → reference, whatever the toolchain, and toolchain →
    reference. The most specific one counts, then the toolchain's own.
    """

    named: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, repository: str, recipe: Recipe) -> str:
        """The reference, whether the image is here or not. Raises `ImageMissingError` for a toolchain without one."""
        named = {key.lower(): reference for key, reference in self.named.items()}
        name = repository.lower()
        for key in (name, f"{name.partition('/')[0]}/*"):
            if key in named:
                return named[key]
        return self.of_toolchain(recipe.toolchain)

    def of_toolchain(self, toolchain: str) -> str:
        """The reference for repositories that the operator named no image for. Raises as a call does."""
        if toolchain in self.named:
            return self.named[toolchain]
        if toolchain not in TOOLCHAINS:
            raise ImageMissingError(f"There is no base image for {toolchain}", "Name one for the repository.")
        return TOOLCHAINS[toolchain].reference
