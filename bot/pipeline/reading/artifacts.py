"""What can be downloaded of a run."""

from bot.pipeline.reading.views import ArtifactView, RunView

LOG, TESTS, RECIPE = "log.jsonl", "tests.csv", "environment.json"
"""The whole log, tests by attempts, and how the repository is set up and tested."""


def offered(run: RunView) -> tuple[ArtifactView, ...]:
    """Everything that there is of a run, the log first."""
    if run.last < 0:
        return ()
    found = [ArtifactView(LOG, "The run log, which `regreen replay` makes the decisions of again")]
    if run.environment is not None:
        found.append(ArtifactView(RECIPE, "How the repository is set up and tested"))
    if run.matrix.tests:
        found.append(ArtifactView(TESTS, "Every test by every attempt"))
    for attempt in run.attempts:
        found += [ArtifactView(name, _about(name, attempt.number)) for name in attempt.files]
    return tuple(found)


def _about(name: str, number: int) -> str:
    if name.endswith(".diff"):
        return f"What attempt {number} changes"
    return (
        f"What attempt {number}'s model was asked and said"
        if "prompt" in name
        else f"Output of attempt {number}'s tests"
    )
