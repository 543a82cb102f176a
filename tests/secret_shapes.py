"""One secret of each family that `bot.redaction` knows by its shape; all of them are made up."""

SHAPES = {
    "GitHub": "ghs_" + "a1B2" * 9,
    "GitHub, new": "ghs_123456_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0In0.c2lnbmF0dXJlLWhlcmU",
    "GitHub, fine-grained": "github_pat_" + "11ABCDEFG0" * 4,
    "OpenAI": "sk-proj-" + "aB3_" * 12,
    "Anthropic": "sk-ant-api03-" + "x9Yz" * 12,
    "AWS": "AKIAIOSFODNN7EXAMPLE",
    "AWS, for a session": "ASIAIOSFODNN7EXAMPLE",
    "Slack": "xoxb-123456789012-abcdefABCDEF",
    "Slack, App": "xapp-1-A0123456789-abcdef",
    "Google": "AIza" + "Sy0-" * 8 + "abc",
    "Stripe": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "npm": "npm_" + "a1b2c3" * 6,
    "Hugging Face": "hf_" + "abcdeF" * 6,
    "GitLab": "glpat-" + "abcdefghij1234567890",
    "JWT": "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0In0.c2lnbmF0dXJlLWhlcmU",
    "PGP": "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOYBF\n-----END PGP PRIVATE KEY BLOCK-----",
    "SSH": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----",
    "Stripe, restricted": "rk_test_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "PyPI": "pypi-AgE" + "IcHlwaS5vcmc" * 5,
}
"""Masked whole."""
BESIDE = {
    "Slack, incoming": ("https://hooks.slack.com/services/", "T0000AAAA/B0000BBBB/abcdefABCDEF0123", ""),
    "database": ("postgres://", "app:hunter2hunter2", "@db.internal/x"),
    "header": ("authorization: ", "Bearer abcdef", ""),
    "AWS, by its name": ("aws_secret_access_key=", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""),
}
"""What stands before and behind stays: before, secret, behind."""
