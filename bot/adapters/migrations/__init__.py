"""Schema migrations, run by `bot.adapters.store.migrate`."""
