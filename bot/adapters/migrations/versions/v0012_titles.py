"""What a run is about, for lists: the title of its issue."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of the runs before, only the logs know it."""
    op.add_column("runs", sa.Column("title", sa.Text, nullable=False, server_default=""))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("runs", "title")
