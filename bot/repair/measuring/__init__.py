"""What the suite does, how often that is to be seen, and what a patch did to it."""
