"""What a model is asked and told: prompts, code, failures, memory, and how often it is drawn from."""
