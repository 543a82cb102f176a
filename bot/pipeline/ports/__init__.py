"""What the pipeline needs from the world: one job's ports, GitHub's parts, the store."""
