"""The webhook server: verifies, acknowledges, hands over. Knows no engine."""
