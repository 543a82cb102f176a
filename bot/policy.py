"""`.github/regreen.yml` → `RepoPolicy`: every key documented, validated, with a safe default. Placeholder of the contract."""
