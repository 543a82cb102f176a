"""Regreen: a self-hosted GitHub App that turns red into green and shows its work."""
