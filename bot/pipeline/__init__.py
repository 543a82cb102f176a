"""The path of one fix: admit, fetch, prepare, baseline, repair, gate, publish."""
