"""Operators' sessions: begun with the token, kept by the browser in a signed cookie, ended by time or by signing out.

Keys are derived from the token, so that another token ends all sessions, and any number of servers know them. Which
were signed out of, the store tells each of them.
"""

import hashlib
import hmac
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address

from pydantic import SecretStr

from bot.pipeline.ports.store import EndedSessions

SECONDS = 12 * 3600
MOST_COOKIE = 200
"""Characters of a cookie that is looked at."""
MOST_FAILED = 10_000


@dataclass(frozen=True, slots=True)
class Session:
    """`until` is in seconds since the epoch."""

    nonce: str
    until: int


@dataclass(frozen=True, slots=True)
class Sessions:
    """What an operator's token opens. `now` gives seconds since the epoch."""

    token: SecretStr
    now: Callable[[], float]
    ended: EndedSessions

    def opens(self, said: str) -> bool:
        """Whether it is the token; takes as long whatever is said."""
        return hmac.compare_digest(self._signed("token", said), self._signed("token", self.token.get_secret_value()))

    def begin(self) -> str:
        """A new session's cookie."""
        said = f"{int(self.now()) + SECONDS}.{secrets.token_hex(16)}"
        return f"{said}.{self._signed('session', said)}"

    def find(self, cookie: str) -> Session | None:
        """The session of a cookie, `None` for one that is made up, too old, or signed out of. Raises `StoreError`.

        The store is asked about what this server signed alone: nobody else keeps it busy.
        """
        said, _, signature = cookie[:MOST_COOKIE].rpartition(".")
        if not hmac.compare_digest(self._signed("session", said).encode(), signature.encode("utf-8", "replace")):
            return None
        until, _, nonce = said.partition(".")
        session = Session(nonce, int(until))
        return session if self.lasts(session) else None

    def lasts(self, session: Session) -> bool:
        """Whether it has not ended. Raises `StoreError`."""
        return self.now() < session.until and not self.ended.has_ended(session.nonce)

    def end(self, session: Session) -> None:
        """Sign out: its cookie opens nothing any more, at any server. Raises `StoreError`."""
        self.ended.end(session.nonce, session.until)

    def form_token(self, session: Session) -> str:
        """What each form of this session carries, and nobody else can know."""
        return self._signed("form", session.nonce)

    def is_form_token(self, session: Session, said: str) -> bool:
        """Whether a form came from a page of this session."""
        return hmac.compare_digest(self.form_token(session).encode(), said.encode("utf-8", "replace"))

    def _signed(self, purpose: str, text: str) -> str:
        message = f"{purpose}\n{text}".encode("utf-8", "replace")
        return hmac.new(self.token.get_secret_value().encode(), message, hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True)
class Attempts:
    """How often somebody may say a wrong token: from one network, and from all together. `monotonic` gives seconds.

    A network that said too many is refused whatever it says, all together are not: strangers would lock operators out.
    """

    monotonic: Callable[[], float]
    most: int = 10
    most_of_all: int = 100
    seconds: float = 900.0
    _failed: deque[tuple[float, str]] = field(default_factory=deque)
    """When, and from where: the oldest first."""

    def wait(self, address: str) -> float:
        """For how many seconds nothing is tried for this address; 0 when it may say a token."""
        own = [at for at, where in self._recent() if where == network(address)]
        return self._left(own[0]) if len(own) >= self.most else 0.0

    def crowd(self) -> float:
        """For how many seconds a wrong token is one of too many; the right one is taken all the same."""
        every = self._recent()
        return self._left(every[0][0]) if len(every) >= self.most_of_all else 0.0

    def failed(self, address: str) -> None:
        """Count a wrong token."""
        self._failed.append((self.monotonic(), network(address)))
        if len(self._failed) > MOST_FAILED:
            self._failed.popleft()

    def _recent(self) -> deque[tuple[float, str]]:
        while self._failed and self._left(self._failed[0][0]) <= 0:
            self._failed.popleft()
        return self._failed

    def _left(self, at: float) -> float:
        return at + self.seconds - self.monotonic()


def network(address: str) -> str:
    """What one sender has: an IPv4 address, or the 2^64 addresses of IPv6 that begin alike."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv4Address):
        return str(found)
    return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))
