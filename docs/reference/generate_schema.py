"""Prints docs/policy.schema.json from `bot.policy`; `make docs` writes it, a test holds it true."""  # noqa: INP001 - a script beside the pages

import sys

from bot.policy.schema import schema

sys.stdout.write(schema())
