"""The containers of deploy/compose.postgres.yaml as far as their database goes, which is a Postgres of this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import postgres_server
from world_app import SUDO
from worlds import World, plain, program

from bot.adapters.store import migrate

# A start is one on the database that the env file names: there has to be one, with Regreen's tables.
COMPOSE = """\
[ "$1 $2" = "-f deploy/compose.postgres.yaml" ] || exit 64
shift 2
case "$*" in
"exec -T postgres "*) shift 3; exec "$@" ;;
"stop serve worker" | "up -d postgres") ;;
"up -d") psql --no-psqlrc --quiet --username=regreen --dbname="$(sed -n 's#^REGREEN_DATABASE_URL=.*/##p' {env})" \\
    --set=ON_ERROR_STOP=1 --command='SELECT version_num FROM alembic_version' ;;
*) exit 64 ;;
esac
"""


@contextmanager
def with_compose(home: Path) -> Iterator[World]:
    """A database `regreen` with the tables in it, and the env file that names it."""
    with postgres_server.running(postgres_server.required()) as cluster, plain(home) as world:
        migrate(cluster.create("regreen"))
        env = home / "etc" / "regreen" / "regreen.env"
        env.parent.mkdir(parents=True)
        env.write_text("REGREEN_DATABASE_URL=postgresql://regreen:secret@postgres/regreen\n")
        program(home, "docker-compose", COMPOSE.format(env=env))
        program(home, "sudo", SUDO)
        variables = {"PGHOST": "127.0.0.1", "PGPORT": str(cluster.port)}
        yield World(world.home, variables, {"/etc/regreen": str(env.parent)})
