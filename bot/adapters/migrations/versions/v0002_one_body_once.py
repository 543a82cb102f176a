"""A delivery's body counts once, whatever id it comes under."""

import hashlib

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the digest; of older deliveries with the same body the first one keeps it."""
    op.add_column("deliveries", sa.Column("digest", sa.Text))
    connection = op.get_bind()
    table = sa.table("deliveries", *map(sa.column, ("sequence", "event", "body", "digest")))
    seen: set[str] = set()
    for sequence in connection.execute(sa.select(table.c.sequence).order_by(table.c.sequence)).scalars().all():
        this = table.c.sequence == sequence
        row = connection.execute(sa.select(table.c.event, table.c.body).where(this)).one()
        digest = hashlib.sha256(f"{row.event}\n".encode() + row.body).hexdigest()
        if digest not in seen:
            seen.add(digest)
            connection.execute(sa.update(table).where(this).values(digest=digest))
    op.create_index("deliveries_digest", "deliveries", ["digest"], unique=True)


def downgrade() -> None:
    """Drop the digest."""
    op.drop_index("deliveries_digest", "deliveries")
    op.drop_column("deliveries", "digest")
