"""At most one active run a subject, subjects on hold, and installations that are gone."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Runs that are there keep an empty `active`: there may be several open ones of one subject among them."""
    op.add_column("runs", sa.Column("installation", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("runs", sa.Column("active", sa.Text))
    op.create_index("runs_active", "runs", ["active"], unique=True)
    op.create_index("runs_subject", "runs", ["repository", "subject", "sequence"])
    op.create_index("runs_open", "runs", ["installation", "ended_at"])
    op.create_table(
        "holds",
        sa.Column("repository", sa.Text, primary_key=True),
        sa.Column("subject", sa.Text, primary_key=True),
        sa.Column("held_by", sa.Text, nullable=False),
        sa.Column("since", sa.Float, nullable=False),
    )
    op.create_table(
        "departures",
        sa.Column("installation", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("repository", sa.Text, primary_key=True),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("since", sa.Float, nullable=False),
    )


def downgrade() -> None:
    """Drop all of it."""
    op.drop_table("departures")
    op.drop_table("holds")
    for name in ("runs_open", "runs_subject", "runs_active"):
        op.drop_index(name, "runs")
    op.drop_column("runs", "active")
    op.drop_column("runs", "installation")
