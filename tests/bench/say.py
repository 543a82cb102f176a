"""How every measurement talks: lines for people as they come, one line of JSON at the end."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any


def say(line: str) -> None:
    """Print a line at once, whatever reads it."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def finish(measure: Callable[[], Mapping[str, Any]], invalid: tuple[type[Exception], ...]) -> int:
    """Print what is measured as one line of JSON; the exit status is 1 only where the measurement is `invalid`."""
    try:
        document = measure()
    except invalid as error:
        say(f"The measurement is invalid: {error}")
        return 1
    say(json.dumps(document))
    return 0
