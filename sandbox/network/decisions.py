"""What an egress proxy decided, within bounds: a hostile client may ask for any number of hosts."""

from collections.abc import Iterable
from dataclasses import dataclass

from sandbox.network.addresses import PRIVATE
from sandbox.network.origin import HTTPS_PORT, Origin
from sandbox.spec import Egress

MAX_DISTINCT = 200
MAX_REFUSALS = 1000
NOT_LISTED = "not on the list"
RESOLVES_TO = "it resolves to "
UNRESOLVED = "the name could not be resolved just now"

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Decision:
    """What the proxy made of one request."""

    host: str
    port: int
    allowed: bool
    reason: str
    tls: bool = True


@dataclass(frozen=True, slots=True)
class Refusals:
    """What was refused: `shown` for people; `unlisted` and `private` are what an operator may list to allow it.

    `unlisted` are hosts, with their port where it is not 443; `private` are listed hosts with addresses that are not
    public.
    """

    shown: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()
    private: tuple[str, ...] = ()


class Decisions:
    """The first 200 different decisions, and how many refusals there were."""

    def __init__(self) -> None:
        """Nothing is decided yet."""
        self._kept: dict[Decision, int] = {}
        self.refusals = 0

    def add(self, origin: Origin, *, allowed: bool, reason: str) -> None:
        """Keep one."""
        self.refusals += not allowed
        decision = Decision(origin.host, origin.port, allowed, reason, origin.tls)
        if decision in self._kept or len(self._kept) < MAX_DISTINCT:
            self._kept[decision] = self._kept.get(decision, 0) + 1

    @property
    def exhausted(self) -> bool:
        """Whether nobody honest would go on."""
        return self.refusals >= MAX_REFUSALS

    def kept(self) -> tuple[Decision, ...]:
        """Oldest first, each once."""
        return tuple(self._kept)

    def counted(self) -> tuple[Egress, ...]:
        """The same, for a run's log."""
        return tuple(Egress(one.host, one.port, one.allowed, one.reason, count) for one, count in self._kept.items())

    def refused(self) -> Refusals:
        """The refusals among them, of which the first 20 are shown."""
        refused = [one for one in self._kept if not one.allowed]
        shown = [f"{one.host}:{one.port} ({one.reason})" for one in refused[:_SHOWN]]
        if len(refused) > _SHOWN:
            shown.append(f"and others, {self.refusals} refusals in all")
        return Refusals(
            tuple(shown),
            _first(_authority(one) for one in refused if one.reason == NOT_LISTED and one.tls),
            _first(one.host for one in refused if one.reason == RESOLVES_TO + PRIVATE),
        )


def _authority(one: Decision) -> str:
    return one.host if one.port == HTTPS_PORT else f"{one.host}:{one.port}"


def _first(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))[:_SHOWN]
