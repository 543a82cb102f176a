"""How often a verdict has to be repeated before a flaky test can mislead it at most once in 1,000. Numbers only.

A flaky test fails with some probability p, whatever the patch. That it fails in those `failed` runs and passes in those
`passed` runs in which a verdict needs it to has the probability p^failed (1 - p)^passed, and no p makes that larger
than `bound`. `docs/flaky.md` has the figures.
"""

MAX_WRONG = 1 / 1000
RERUNS = 3
BASELINE_RUNS = 3
SLOW_SUITE_SECONDS = 300.0


def bound(failed: int, passed: int) -> float:
    """The most that p^failed (1 - p)^passed can be: nothing misleads more often than p = failed / (failed + passed)."""
    runs = failed + passed
    return (failed / runs) ** failed * (passed / runs) ** passed if runs else 1.0


def reruns(tests: int = 1, earlier: int = BASELINE_RUNS) -> int:
    """How often a verdict on a test is repeated alone, on base and with the patch each, before it counts.

    A fix: it failed `earlier` times on base, and has to fail on base and pass with the patch each time now. A
    regression: it passed `earlier` times on base, and has to pass there and fail with the patch. What candidates did
    before is not counted, so it holds however many there were. `tests` are as many as share the one chance in 1,000.
    """
    count = RERUNS
    while tests * bound(count, count + earlier) > MAX_WRONG:
        count += 1
    return count
