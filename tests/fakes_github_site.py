"""The GitHub stand-in ready for tests: an App with a key pair, one repository, people of each kind."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from github import Auth, Github, GithubIntegration

from bot.demo.accounts import Installation
from bot.demo.stand_in import StandIn
from bot.demo.state import AppConfig, FileContent, State

REPOSITORY = "octo/shop"
MAINTAINER, READER, OUTSIDER = "mona", "reed", "oscar"
FILES: Mapping[str, FileContent] = {
    "README.md": "# Shop\n",
    "run.sh": ("100755", b"#!/bin/sh\nexec python3 -m shop\n"),
    "src/shop.py": "def total(prices):\n    return sum(prices)\n",
}


@cache
def key_pair() -> tuple[str, str]:
    """(private, public) as PEM, made once for all tests."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    return private, key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


@dataclass(frozen=True)
class GitHubSite:
    """A running stand-in with `REPOSITORY` on it, where the App (id 1, slug regreen) is installed."""

    stand_in: StandIn
    private_key: str
    installation: Installation

    @property
    def state(self) -> State:
        return self.stand_in.state

    @property
    def api_url(self) -> str:
        return self.stand_in.api_url


@contextmanager
def github_site(
    files: Mapping[str, FileContent] = FILES, *, check: bool = True, beyond: Mapping[str, str] = MappingProxyType({})
) -> Iterator[GitHubSite]:
    """Start it; with `check`, a request that GitHub's description refuses fails the test at the end.

    The App's permissions are those that the product asks for, and `beyond` those, name → level.
    """
    private, public = key_pair()
    app = AppConfig(public)
    stand_in = StandIn(replace(app, permissions=app.permissions | dict(beyond))).start()
    try:
        for login in (MAINTAINER, READER, OUTSIDER):
            stand_in.state.add_user(login)
        levels = {MAINTAINER: "maintain", READER: "read"}
        repository = stand_in.state.add_repository(REPOSITORY, files, collaborators=levels)
        installation = stand_in.state.install(repository)
        yield GitHubSite(stand_in, private, installation)
        if check:
            stand_in.check()
    finally:
        stand_in.stop()


def github_client(site: GitHubSite) -> Github:
    """PyGithub with an installation token, without its waits and retries."""
    auth = Auth.AppAuth(site.stand_in.state.app.id, site.private_key)
    integration = GithubIntegration(
        auth=auth, base_url=site.api_url, seconds_between_requests=0, seconds_between_writes=0, retry=None
    )
    return integration.get_github_for_installation(site.installation.id)


def app_jwt(site: GitHubSite, *, issuer: object = 1, life: float = 300, age: float = 10) -> str:
    """An App's JWT, right unless told otherwise; times in seconds."""
    now = time.time()
    claims = {"iss": str(issuer), "iat": int(now - age), "exp": int(now + life)}
    return jwt.encode(claims, site.private_key, algorithm="RS256")


def installation_token(site: GitHubSite, **wanted: Any) -> str:
    """A token minted over REST, narrowed by `permissions` and `repositories`."""
    url = f"{site.api_url}/app/installations/{site.installation.id}/access_tokens"
    answer = httpx.post(url, json=wanted, headers={"Authorization": f"Bearer {app_jwt(site)}"}, trust_env=False)
    answer.raise_for_status()
    return str(answer.json()["token"])


def rest(site: GitHubSite, token: str) -> httpx.Client:
    """A client of REST with this token; paths start after /api/v3/."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=f"{site.api_url}/", headers=headers, trust_env=False)
