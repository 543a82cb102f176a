"""Deliveries that may stop something are found without reading all that wait."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing that is there already is urgent: it is decided in its turn."""
    op.add_column("deliveries", sa.Column("urgent", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_index("deliveries_urgent", "deliveries", ["urgent", "sequence"])


def downgrade() -> None:
    """Drop the column."""
    op.drop_index("deliveries_urgent", "deliveries")
    op.drop_column("deliveries", "urgent")
