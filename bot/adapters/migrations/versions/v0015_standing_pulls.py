"""Which runs open a pull request of their own, and whether that is open still: no other is begun meanwhile."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

NEW = ("begins", "pull_open")


def upgrade() -> None:
    """Add the columns; what became of pull requests before is not known, so that they stand in nobody's way here."""
    for name in NEW:
        op.add_column("runs", sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Drop them."""
    for name in NEW:
        op.drop_column("runs", name)
