"""Whether a job may start: refused before anything is spent, with a reason that a person can act on.

One module for each thing that is looked at; each look is a function of the `Case`, and the first refusal counts.
"""

from bot.pipeline.admission.admit import admit
from bot.pipeline.admission.branches import fix_branch
from bot.pipeline.admission.values import Admission, Case, Refusal, Way

__all__ = ["Admission", "Case", "Refusal", "Way", "admit", "fix_branch"]
