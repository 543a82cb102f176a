"""The mutation search: operators, mutants, and their order."""
