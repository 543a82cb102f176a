"""The read model: what a run's log says, as values that pages and commands show."""

from bot.pipeline.reading.view import read
from bot.pipeline.reading.views import (
    ArtifactView,
    AttemptView,
    EnvironmentView,
    JudgeView,
    MatrixRow,
    MatrixView,
    RoleView,
    RunView,
    StepView,
    TestTryView,
    TrialView,
)

__all__ = [
    "ArtifactView",
    "AttemptView",
    "EnvironmentView",
    "JudgeView",
    "MatrixRow",
    "MatrixView",
    "RoleView",
    "RunView",
    "StepView",
    "TestTryView",
    "TrialView",
    "read",
]
