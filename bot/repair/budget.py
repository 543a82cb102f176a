"""What a repair may still spend: reserved before each call, charged after it."""

from dataclasses import dataclass, field, replace

from bot.repair.types import BudgetLimits, StopReason, Usage

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits, what was spent, iterations begun, and the second at which the repair started."""

    limits: BudgetLimits
    started: float
    spent: Usage = field(default_factory=Usage)
    iterations: int = 0

    def stop_before(self, reserve: Usage, now: float) -> StopReason | None:
        """Why no further iteration may begin, if its call may cost as much as `reserve`."""
        if self.iterations >= self.limits.iterations:
            return StopReason.ITERATIONS
        return self.short_of(reserve, now)

    def short_of(self, reserve: Usage, now: float) -> StopReason | None:
        """What a call of this size would overdraw, within the iteration that has begun.

        A reserve without a price is priced at what the tokens so far have cost.
        """
        if now - self.started >= self.limits.wall_seconds:
            return StopReason.WALL_CLOCK
        if self.spent.tokens + reserve.tokens > self.limits.tokens:
            return StopReason.TOKENS
        dollars = reserve.dollars or reserve.tokens * self.spent.dollars / max(self.spent.tokens, 1)
        if self.spent.dollars + dollars > self.limits.dollars + _ROUNDING:
            return StopReason.DOLLARS
        return None

    def charge(self, usage: Usage) -> "Budget":
        """Add what a call cost, whatever came of it."""
        return replace(self, spent=self.spent + usage)

    def begin(self) -> "Budget":
        """Count an iteration."""
        return replace(self, iterations=self.iterations + 1)

    def explain(self, stop: StopReason, now: float) -> str:
        """The figures behind a stop."""
        limits, spent = self.limits, self.spent
        figures = {
            StopReason.ITERATIONS: f"{self.iterations} of {limits.iterations} iterations used",
            StopReason.TOKENS: f"{spent.tokens} of {limits.tokens} tokens used, and the next call may need more",
            StopReason.DOLLARS: f"${spent.dollars:.4f} of ${limits.dollars:.2f} used, and the next call may need more",
            StopReason.WALL_CLOCK: f"{now - self.started:.0f} of {limits.wall_seconds:.0f} seconds used",
        }
        return figures.get(stop, "")
