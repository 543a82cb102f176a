"""Alembic runs this file, with the connection that `bot.adapters.store.migrate` opened; nothing imports it."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
