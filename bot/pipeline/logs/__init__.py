"""Recorded calls, the run log, and replays of both."""
