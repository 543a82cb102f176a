"""Deliveries are decided in lanes, one a repository, by one worker each; what a worker remembered of them is kept."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """What waits gets its lane; what is decided needs none."""
    op.create_table(
        "leases",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("until", sa.Float, nullable=False),
    )
    op.add_column("deliveries", sa.Column("lane", sa.Text, nullable=False, server_default=""))
    op.add_column("deliveries", sa.Column("tries", sa.Integer, nullable=False, server_default="0"))
    op.add_column("deliveries", sa.Column("awaits", sa.Text))
    op.add_column("deliveries", sa.Column("cut", sa.Text))
    op.create_index("deliveries_waiting", "deliveries", ["decided_at", "lane", "sequence", "not_before"])
    op.create_index("deliveries_awaiting", "deliveries", ["awaits"])
    op.drop_index("deliveries_pending", "deliveries")
    _give_lanes()


def downgrade() -> None:
    """Drop the columns and the table."""
    op.create_index("deliveries_pending", "deliveries", ["decided_at", "sequence"])
    op.drop_index("deliveries_awaiting", "deliveries")
    op.drop_index("deliveries_waiting", "deliveries")
    for name in ("cut", "awaits", "tries", "lane"):
        op.drop_column("deliveries", name)
    op.drop_table("leases")


def _give_lanes() -> None:
    connection, table = (
        op.get_bind(),
        sa.table("deliveries", *map(sa.column, ("sequence", "body", "lane", "decided_at"))),
    )
    waiting = sa.select(table.c.sequence).where(table.c.decided_at.is_(None))
    for sequence in connection.execute(waiting).scalars().all():
        this = table.c.sequence == sequence
        lane = _lane(connection.execute(sa.select(table.c.body).where(this)).scalar_one())
        connection.execute(sa.update(table).where(this).values(lane=lane))


def _lane(body: bytes) -> str:
    """As `bot.events.glance` had it when this was written."""
    try:
        name = json.loads(body)["repository"]["full_name"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return ""
    name = name.casefold()[:200].replace("\0", "") if isinstance(name, str) else ""
    return name.encode(errors="replace").decode()
