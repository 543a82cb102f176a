"""The pull request that keeps a run from being begun again, by what the runs table knows; told in this place alone."""

import sqlalchemy as sa

from bot.adapters.store.tables import runs

_other = runs.alias("other")
_newest = (
    sa.select(sa.case((_other.c.pull_open, _other.c.pull_request)))
    .where(_other.c.repository == runs.c.repository, _other.c.subject == runs.c.subject)
    # an older one was closed, whether or not anybody told: while one is open no other is opened
    .where(_other.c.begins, _other.c.pull_request.is_not(None))
    .order_by(_other.c.sequence.desc())
    .limit(1)
    .correlate(runs)
    .scalar_subquery()
)
IN_THE_WAY = sa.case((runs.c.begins, _newest)).label("in_the_way")
"""Its number, NULL for none and for runs that go on with a pull request, see `Runs.in_the_way`."""
