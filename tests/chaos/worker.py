"""`bench.storm_worker` on a machine whose clock is CHAOS_CLOCK seconds ahead, or behind."""

import os
import time
from collections.abc import Callable


def set_clock(ahead: float, right: Callable[[], float]) -> None:
    """From now on this process's wall clock is wrong; clocks that only measure are right, as on a real machine."""
    time.time = lambda: right() + ahead


def main() -> None:
    """Work until a signal comes."""
    set_clock(float(os.environ.get("CHAOS_CLOCK", "0")), time.time)
    # whoever keeps `time.time` under a name of its own gets the wrong one
    from bench import storm_worker  # noqa: PLC0415

    storm_worker.main()


if __name__ == "__main__":
    main()
