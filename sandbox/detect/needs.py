"""What a tree asks for and gets nowhere here, whatever its language: services, submodules, large files."""

from collections.abc import Iterable, Iterator

from sandbox.detect import workflows
from sandbox.detect.yamltext import load, mapping, scalar
from sandbox.spec import Tree

COMPOSE = ("compose.yml", "compose.yaml", "docker-compose.yml", "docker-compose.yaml")
MAX_NAMED = 12
MAX_NAME = 60
MAX_SENTENCES = 12

_POINTER = b"version https://git-lfs.github.com/spec/"
_KNOWN: tuple[str, ...] = (
    "postgres",
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


def read(tree: Tree, services: Iterable[tuple[str, str]] | None = None) -> tuple[str, ...]:
    """A sentence each; `services` are those that the tests' job starts, with their `file:line`, `None` any job's."""
    if services is None:
        services = dict(service for job in workflows.jobs(tree) for service in job.services).items()
    return (*_services(tree, tuple(services)), *_submodules(tree), *_large(tree))


def _services(tree: Tree, started: tuple[tuple[str, str], ...]) -> Iterator[str]:
    where = started[0][1] if started else ""
    names = [name for name, _ in started]
    if not names:
        where = next((path for path in COMPOSE if path in tree), "")
        for name, value in mapping(mapping(load(tree, where)).get("services")).items() if where else ():
            image = scalar(mapping(value).get("image"))
            names += [f"{name} ({image})"] if any(known in f"{name} {image}".lower() for known in _KNOWN) else []
    if names:
        yield (
            f"{where} starts services ({_listed(names)}); there are none in the sandbox, and no network to reach any. "
            "Tests that need them fail or are skipped here."
        )


def _submodules(tree: Tree) -> Iterator[str]:
    if ".gitmodules" in tree:
        lines = tree[".gitmodules"].data[:8192].decode("utf-8", "replace").splitlines()
        paths = [line.partition("=")[2].strip() for line in lines if line.strip().startswith("path")]
        yield (
            f".gitmodules:1 names submodules ({_listed(paths)}); they are not fetched, so their directories are empty "
            "here."
        )


def _large(tree: Tree) -> Iterator[str]:
    paths = sorted(path for path, file in tree.items() if file.data.startswith(_POINTER))
    if paths:
        yield (
            f"{len(paths)} files are kept in Git LFS ({_listed(paths)}); they are not fetched, so tests see their "
            "pointers instead."
        )


def _listed(names: list[str]) -> str:
    shown = [name[:MAX_NAME] for name in names[:MAX_NAMED]]
    more = [f"and {len(names) - MAX_NAMED} more"] if len(names) > MAX_NAMED else []
    return ", ".join([*shown, *more])
