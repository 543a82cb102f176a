"""The tables that the code reads and writes; the migrations make exactly these."""

import sqlalchemy as sa

metadata = sa.MetaData()

deliveries = sa.Table(
    "deliveries",
    metadata,
    sa.Column("sequence", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
    sa.Column("delivery_id", sa.Text, nullable=False, unique=True),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("received_at", sa.Float, nullable=False),
    sa.Column("not_before", sa.Float, nullable=False),
    sa.Column("postponed", sa.Text),
    sa.Column("decided_at", sa.Float),
    sa.Column("decision", sa.Text),
    sa.Column("identity", sa.Text),
    sa.Column("digest", sa.Text),
    sa.Column("urgent", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("lane", sa.Text, nullable=False, server_default=""),
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
    sa.Column("awaits", sa.Text),
    sa.Column("cut", sa.Text),
    sa.Index("deliveries_waiting", "decided_at", "lane", "sequence", "not_before"),
    sa.Index("deliveries_awaiting", "awaits"),
    sa.Index("deliveries_digest", "digest", unique=True),
    sa.Index("deliveries_urgent", "urgent", "sequence"),
)
"""What one `lane` has is decided one after the other; `tries` is how often a delivery was put off, `awaits` the job
whose checks it waits for, `cut` the runs (JSON) that it stopped before its turn.
"""

leases = sa.Table(
    "leases",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("until", sa.Float, nullable=False),
)
"""Which worker does what only one may do at a time, until when."""

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("sequence", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
    sa.Column("identity", sa.Text, nullable=False, unique=True),
    sa.Column("repository", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("sender", sa.Text, nullable=False),
    sa.Column("queued_at", sa.Float, nullable=False),
    sa.Column("ended_at", sa.Float),
    sa.Column("state", sa.Text),
    sa.Column("headline", sa.Text, nullable=False, server_default=""),
    sa.Column("stop", sa.Text, nullable=False, server_default=""),
    sa.Column("pull_request", sa.BigInteger),
    sa.Column("url", sa.Text, nullable=False, server_default=""),
    sa.Column("tokens", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("dollars", sa.Float, nullable=False, server_default="0"),
    sa.Column("seconds", sa.Float, nullable=False, server_default="0"),
    sa.Column("installation", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("active", sa.Text),
    sa.Column("started_at", sa.Float),
    sa.Column("worker", sa.Text, nullable=False, server_default=""),
    sa.Column("title", sa.Text, nullable=False, server_default=""),
    sa.Column("begins", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("pull_open", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Index("runs_started", "repository", "started_at"),
    sa.Index("runs_active", "active", unique=True),
    sa.Index("runs_subject", "repository", "subject", "sequence"),
    sa.Index("runs_open", "installation", "ended_at"),
)
"""One row a job. `active` is the repository and subject until the job has ended: one at a time has these. What `begins`
opens a pull request of its own, and `pull_open` is whether that is open, as far as anybody told.
"""

holds = sa.Table(
    "holds",
    metadata,
    sa.Column("repository", sa.Text, primary_key=True),
    sa.Column("subject", sa.Text, primary_key=True),
    sa.Column("held_by", sa.Text, nullable=False),
    sa.Column("since", sa.Float, nullable=False),
    sa.Column("held", sa.Boolean, nullable=False, server_default=sa.true()),
)
"""One row a subject that was ever paused or resumed; `since` is when that was said last."""

unsaid = sa.Table(
    "unsaid",
    metadata,
    sa.Column("identity", sa.Text, primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("since", sa.Float, nullable=False),
    sa.Column("not_before", sa.Float, nullable=False),
    sa.Column("tries", sa.BigInteger, nullable=False, server_default="0"),
    sa.Index("unsaid_due", "not_before"),
)
"""Last words of jobs that GitHub did not take."""

departures = sa.Table(
    "departures",
    metadata,
    sa.Column("installation", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("repository", sa.Text, primary_key=True),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("since", sa.Float, nullable=False),
)
"""Where the App may not work any more; an empty `repository` stands for all of the installation's."""

installations = sa.Table(
    "installations",
    metadata,
    sa.Column("installation", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("last_reserved_at", sa.Float, nullable=False),
)
"""A row is what reservations of one installation wait for each other at, on every database."""

spends = sa.Table(
    "spends",
    metadata,
    sa.Column("identity", sa.Text, primary_key=True),
    sa.Column("installation", sa.BigInteger, nullable=False),
    sa.Column("repository", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("attempt", sa.BigInteger, nullable=False),
    sa.Column("reserved_at", sa.Float, nullable=False),
    sa.Column("granted", sa.BigInteger, nullable=False),
    sa.Column("settled_at", sa.Float),
    sa.Column("spent", sa.BigInteger, nullable=False, server_default="0"),
    sa.Index("spends_installation", "installation", "reserved_at"),
    sa.Index("spends_subject", "installation", "repository", "subject"),
    sa.Index("spends_unsettled", "settled_at", "reserved_at"),
)
"""One row a job that reserved; `granted` and `spent` are millionths of a dollar."""

charges = sa.Table(
    "charges",
    metadata,
    sa.Column("identity", sa.Text, primary_key=True),
    sa.Column("call", sa.Text, primary_key=True),
    sa.Column("amount", sa.BigInteger, nullable=False),
)
"""One row a call of a model that `spent` holds, in millionths of a dollar, so that none is added twice."""

wishes = sa.Table(
    "wishes",
    metadata,
    sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
    sa.Column("identity", sa.Text, nullable=False),
    sa.Column("what", sa.Text, nullable=False),
    sa.Column("asked_by", sa.Text, nullable=False),
    sa.Column("asked_at", sa.Float, nullable=False),
    sa.Column("done_at", sa.Float),
    sa.Column("said", sa.Text, nullable=False, server_default=""),
    sa.Column("waiting", sa.Text),
    sa.Index("wishes_waiting", "waiting", unique=True),
    sa.Index("wishes_open", "done_at", "number"),
)
"""One row a wish of an operator's. `waiting` is what is wished of which run until that is done: it is asked once."""

ended_sessions = sa.Table(
    "ended_sessions",
    metadata,
    sa.Column("nonce", sa.Text, primary_key=True),
    sa.Column("until", sa.BigInteger, nullable=False),
)
"""Operators' sessions that were signed out of; `until` is when one would have ended by itself."""

workers = sa.Table(
    "workers",
    metadata,
    sa.Column("executor", sa.Text, primary_key=True),
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("pid", sa.BigInteger, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("slots", sa.BigInteger, nullable=False),
    sa.Column("lease", sa.Double, nullable=False),
    sa.Column("started_at", sa.Double, nullable=False),
    sa.Column("beat_at", sa.Double, nullable=False),
    sa.Column("draining", sa.Boolean, nullable=False),
    sa.Column("jobs", sa.Text, nullable=False),
)
"""One row a worker process of those that share a Postgres. `jobs` is JSON: what it has in its hands."""

starts = sa.Table(
    "starts",
    metadata,
    sa.Column("identity", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("executor", sa.Text, nullable=False),
    sa.Index("starts_executor", "executor"),
)
"""One row a job that was begun and has not got on since."""
