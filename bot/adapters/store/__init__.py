"""Everything durable but the engine's own, over SQLAlchemy Core: SQLite by default, Postgres by URL."""

from bot.adapters.store.artifacts import SqlArtifacts
from bot.adapters.store.database import connect, translated
from bot.adapters.store.fleet import SqlFleet
from bot.adapters.store.holds import SqlDepartures, SqlHolds
from bot.adapters.store.inbox import SqlInbox
from bot.adapters.store.leases import SqlLeases
from bot.adapters.store.ledger import SqlLedger
from bot.adapters.store.lines import SqlJournal, SqlLogs
from bot.adapters.store.reviews import SqlReviews
from bot.adapters.store.runs import SqlRuns
from bot.adapters.store.schema import MIGRATIONS, Schema, migrate, migrate_to, require_known, schema
from bot.adapters.store.sessions import SqlEndedSessions
from bot.adapters.store.tables import metadata
from bot.adapters.store.unsaid import SqlUnsaid
from bot.adapters.store.wishes import SqlWishes

__all__ = [
    "MIGRATIONS",
    "Schema",
    "SqlArtifacts",
    "SqlDepartures",
    "SqlEndedSessions",
    "SqlFleet",
    "SqlHolds",
    "SqlInbox",
    "SqlJournal",
    "SqlLeases",
    "SqlLedger",
    "SqlLogs",
    "SqlReviews",
    "SqlRuns",
    "SqlUnsaid",
    "SqlWishes",
    "connect",
    "metadata",
    "migrate",
    "migrate_to",
    "require_known",
    "schema",
    "translated",
]
