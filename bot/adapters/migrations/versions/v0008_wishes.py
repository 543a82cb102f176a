"""Operators' wishes: cancel and retry from pages and command line."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """One open wish of a kind for a run at a time."""
    op.create_table(
        "wishes",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("identity", sa.Text, nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("asked_by", sa.Text, nullable=False),
        sa.Column("asked_at", sa.Float, nullable=False),
        sa.Column("done_at", sa.Float),
        sa.Column("said", sa.Text, nullable=False, server_default=""),
        sa.Column("waiting", sa.Text),
    )
    op.create_index("wishes_waiting", "wishes", ["waiting"], unique=True)
    op.create_index("wishes_open", "wishes", ["done_at", "number"])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("wishes")
