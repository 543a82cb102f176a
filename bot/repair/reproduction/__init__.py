"""A test for an issue: written, placed, believed for its reason, laid under every patch."""
