"""Artifacts, run logs and tests that wait for a word: what lies in files on one machine, where several share them."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables; on SQLite they stay empty, for there the files are used."""
    op.create_table(
        "artifacts",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("put_at", sa.Float, nullable=False),
    )
    op.create_index("artifacts_put", "artifacts", ["put_at"])
    op.create_table(
        "run_lines",
        sa.Column("identity", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "written_tests",
        sa.Column("subject", sa.Text, primary_key=True),
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    """Drop them."""
    for name in ("written_tests", "run_lines", "artifacts"):
        op.drop_table(name)
