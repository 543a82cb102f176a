"""Who is asked: roles, what binds them, and each role's prompt and reading of its answer."""
