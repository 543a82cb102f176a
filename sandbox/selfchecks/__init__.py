"""Limits that are tried before they are believed."""
