"""A Postgres database by its own programs, pg_dump and pg_restore: one snapshot, its password in a file of its own."""

import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from bot.adapters.backup.archive import MANIFEST, add_file, said
from bot.errors import ConfigurationError, StoreError

DUMP = "postgres.dump"
MAX_SAID = 2_000
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}
_SECRET = ("password", "sslpassword")

Find = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Client:
    """What Postgres's programs need of this machine to connect as the driver does.

    `variables` are those of the environment that libpq reads: they name the server and its certificates where the
    address does not.
    """

    variables: Mapping[str, str]
    find: Find = shutil.which


def save_postgres(archive: tarfile.TarFile, url: str, place: Path, client: Client) -> int:
    """Add a dump of the database, made below `place`. Raises `ConfigurationError` without pg_dump, `StoreError`."""
    with tempfile.TemporaryDirectory(dir=place, prefix=".backup-") as directory:
        dump = Path(directory) / DUMP
        options = ["--format=custom", "--no-owner", "--no-privileges", f"--file={dump}"]
        _run("pg_dump", url, options, Path(directory), client)
        return int(add_file(archive, DUMP, dump))


def restore_postgres(archive: tarfile.TarFile, url: str, client: Client) -> int:
    """Fill an empty database, all of it or nothing. Raises `ConfigurationError` without pg_restore, `StoreError`."""
    _require_empty(url)
    with tempfile.TemporaryDirectory(prefix="regreen-restore-") as directory:
        dump = Path(directory) / DUMP
        for member in archive:
            content = archive.extractfile(member) if member.isreg() and member.name == DUMP else None
            if content is not None:
                try:
                    with dump.open("wb") as file:
                        shutil.copyfileobj(content, file)
                except OSError as error:
                    raise said(error, "The dump cannot be unpacked") from None
            elif member.name != MANIFEST:
                raise StoreError(f"The backup holds {member.name!r}, which is none of Regreen's", "Do not trust it.")
        if not dump.exists():
            raise StoreError("The backup holds no dump of Postgres", "Name a whole backup.")
        options = ["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"]
        _run("pg_restore", url, options, Path(directory), client, str(dump))
    return 1


def _require_empty(url: str) -> None:
    engine = sa.create_engine(url, hide_parameters=True)
    try:
        inspector = sa.inspect(engine)
        found = [*inspector.get_table_names(), *(name for name in inspector.get_schema_names() if name == "dbos")]
    except sa.exc.SQLAlchemyError as error:
        raise StoreError(f"The database does not answer: {type(error).__name__}", "Check its address.") from None
    finally:
        engine.dispose()
    if found:
        raise StoreError(
            f"The database has tables ({', '.join(sorted(found)[:3])}): nothing is restored over them",
            "Make a new, empty database, and set REGREEN_DATABASE_URL to it.",
        )


def _run(program: str, url: str, options: list[str], place: Path, client: Client, *files: str) -> None:
    path = client.find(program)
    if path is None:
        raise ConfigurationError(
            f"{program} is not on this machine",
            "Install Postgres's client programs (Debian: postgresql-client), of the server's version or a later one, "
            "or run this where the database is; the storage guide has it for compose.",
        )
    with _environment(url, place, client.variables) as environment:
        command = [path, *options, f"--dbname={without_secrets(url)}", "--no-password", *files]
        done = subprocess.run(command, env=environment, capture_output=True, check=False)  # noqa: S603 - our own arguments
    if done.returncode:
        cause = done.stderr.decode(errors="replace").strip()[-MAX_SAID:]
        remedy = "Its version must be the server's or a later one, and the user must own the database."
        raise StoreError(f"{program} failed: {cause}", remedy)


def without_secrets(url: str) -> str:
    """The address as Postgres's programs take it, without a password: their arguments are anybody's to read."""
    where = sa.make_url(url).difference_update_query(_SECRET)
    where = sa.URL.create("postgresql", where.username, None, where.host, where.port, where.database, where.query)
    return where.render_as_string(hide_password=False)


@contextmanager
def _environment(url: str, place: Path, variables: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """What libpq reads and nothing of ours, with the address's password in a file that only this user reads.

    Without one in the address, it is where the user has it: `PGPASSWORD`, `PGPASSFILE`, `~/.pgpass`.
    """
    where = sa.make_url(url)
    password = where.password or where.query.get("password") or ""
    if not password:
        yield {**variables, **_ENVIRONMENT}
        return
    file = place / "password"
    escaped = str(password).replace("\\", "\\\\").replace(":", "\\:")
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as writer:
        writer.write(f"*:*:*:*:{escaped}\n")
    try:
        # the driver takes the address's password before this variable's, the programs after it
        kept = {name: value for name, value in variables.items() if name != "PGPASSWORD"}
        yield {**kept, **_ENVIRONMENT, "PGPASSFILE": str(file)}
    finally:
        file.unlink()
