"""The GitHub stand-in, its git server, the demo scenario and the sample repository. An extra."""
