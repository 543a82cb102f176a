"""One module a schema version, each naming the one before it."""
