"""One run, one container: the engine, its policy, and what goes in and out."""
