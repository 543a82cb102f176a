"""The repair loop: pure decisions behind two ports."""
