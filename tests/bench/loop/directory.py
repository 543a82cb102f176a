"""`SET=dir`: any set of tasks, one directory each.

    NAME/repo/       the repository as an arm sees it
    NAME/full/       optional: files that are laid over it for the judgement, such as the full tests
    NAME/fixed/      optional: the faulty files as a person repaired them
    NAME/task.toml   all of it optional:
        title = "one line"
        text = "what an issue would say"
        targets = ["tests/test_a.py::test_b"]      # else every red test
        test_command = ["python", "-m", "pytest"]  # else found out
        setup = [["pip", "install", "-e", "."]]    # else found out

Without `full`, the judgement takes the tests and their configuration as `repo` has them, whatever a patch made of them.
"""

import tomllib
from pathlib import Path
from typing import Any

from bench.loop.tasks import BenchTask, read_tree
from bench.subjects import InvalidMeasurementError
from pydantic import BaseModel, ValidationError

from bot.repair.protection import BY_NAME
from sandbox.spec import Given


class _Written(BaseModel, frozen=True, extra="forbid"):
    """What `task.toml` may say."""

    title: str = ""
    text: str = ""
    targets: tuple[str, ...] = ()
    test_command: tuple[str, ...] = ()
    setup: tuple[tuple[str, ...], ...] = ()


def tasks(source: Path) -> tuple[BenchTask, ...]:
    """Every directory that holds a `repo`, by name. Raises `InvalidMeasurementError`."""
    found = sorted(path.parent for path in source.glob("*/repo") if path.is_dir())
    if not found:
        raise InvalidMeasurementError(f"{source} holds no directory NAME/repo")
    return tuple(_task(directory, source.resolve().name) for directory in found)


def _task(directory: Path, of_set: str) -> BenchTask:
    written = _written(directory / "task.toml")
    tree = read_tree(directory / "repo")
    own = {path: file for path, file in tree.items() if not BY_NAME.is_source(path)}
    return BenchTask(
        name=directory.name,
        repository=f"bench/{of_set}-{directory.name}",
        tree=tree,
        full={**own, **read_tree(directory / "full")},
        title=written.title or f"Tests of {directory.name} fail",
        text=written.text,
        targets=written.targets,
        given=Given(test_command=written.test_command, setup=written.setup),
        fixed={path: file.data for path, file in read_tree(directory / "fixed").items()},
    )


def _written(path: Path) -> _Written:
    if not path.is_file():
        return _Written()
    try:
        document: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return _Written.model_validate(document)
    except (ValueError, ValidationError) as error:
        raise InvalidMeasurementError(f"{path} cannot be read: {error}") from None
