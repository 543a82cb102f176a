"""What the ports are made of: GitHub, git, model servers, containers, tables. Siblings that never meet."""
