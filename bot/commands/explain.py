"""`regreen fix PATH --explain-environment`: how a repository would be set up and tested, and why; nothing is run."""

import shlex
from pathlib import Path
from typing import Any

from bot import policy as policies
from bot.adapters.local import LocalTrees
from bot.commands import Shown
from bot.commands.local import on_command_line
from bot.errors import EngineDownError, SetUpError
from bot.repair.types import Base
from bot.settings import Settings
from bot.wiring.sandbox import Sandbox, build_sandbox
from sandbox.detect import candidates
from sandbox.errors import DetectionError, SandboxError
from sandbox.spec import Recipe


def explain(settings: Settings, path: Path, test_command: str) -> Shown:
    """Every recipe that would be tried, best first, with the line that each step was read from.

    Raises `SetUpError` where there is none, `TreeError`, `ConfigurationError`.
    """
    trees = LocalTrees(path)
    found = trees.snapshot.get(policies.PATH)
    given = on_command_line(policies.parse(found.data if found else None).given, test_command)
    try:
        recipes = candidates(trees.snapshot, given)
    except DetectionError as error:
        raise SetUpError(error.cause, error.remedy) from error
    sandbox = build_sandbox(settings, trees)
    repository = f"local{trees.path}"
    told = [_told(recipe, _image(sandbox, Base(repository, trees.commit, recipe))) for recipe in recipes]
    lines = [line for number, one in enumerate(told) for line in _lines(one, number)]
    return Shown(good=True, document={"recipes": told}, lines=lines)


def _image(sandbox: Sandbox, base: Base) -> tuple[str, bool | None]:
    """The environment image's name and whether it is there; nothing where the engine cannot be asked."""
    try:
        reference = sandbox.environments.named(base)
        return reference, sandbox.engine.image(reference) is not None
    except (SetUpError, EngineDownError, SandboxError):
        return "", None


def _told(recipe: Recipe, image: tuple[str, bool | None]) -> dict[str, Any]:
    origins = recipe.origins or (recipe.source,) * (len(recipe.install) + 1)
    steps = [{"argv": list(step), "source": origin} for step, origin in zip(recipe.install, origins, strict=False)]
    return {
        "ecosystem": recipe.ecosystem,
        "toolchain": recipe.toolchain,
        "confidence": recipe.confidence,
        "install": steps,
        "test": {"argv": list(recipe.test_command), "source": origins[-1]},
        "environment": dict(recipe.environment),
        "hosts": list(recipe.hosts),
        "unmet": list(recipe.unmet),
        "inputs": list(recipe.inputs),
        "image": image[0],
        "image_is_there": image[1],
    }


def _lines(told: dict[str, Any], number: int) -> list[str]:
    headline = "Recipe" if number == 0 else f"Else, where that cannot be installed (recipe {number + 1})"
    lines = [
        f"{headline}: {told['ecosystem']} on the {told['toolchain']} toolchain, confidence {told['confidence']:.2f}"
    ]
    for kind, step in [*(("install", step) for step in told["install"]), ("test", told["test"])]:
        lines += [f"  {kind:<8} {_field(shlex.join(step['argv']))}", f"           from {_field(step['source'])}"]
    lines += [f"  variable {_field(name)}={_field(value)}" for name, value in told["environment"].items()]
    lines += [f"  reaches  {_field(host)}, beside the registries" for host in told["hosts"]]
    lines += [f"  lacks    {_field(sentence)}" for sentence in told["unmet"]]
    there = {True: "it is there", False: "it is not there yet", None: "the engine could not be asked"}
    lines.append(f"  image    {_field(told['image']) or 'unknown'} ({there[told['image_is_there']]})")
    lines.append(f"  keyed by {_field(', '.join(told['inputs'])) or 'the steps alone'}")
    return lines


def _field(text: str) -> str:
    """A text of the repository's as one line that shows each of its characters: what breaks or hides is an escape."""
    shown = (char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)
    return "".join(shown)
