"""A `Reader` that tells what a test gave it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch

from bot.pipeline.logs.runlog import Entry
from bot.pipeline.ports.reading import DayFigures, Filter, RepositoryFigures, RunRow
from bot.pipeline.reading.artifacts import LOG


def row(sequence: int = 1, repository: str = "owner/name", subject: str = "issue-1", **more: object) -> RunRow:
    """A run that has not ended, unless more is said of it."""
    said = {"sender": "octocat", "installation": 7, "queued_at": 1000.0 + sequence} | more
    identity = str(said.pop("identity", f"{repository}:{subject}:d{sequence}"))
    return RunRow(sequence=sequence, identity=identity, repository=repository, subject=subject, **said)  # type: ignore[arg-type]  # a test's own words


@dataclass
class ScriptedReader:
    """Rows, the logs by identity, artifacts by identity and name; lines may be added while somebody looks."""

    rows: Sequence[RunRow] = ()
    logs: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    files: Mapping[tuple[str, str], bytes] = field(default_factory=dict)
    figures: Mapping[str, RepositoryFigures] = field(default_factory=dict)

    def runs(self, wanted: Filter) -> tuple[RunRow, ...]:
        found = [one for one in self.rows if _fits(one, wanted)]
        return tuple(sorted(found, key=lambda one: -one.sequence))[: wanted.limit]

    def run(self, identity: str) -> RunRow | None:
        return next((one for one in self.rows if one.identity == identity), None)

    def repositories(self, limit: int, hidden: tuple[str, ...] = ()) -> tuple[str, ...]:
        seen = [one for one in self.rows if _fits(one, Filter(hidden=hidden))]
        return tuple(dict.fromkeys(one.repository for one in sorted(seen, key=lambda one: -one.sequence)))[:limit]

    def entries(self, identity: str, after: int) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.logs.get(identity, ()) if entry.number > after)

    def artifact(self, identity: str, name: str) -> bytes | None:
        return self.files.get((identity, name))

    def log(self, identity: str) -> Iterator[bytes]:
        yield from filter(None, [self.files.get((identity, LOG), b"")])

    def repository(self, name: str, days: int) -> RepositoryFigures:
        empty = tuple(DayFigures(f"2026-01-{day + 1:02}") for day in range(days))
        return self.figures.get(name, RepositoryFigures(name, empty, known=False))


def _fits(one: RunRow, wanted: Filter) -> bool:
    names = (one.repository, one.subject, one.headline, one.title, one.stop, one.sender)
    return (
        wanted.repository.lower() in {"", one.repository.lower()}
        and wanted.state in {"", one.shown}
        and wanted.subject.lower() in {"", one.subject.lower()}
        and any(wanted.text.lower() in name.lower() for name in names)
        and one.identity.startswith(wanted.prefix)
        and not any(fnmatch(one.repository.lower(), glob.lower()) for glob in wanted.hidden)
        and (wanted.before is None or one.sequence < wanted.before)
    )
