"""What DBOS keeps of jobs that have ended, removed with their runs: each of a job's steps left its result there."""

import sqlalchemy as sa

from bot.engine.database import translated
from bot.engine.line import ACTIVE

TABLES = ("workflow_input", "workflow_output", "operation_outputs")
"""Those that hold on to a workflow without a foreign key that would empty them."""


class DurableJobs:
    """`EndedJobs` over the database that DBOS keeps its tables in."""

    def __init__(self, engine: sa.Engine) -> None:
        """Nothing is read yet."""
        self._engine = engine
        self._schema = "dbos" if engine.dialect.name == "postgresql" else None

    def erase(self, identities: tuple[str, ...]) -> None:
        """Delete the rows of those that neither wait nor run, in one transaction. Raises `StoreError`."""
        status = self._table("workflow_status", "status")
        ended = status.c.status.not_in((*ACTIVE, "DELAYED"))
        query = sa.select(status.c.workflow_uuid).where(status.c.workflow_uuid.in_(identities), ended)
        with translated():
            if not sa.inspect(self._engine).has_table(status.name, schema=self._schema):
                return
            with self._engine.begin() as connection:
                gone = tuple(connection.execute(query).scalars())
                for table in (*map(self._table, TABLES), status):
                    connection.execute(sa.delete(table).where(table.c.workflow_uuid.in_(gone)))

    def _table(self, name: str, *more: str) -> sa.TableClause:
        columns: list[sa.ColumnClause[str]] = [sa.column(column) for column in ("workflow_uuid", *more)]
        return sa.table(name, *columns, schema=self._schema)
