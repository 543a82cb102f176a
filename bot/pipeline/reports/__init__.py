"""What people read on GitHub: texts from values, and where they go."""
