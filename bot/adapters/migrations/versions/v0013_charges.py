"""Which calls of models a job was charged for, lest one whose answer was lost is charged twice."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table; calls that were charged before are over."""
    op.create_table(
        "charges",
        sa.Column("identity", sa.Text, primary_key=True),
        sa.Column("call", sa.Text, primary_key=True),
        sa.Column("amount", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Drop it; the sums stay in what was spent."""
    op.drop_table("charges")
