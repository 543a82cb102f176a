"""Where a fault may be: what tests reach and call, what words name, and how that ranks."""
