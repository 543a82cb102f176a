"""What lies in files on one machine and in these tables where several share a database."""

import sqlalchemy as sa

from bot.adapters.store.tables import metadata

artifacts = sa.Table(
    "artifacts",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
    sa.Column("put_at", sa.Float, nullable=False),
    sa.Index("artifacts_put", "put_at"),
)
"""Large results of steps by their SHA-256; `put_at` is when one was put last."""

run_lines = sa.Table(
    "run_lines",
    metadata,
    sa.Column("identity", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("data", sa.LargeBinary, nullable=False),
)
"""The logs of runs, a row a line."""

written_tests = sa.Table(
    "written_tests",
    metadata,
    sa.Column("subject", sa.Text, primary_key=True),
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
)
"""Tests that wait for a person's word; `subject` is the SHA-256 of what `Reviews` is for, `number` their order."""
