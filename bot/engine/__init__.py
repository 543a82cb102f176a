"""Engines: what makes a job run once, whatever happens to the process."""
