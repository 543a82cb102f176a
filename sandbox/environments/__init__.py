"""Base images, installs, layers and what is kept of them."""
