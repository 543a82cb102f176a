"""Which services a tree's automation starts: a job's own, those that its commands start with docker, compose files."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

from sandbox.detect import shell, work, workflows
from sandbox.detect.yamltext import load, mapping, scalar
from sandbox.spec import Tree

Service = tuple[str, str]

MAX_FILES = 10
MAX_SERVICES = 100

_KNOWN: tuple[str, ...] = (
    "postgres",
    "postgis",
    "redis",
    "mysql",
    "mariadb",
    "mongo",
    "rabbitmq",
    "elasticsearch",
    "memcached",
    "minio",
    "kafka",
)
_KNOWN += ("cassandra", "clickhouse", "opensearch", "localstack", "nats", "mssql", "neo4j", "valkey", "selenium")
_COMPOSE = re.compile(
    r"(?:(?:\.?docker|dev|tests?|\.?ci|\.github|\.devcontainer|scripts)/)?(?:docker-)?compose(?:[.-][\w.-]+)?\.ya?ml"
)
_DEFAULTS = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_IMAGE = re.compile(r"[a-z0-9][\w./-]*(?::[\w.-]+)?(?:@[\w:]+)?")
_PLAIN = frozenset(
    {"-d", "--detach", "--rm", "-i", "-t", "-it", "-ti", "-dit", "--init", "--privileged", "-P", "-q", "--quiet"}
)
"""Options of `docker run` that take no word of their own; every other one without `=` does."""
_PREFIXES = frozenset({"sudo", "time", "env"})


def started(tree: Tree, declared: Iterable[Service]) -> tuple[Service, ...]:
    """Each service with the `file:line` that starts it: the declared ones and what any job's commands start.

    Where there are none, the known ones of compose files at their usual places.
    """
    found = dict(declared)
    for job in workflows.jobs(tree):
        for command in job.commands:
            work.spend(len(command.words) + len(command.environment) + 1)
            for name, where in _of_command(tree, command):
                found.setdefault(name, where)
    return tuple(found.items()) or tuple(_of_files(tree))


def _of_command(tree: Tree, command: shell.Command) -> Iterator[Service]:
    words = command.words
    while words and words[0] in _PREFIXES:
        words = words[1:]
    match words:
        case ["docker", "compose", *rest] | ["docker-compose", *rest] if "up" in rest:
            names = [*_composed(tree, rest, command.directory), *_of_variables(command)]
            yield from ((name, command.source) for name in names or ["those of a compose file"])
        case ["docker" | "podman", "run", *rest] | ["docker" | "podman", "container", "run", *rest]:
            image = _image(rest)
            if _is_known(image) or (image and not {"-d", "--detach", "-dit"}.isdisjoint(rest)):
                yield image, command.source


def _composed(tree: Tree, words: list[str], directory: str) -> Iterator[str]:
    """The services that a command starts: those that it names, else all of its files."""
    at = words.index("up")
    paths = [value for option, value in pairwise(words[: at + 1]) if option in {"-f", "--file"}] or list(_DEFAULTS)
    asked = {word for word in words[at + 1 :] if not word.startswith("-")}
    for path in paths[:MAX_FILES]:
        known = _services(tree, shell.below(directory, path))
        work.spend(len(known) + 1)
        every = asked.isdisjoint(known)
        yield from (shown for name, shown in known.items() if every or name in asked)


def _of_variables(command: shell.Command) -> Iterator[str]:
    """Images that a variable names for a compose file, as `DB_IMAGE=mysql:9.4`."""
    for name, value in command.environment:
        if "IMAGE" in name.upper() and _is_known(value) and _IMAGE.fullmatch(value):
            yield value


def _image(words: list[str]) -> str:
    """The first word that is no option of `docker run` and no option's value."""
    waiting = iter(words)
    for word in waiting:
        if not word.startswith("-"):
            return word if _IMAGE.fullmatch(word) else ""
        if word not in _PLAIN and "=" not in word:
            next(waiting, None)
    return ""


def _of_files(tree: Tree) -> Iterator[Service]:
    paths = sorted(path for path in tree if _COMPOSE.fullmatch(path))
    for path in paths[:MAX_FILES]:
        yield from ((shown, path) for _, shown in _services(tree, path).items() if _is_known(shown))


def _services(tree: Tree, path: str) -> dict[str, str]:
    """Each service of a compose file, and it with its image."""
    return work.once(tree, ("services", path), lambda: dict(islice(_shown(tree, path), MAX_SERVICES)))


def _shown(tree: Tree, path: str) -> Iterator[tuple[str, str]]:
    for name, value in mapping(mapping(load(tree, path)).get("services")).items() if path in tree else ():
        image = scalar(mapping(value).get("image"))
        yield name, f"{name} ({image})" if image else name


def _is_known(text: str) -> bool:
    return any(known in text.lower() for known in _KNOWN)
