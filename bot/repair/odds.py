"""How often a verdict has to be repeated before a flaky test can mislead it at most once in 1,000. Numbers only.

A flaky test fails with some probability p, whatever the patch. That it fails in those `failed` runs and passes in those
`passed` runs in which a verdict needs it to has the probability p^failed (1 - p)^passed, and no p makes that larger
than `bound`. Every number of repeats here is the smallest that keeps `bound`, times the chances that flakes had, at or
under `MAX_WRONG`; `docs/flaky.md` has the figures.
"""

MAX_WRONG = 1 / 1000
RERUNS = 3
TARGET_RUNS = 5
BASELINE_RUNS = 3
SLOW_SUITE_SECONDS = 300.0

Runs = tuple[int, int]
"""How often something failed on base, and how often it passed with the patch."""


def bound(failed: int, passed: int) -> float:
    """The most that p^failed (1 - p)^passed can be: nothing misleads more often than p = failed / (failed + passed)."""
    runs = failed + passed
    return (failed / runs) ** failed * (passed / runs) ** passed if runs else 1.0


def chances(tests: int, tries: int = 1, *, disagreed: bool = False) -> int:
    """How many chances flakes had to mislead: each try is one; once any test of the suite is flaky, so is each test."""
    return max(1, tries) * (max(1, tests) if disagreed else 1)


def reruns(tests: int = 1, earlier: int = BASELINE_RUNS) -> int:
    """How often a suspected regression has to fail with the patch and to pass on base, alone, before it is one.

    `earlier` is how often it passed on base before, `tests` how many chances there were. It holds for any number of
    candidates: a flake that one of them brings under suspicion is known afterwards, or else called a regression.
    """
    count = RERUNS
    while tests * bound(count, count + earlier) > MAX_WRONG:
        count += 1
    return count


def target_runs(whole: Runs, alone: Runs = (0, 0), chances: int = 1) -> Runs:
    """How often a target has still to fail on base and to pass with the patch, alone, before it counts as fixed.

    `whole` and `alone` are how often it has done so, in runs of the whole suite and in runs of the targets only; that
    its rate may differ between the two is allowed for. At least `RERUNS` alone and `TARGET_RUNS` in all on each side.
    """
    count = RERUNS
    while min(whole) + count < TARGET_RUNS or chances * bound(*whole) * bound(count, count) > MAX_WRONG:
        count += 1
    return max(0, count - alone[0]), max(0, count - alone[1])
