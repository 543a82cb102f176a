"""The manifest flow: a page posts what the App shall be, GitHub makes it, and a code that it gives buys the App's keys.

Source: https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

import json
import re
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote

import httpx
from pydantic import BaseModel, Field, SecretStr, ValidationError

from bot.adapters.github.needs import EVENTS, PERMISSIONS
from bot.errors import GitHubError, GitHubUnavailableError

MOST_NAME = 34
CREATED = 201
ORGANIZATION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
"""A login as GitHub gives it to an organization."""
_CODE = re.compile(r"[A-Za-z0-9_-]{1,200}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the App shall be. `hook` is where its webhooks go, `back` where the browser comes back with the code."""

    name: str
    hook: str
    back: str
    homepage: str


class MadeApp(BaseModel):
    """What GitHub made, with the only copy of its keys."""

    id: Annotated[int, Field(gt=0)]
    slug: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,99}$")]
    html_url: Annotated[str, Field(pattern=r"^https?://[^\s\"<>]{1,300}$")]
    webhook_secret: SecretStr
    pem: SecretStr


def manifest(wanted: Wanted) -> str:
    """The manifest, JSON; private, since who may install the App is who may spend the operator's money."""
    fields: dict[str, Any] = {
        "name": wanted.name[:MOST_NAME],
        "url": wanted.homepage,
        "hook_attributes": {"url": wanted.hook, "active": True},
        "redirect_url": wanted.back,
        "description": "Turns red into green and shows its work.",
        "public": False,
        "default_permissions": {one.name: one.level.word for one in PERMISSIONS},
        "default_events": list(EVENTS),
    }
    return json.dumps(fields, separators=(",", ":"))


def new_app_page(github_url: str, organization: str, state: str) -> str:
    """Where the manifest is posted to: the person's own account, or an organization that they own.

    Raises `ValueError` for what is no organization's login.
    """
    if organization and not ORGANIZATION.fullmatch(organization):
        message = "an organization's login holds letters, digits and hyphens"
        raise ValueError(message)
    place = f"/organizations/{organization}/settings/apps/new" if organization else "/settings/apps/new"
    return f"{github_url}{place}?state={quote(state, safe='')}"


def convert(api_url: str, code: str, *, timeout: float = 30.0) -> MadeApp:
    """Buy the keys with the code, once, within an hour. `timeout` in seconds.

    Raises `GitHubError` when GitHub refuses the code or answers something else, `GitHubUnavailableError`. Neither
    names what was answered: it may hold a key.
    """
    if not _CODE.fullmatch(code):
        raise GitHubError("What came back is no code of GitHub's", "Run `regreen setup` again.")
    try:
        answer = httpx.post(
            f"{api_url}/app-manifests/{code}/conversions",
            headers={"Accept": "application/vnd.github+json"},
            timeout=timeout,
            follow_redirects=False,
        )
    except httpx.HTTPError as error:
        raise GitHubUnavailableError(
            f"GitHub did not answer while the App's keys were fetched ({type(error).__name__})",
            "Delete the App at GitHub, or make a key for it there by hand, and run `regreen setup` again.",
        ) from None
    if answer.status_code != CREATED:
        raise GitHubError(
            f"GitHub refused the code of the new App ({answer.status_code})",
            "A code is good once and for an hour: run `regreen setup` again.",
        )
    try:
        return MadeApp.model_validate_json(answer.content)
    except ValidationError:
        raise GitHubError(
            "GitHub's answer for the new App lacks its id, slug, key or webhook secret", "Check REGREEN_GITHUB_URL."
        ) from None
