"""What the coder's prompt says beside the facts: a trace of its last attempt, a critic's fix, a digest of output."""

from dataclasses import dataclass, replace

from bot.repair.ports import Journal
from bot.repair.prompting.prompts import Advice, Briefing
from bot.repair.team.condenser import Condenser
from bot.repair.team.critic import Critic
from bot.repair.team.selfdebug import SelfDebugger


@dataclass(frozen=True, slots=True)
class Counsel:
    """Whoever advises; each may be off. None of them can end a run: who does not answer says nothing."""

    journal: Journal
    critic: Critic | None = None
    debugger: SelfDebugger | None = None
    condenser: Condenser | None = None

    def enrich(self, briefing: Briefing) -> Briefing:
        """The same briefing with advice: what was observed and condensed first, since the critic reads it, too."""
        observed = self.debugger.observe(briefing) if self.debugger and not briefing.from_base else ""
        digest = self.condenser.digest(briefing.failing) if self.condenser else ""
        known = replace(briefing, advice=Advice(observed=observed, digest=digest))
        remedy = self.critic.advise(known) if self.critic else ""
        advice = replace(known.advice, remedy=remedy)
        if advice != Advice():
            said = {"observed": observed, "digest": digest, "remedy": remedy}
            self.journal.append("advice", {name: text for name, text in said.items() if text})
        return replace(briefing, advice=advice)
