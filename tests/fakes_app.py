"""`App` in lists: what the webhook was sent, where the App is installed, and what was asked of it."""

from dataclasses import dataclass, field

from bot.errors import NotFoundError
from bot.pipeline.ports.app import Attempt, Attempts


@dataclass
class FakeApp:
    """Attempts are kept oldest first; a failure is raised by the next call. An installation has repositories."""

    log: list[Attempt] = field(default_factory=list)
    installations: dict[int, set[str]] = field(default_factory=dict)
    suspended: set[int] = field(default_factory=set)
    redelivered: list[int] = field(default_factory=list)
    forgotten: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)

    def sent(self, guid: str, at: float, *, ok: bool, event: str = "issues") -> Attempt:
        self.log.append(Attempt(len(self.log) + 1, guid, at, event, ok=ok))
        return self.log[-1]

    def attempts(self, since: float, most: int) -> Attempts:
        self._fail()
        found = tuple(one for one in reversed(self.log) if one.at >= since)
        return Attempts(found[:most], whole=len(found) <= most)

    def redeliver(self, identity: int) -> None:
        self._fail()
        if not any(one.identity == identity for one in self.log):
            raise NotFoundError("GitHub knows no such delivery", "Look.")
        self.redelivered.append(identity)

    def installed(self, installation_id: int, repository: str = "") -> bool:
        self._fail()
        there = self.installations.get(installation_id)
        return there is not None and installation_id not in self.suspended and (not repository or repository in there)

    def forget(self, installation_id: int, repositories: tuple[str, ...]) -> None:
        self.forgotten.append((installation_id, repositories))

    def _fail(self) -> None:
        if self.failures:
            raise self.failures.pop(0)
