"""An answer becomes a patch: replies read, edits placed, functions and files put in, on bytes."""
