"""Sessions of operators that were signed out of, so that every server knows them and none forgets them."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table; who signed out before is known to nobody any more."""
    op.create_table(
        "ended_sessions",
        sa.Column("nonce", sa.Text, primary_key=True),
        sa.Column("until", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("ended_sessions")
