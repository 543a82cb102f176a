"""The deliveries and the runs table."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "deliveries",
        sa.Column("sequence", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("delivery_id", sa.Text, nullable=False, unique=True),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("received_at", sa.Float, nullable=False),
        sa.Column("not_before", sa.Float, nullable=False),
        sa.Column("postponed", sa.Text),
        sa.Column("decided_at", sa.Float),
        sa.Column("decision", sa.Text),
        sa.Column("identity", sa.Text),
    )
    op.create_index("deliveries_pending", "deliveries", ["decided_at", "sequence"])
    op.create_table(
        "runs",
        sa.Column("sequence", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("identity", sa.Text, nullable=False, unique=True),
        sa.Column("repository", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("sender", sa.Text, nullable=False),
        sa.Column("queued_at", sa.Float, nullable=False),
        sa.Column("ended_at", sa.Float),
        sa.Column("state", sa.Text),
        sa.Column("headline", sa.Text, nullable=False, server_default=""),
        sa.Column("stop", sa.Text, nullable=False, server_default=""),
        sa.Column("pull_request", sa.BigInteger),
        sa.Column("url", sa.Text, nullable=False, server_default=""),
        sa.Column("tokens", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("dollars", sa.Float, nullable=False, server_default="0"),
        sa.Column("seconds", sa.Float, nullable=False, server_default="0"),
    )


def downgrade() -> None:
    """Drop both tables."""
    op.drop_table("runs")
    op.drop_table("deliveries")
