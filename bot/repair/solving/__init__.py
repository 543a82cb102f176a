"""Code from a description, until hidden tests pass."""
