"""What jobs reserved and spent, and the rows that reservations wait for each other at."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "installations",
        sa.Column("installation", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("last_reserved_at", sa.Float, nullable=False),
    )
    op.create_table(
        "spends",
        sa.Column("identity", sa.Text, primary_key=True),
        sa.Column("installation", sa.BigInteger, nullable=False),
        sa.Column("repository", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("attempt", sa.BigInteger, nullable=False),
        sa.Column("reserved_at", sa.Float, nullable=False),
        sa.Column("granted", sa.BigInteger, nullable=False),
        sa.Column("settled_at", sa.Float),
        sa.Column("spent", sa.BigInteger, nullable=False, server_default="0"),
    )
    op.create_index("spends_installation", "spends", ["installation", "reserved_at"])
    op.create_index("spends_subject", "spends", ["installation", "repository", "subject"])
    op.create_index("spends_unsettled", "spends", ["settled_at", "reserved_at"])


def downgrade() -> None:
    """Drop both tables."""
    op.drop_table("spends")
    op.drop_table("installations")
