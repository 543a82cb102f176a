"""GitHub's workflow files as jobs that run on Linux: their commands, variables and services, expressions dropped.

Source: docs.github.com, "Workflow syntax for GitHub Actions".
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from sandbox.detect import shell, work
from sandbox.detect.yamltext import Text, Value, load, mapping, scalar, sequence
from sandbox.spec import Tree

FOLDER = ".github/workflows/"
SETUP_STEPS = f"{FOLDER}copilot-setup-steps.yml"
MAX_FILES = 30
MAX_READ = 256 * 1024
MAX_JOBS = 40
MAX_STEPS = 60

_EXPRESSION = re.compile(r"\$\{\{([^{}]*)\}\}")
_PREFERRED = ("3.11", "ubuntu")
_OTHER_SYSTEMS = ("windows", "macos")
_ELSEWHERE = ("windows", "macos", "failure()", "cancelled()", "schedule", "refs/tags", "release")
_SHELLS = frozenset({"", "bash", "sh"})


@dataclass(frozen=True, slots=True)
class Job:
    """One job: `name` is the file's, the job's key and its shown name; `services` say what is started, and where."""

    name: str
    commands: tuple[shell.Command, ...]
    services: tuple[tuple[str, str], ...] = ()


def setup_steps(tree: Tree) -> tuple[Job, ...]:
    """What prepares a coding agent's environment: the jobs of `copilot-setup-steps.yml`."""
    return tuple(_jobs(tree, SETUP_STEPS))


def jobs(tree: Tree) -> tuple[Job, ...]:
    """Every other workflow's jobs that may run on Linux, at most `MAX_JOBS`."""
    found = (job for path in _paths(tree) for job in _jobs(tree, path))
    return work.once(tree, "jobs", lambda: tuple(islice(found, MAX_JOBS)))


def _paths(tree: Tree) -> Iterator[str]:
    """Those that are named after tests first, within a bound on what is parsed."""
    paths = (path for path in tree if path.startswith(FOLDER) and path.endswith((".yml", ".yaml")))
    size = 0
    for path in sorted(paths, key=lambda path: (not any(word in path for word in ("test", "ci")), path))[:MAX_FILES]:
        size += len(tree[path].data)
        if path != SETUP_STEPS and size <= MAX_READ:
            yield path


def _jobs(tree: Tree, path: str) -> Iterator[Job]:
    document = mapping(load(tree, path))
    for key, value in mapping(document.get("jobs")).items():
        job = mapping(value)
        matrix = _matrix(mapping(mapping(job.get("strategy")).get("matrix")))
        if not _on_linux(job, matrix):
            continue
        inherited = _environment((document.get("env"), job.get("env")), matrix)
        defaults = [mapping(mapping(one.get("defaults")).get("run")) for one in (document, job)]
        directory = _resolved(scalar({**defaults[0], **defaults[1]}.get("working-directory")), matrix)
        steps = [mapping(step) for step in sequence(job.get("steps"))[:MAX_STEPS]]
        commands = [command for step in steps for command in _commands(step, path, (inherited, directory), matrix)]
        if commands:
            name = " ".join((path.removeprefix(FOLDER), key, scalar(job.get("name"))))
            yield Job(name, tuple(commands), tuple(_services(job, matrix, path)))


def _commands(
    step: Mapping[str, Value], path: str, inherited: tuple[Mapping[str, str], str], matrix: Mapping[str, str]
) -> tuple[shell.Command, ...]:
    run, condition = scalar(step.get("run")), scalar(step.get("if")).lower()
    if not run or any(word in condition for word in _ELSEWHERE) or scalar(step.get("shell")) not in _SHELLS:
        return ()
    work.spend(len(inherited[0]) + 20)
    environment = {**inherited[0], **_environment((step.get("env"),), matrix)}
    directory = _resolved(scalar(step.get("working-directory")), matrix) or inherited[1]
    if shell.UNKNOWN in (directory := shell.below("", directory)):
        return ()
    place = shell.Place(path, run.line, environment, "" if directory == "." else directory)
    return shell.commands(_resolved(run[: shell.MAX_TEXT], matrix), place)


def _environment(values: tuple[object, ...], matrix: Mapping[str, str]) -> dict[str, str]:
    pairs = ((name, scalar(text)) for value in values for name, text in mapping(value).items())
    return {name: _resolved(text, matrix) for name, text in pairs}


def _resolved(text: str, matrix: Mapping[str, str]) -> str:
    """A text with the matrix's values in it; every other expression is unknown, a secret's above all."""

    def value(match: re.Match[str]) -> str:
        return matrix.get(match[1].strip().removeprefix("matrix."), shell.UNKNOWN)

    grown = work.replaced(_EXPRESSION, value, text, shell.MAX_TEXT)
    return shell.UNKNOWN if grown is None else grown


def _matrix(matrix: Mapping[str, Value]) -> dict[str, str]:
    """One combination: of each axis the value that is most like this sandbox, then what an inclusion adds to it."""
    chosen: dict[str, str] = {}
    for axis, values in matrix.items():
        if axis not in {"include", "exclude"} and (texts := [scalar(value) for value in sequence(values)]):
            chosen[axis] = _best(texts)
    includes = [_texts(value) for value in sequence(matrix.get("include"))]
    if not chosen and includes:
        return max(includes, key=_likeness)
    work.spend(len(chosen) + sum(map(len, includes)))
    for one in includes:
        if all(chosen.get(name, value) == value for name, value in one.items()):
            chosen |= one
    return chosen


def _texts(value: object) -> dict[str, str]:
    return {name: str(text) for name, text in mapping(value).items() if isinstance(text, str)}


def _best(texts: list[Text]) -> str:
    return str(max(texts, key=lambda text: _likeness({"": text})))


def _likeness(values: Mapping[str, str]) -> int:
    text = " ".join(values.values()).lower()
    return sum(word in text for word in _PREFERRED) - 4 * any(word in text for word in _OTHER_SYSTEMS)


def _on_linux(job: Mapping[str, Value], matrix: Mapping[str, str]) -> bool:
    where = " ".join(_resolved(scalar(one), matrix) for one in sequence(job.get("runs-on"))).lower()
    return not any(system in where for system in _OTHER_SYSTEMS)


def _services(job: Mapping[str, Value], matrix: Mapping[str, str], path: str) -> Iterator[tuple[str, str]]:
    for name, value in mapping(job.get("services")).items():
        image = scalar(mapping(value).get("image")) or scalar(value)
        resolved = _resolved(image, matrix).replace(shell.UNKNOWN, "").rstrip(":")
        yield f"{name} ({resolved})" if resolved else name, f"{path}:{image.line}"
