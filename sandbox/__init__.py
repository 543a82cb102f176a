"""Runs untrusted code in a locked-down container; knows nothing of the bot."""
