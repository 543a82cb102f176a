"""What a repair may still spend: reserved before each call of a model, charged after it, whatever came of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bot.errors import BudgetError
from bot.repair.ports import Clock, Model
from bot.repair.prompting.room import estimate
from bot.repair.stops import Stop
from bot.repair.types import BudgetLimits, Completion, CompletionLimits, Message, StopReason, Usage

_ROUNDING = 1e-9

Price = Callable[[int, int], float]
"""Prompt tokens, completion tokens → dollars."""


def free(prompt_tokens: int, completion_tokens: int) -> float:
    """The price of a model that costs nothing."""
    del prompt_tokens, completion_tokens
    return 0.0


class Meter:
    """Counts tokens, dollars, iterations and seconds of one run against its limits. Starts when it is built."""

    def __init__(self, limits: BudgetLimits, clock: Clock) -> None:
        """One for each run; a replay that makes the same calls counts the same."""
        self.limits = limits
        self._clock = clock
        self._started = clock.now()
        self._spent: dict[str, Usage] = {}
        self._iterations = 0
        self._stop: Stop | None = None

    @property
    def spent(self) -> Usage:
        """What all calls so far have cost."""
        return sum(self._spent.values(), Usage())

    @property
    def by_role(self) -> Mapping[str, Usage]:
        """The same, by who was asked."""
        return MappingProxyType(self._spent)

    @property
    def iterations(self) -> int:
        """How many were begun."""
        return self._iterations

    @property
    def started(self) -> float:
        """Seconds since the epoch."""
        return self._started

    @property
    def stop(self) -> Stop | None:
        """The limit that the last refused call would have passed, with its figures; `None` while none was refused.

        It may be that of the role's own share.
        """
        return self._stop

    def begin(self) -> None:
        """Count an iteration."""
        self._iterations += 1

    def over(self, now: float) -> Stop | None:
        """Why no further iteration may begin, whatever it costs."""
        limits, used = self.limits, now - self._started
        if self._iterations >= limits.iterations:
            return StopReason.ITERATIONS, f"{self._iterations} of {limits.iterations} iterations used"
        if used >= limits.wall_seconds:
            return StopReason.WALL_CLOCK, f"{used:.0f} of {limits.wall_seconds:.0f} seconds used"
        return None

    def reserve(self, role: str, most: Usage, share: float = 1.0) -> None:
        """Make sure that a call which costs at most this much fits.

        `share` is the part of all tokens and dollars that this role may spend. Raises `BudgetError`; `stop` says why.
        """
        stop = self._short_of(most) or self._own(role, most, share)
        if stop is not None:
            self._stop = stop
            raise BudgetError(f"A call of the {role} does not fit: {stop[1]}", "Allow the run a larger budget.")

    def charge(self, role: str, usage: Usage) -> None:
        """Add what a call cost."""
        self._spent[role] = self._spent.get(role, Usage()) + usage

    def _short_of(self, most: Usage) -> Stop | None:
        used = self._clock.now() - self._started
        if used >= self.limits.wall_seconds:
            return StopReason.WALL_CLOCK, f"{used:.0f} of {self.limits.wall_seconds:.0f} seconds used"
        return _overdrawn(self.spent, most, self.limits.tokens, self.limits.dollars)

    def _own(self, role: str, most: Usage, share: float) -> Stop | None:
        if share >= 1:
            return None
        spent = self._spent.get(role, Usage())
        stop = _overdrawn(spent, most, int(share * self.limits.tokens), share * self.limits.dollars)
        return stop and (stop[0], f"of what the {role} may use, {stop[1]}")


def _overdrawn(spent: Usage, most: Usage, tokens: int, dollars: float) -> Stop | None:
    if spent.tokens + most.tokens > tokens:
        return StopReason.TOKENS, f"{spent.tokens} of {tokens} tokens used, and the next call may need {most.tokens}"
    if spent.dollars + most.dollars > dollars + _ROUNDING:
        return (
            StopReason.DOLLARS,
            f"${spent.dollars:.4f} of ${dollars:.2f} used, and the next call may need ${most.dollars:.4f}",
        )
    return None


@dataclass(frozen=True, slots=True)
class MeteredModel:
    """A model whose calls a meter allows and charges. `price` is the model's own; see `Meter.reserve` for `share`."""

    model: Model
    meter: Meter
    price: Price
    role: str
    share: float = 1.0

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        """Ask, if the whole reply fits into what is left.

        Raises `BudgetError` before a call that does not, and `ModelError`: a call without an answer has no usage that
        could be charged.
        """
        prompt = estimate(messages)
        most = Usage(prompt, limits.max_tokens, self.price(prompt, limits.max_tokens), estimated=True)
        self.meter.reserve(self.role, most, self.share)
        completion = self.model.complete(messages, limits)
        self.meter.charge(self.role, completion.usage)
        return completion
