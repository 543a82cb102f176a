"""The install phase's only way out."""
