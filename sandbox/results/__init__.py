"""One module for each way in which a test run reports: how to start it, and how to believe what came back."""
