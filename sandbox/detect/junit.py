"""Any command that writes JUnit XML: the set-up is another ecosystem's, the verdict comes from the files."""

from dataclasses import replace

from sandbox.errors import DetectionError
from sandbox.spec import Given, Recipe


def recipe(given: Given, others: tuple[Recipe, ...]) -> Recipe:
    """The given command with the set-up of the best of `others`, the recipes that would be without it.

    Raises `DetectionError` where files are named without the command that writes them.
    """
    if not given.test_command:
        raise DetectionError(
            f"{given.source} names JUnit XML files ({given.junit}), but not the command that writes them",
            "Name the test command as well.",
        )
    if given.junit.startswith("/") or ".." in given.junit.split("/"):
        raise DetectionError(f"{given.junit!r} lies outside the repository", "Name a pattern relative to its root.")
    base = others[0] if others else Recipe("junit", given.setup, (), given.source, hosts=given.hosts)
    origins = (*base.origins[:-1], given.command_origin) if base.origins else ()
    return replace(
        base, ecosystem="junit", junit=given.junit, test_command=given.test_command, confidence=1.0, origins=origins
    )
