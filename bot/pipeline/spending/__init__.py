"""What runs may spend and have spent."""
