"""Several workers: who works, how often a job was begun in vain, and who began which run when."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables, which stay empty on SQLite; nothing is known of the runs that were begun before."""
    op.create_table(
        "workers",
        sa.Column("executor", sa.Text, primary_key=True),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("pid", sa.BigInteger, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("slots", sa.BigInteger, nullable=False),
        sa.Column("lease", sa.Double, nullable=False),
        sa.Column("started_at", sa.Double, nullable=False),
        sa.Column("beat_at", sa.Double, nullable=False),
        sa.Column("draining", sa.Boolean, nullable=False),
        sa.Column("jobs", sa.Text, nullable=False),
    )
    op.create_table(
        "starts",
        sa.Column("identity", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("executor", sa.Text, nullable=False),
    )
    op.create_index("starts_executor", "starts", ["executor"])
    op.add_column("runs", sa.Column("started_at", sa.Float))
    op.add_column("runs", sa.Column("worker", sa.Text, nullable=False, server_default=""))
    op.create_index("runs_started", "runs", ["repository", "started_at"])


def downgrade() -> None:
    """Drop all of it."""
    op.drop_index("runs_started", "runs")
    op.drop_column("runs", "worker")
    op.drop_column("runs", "started_at")
    op.drop_table("starts")
    op.drop_table("workers")
