"""Going on with our own pull requests, as people ask for it."""
