"""Last words of jobs that GitHub did not take when they ended."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "unsaid",
        sa.Column("identity", sa.Text, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("since", sa.Float, nullable=False),
        sa.Column("not_before", sa.Float, nullable=False),
        sa.Column("tries", sa.BigInteger, nullable=False, server_default="0"),
    )
    op.create_index("unsaid_due", "unsaid", ["not_before"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("unsaid")
