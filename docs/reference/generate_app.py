"""Prints docs/reference/github-app.md from `bot.adapters.github.needs`; `make docs` writes it, a test holds it true."""  # noqa: INP001 - a script beside the page that it writes

import sys

from bot.adapters.github.needs import PERMISSIONS, SUBSCRIPTIONS

HEAD = """# What the GitHub App needs

`regreen setup` asks for exactly this, and `regreen doctor` compares the App and each installation with it. This page is
written by `make docs` from `bot/adapters/github/needs.py`. Each call's token has only the part of it that the call
needs, for one repository.
"""
PERMISSION_HEAD = """
## Permissions

| repository permission | level | what for |
|---|---|---|
"""
EVENT_HEAD = """
## Webhook events

| event | needs | what for |
|---|---|---|
"""

permissions = "\n".join(f"| `{one.name}` | {one.level.word} | {one.why} |" for one in PERMISSIONS)
events = "\n".join(f"| `{one.event}` | `{one.permission}` | {one.why} |" for one in SUBSCRIPTIONS)
END = """
GitHub sends `installation` and `installation_repositories` to every App, subscribed or not: the labels are made then,
and what runs is ended where the App is taken away.
"""
sys.stdout.write(f"{HEAD}{PERMISSION_HEAD}{permissions}\n{EVENT_HEAD}{events}\n{END}")
