"""The GitHub stand-in ready for tests: an App with a key pair, one repository, people of each kind."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from bot.demo.records import Installation
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
def github_site(files: Mapping[str, FileContent] = FILES, *, check: bool = True) -> Iterator[GitHubSite]:
    """Start it; with `check`, a request that GitHub's description refuses fails the test at the end."""
    private, public = key_pair()
    stand_in = StandIn(AppConfig(public)).start()
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
