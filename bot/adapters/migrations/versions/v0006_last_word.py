"""A subject's last word, pause or resume, is kept with its time: an older one that comes late changes nothing."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """What has a row was on hold until now."""
    op.add_column("holds", sa.Column("held", sa.Boolean, nullable=False, server_default=sa.true()))


def downgrade() -> None:
    """Forget who resumed what."""
    op.execute("DELETE FROM holds WHERE NOT held")
    op.drop_column("holds", "held")
