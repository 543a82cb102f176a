"""Standard output, of which it is told apart from every other file when it takes nothing more."""

import io
import sys


class OutputError(Exception):
    """Standard output cannot be written; not an `OSError`, for which others have other words."""


class Output(io.TextIOWrapper):
    """What Python has by itself, but for its errors; a pipe that nobody reads stays one."""

    def write(self, text: str) -> int:
        """Raises `OutputError`."""
        try:
            return super().write(text)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(error.strerror) from None

    def flush(self) -> None:
        """Raises `OutputError`."""
        try:
            super().flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(error.strerror) from None


def is_open() -> bool:
    """Whether there is a standard output: a process may begin without one."""
    return sys.stdout is not None


def prepare() -> None:
    """Have errors told apart; what this terminal has no letter for is shown escaped, and is none."""
    told = sys.stdout
    # a test's is of another kind
    if type(told) is io.TextIOWrapper:
        sys.stdout = Output(
            told.buffer, told.encoding, "backslashreplace", None, told.line_buffering, told.write_through
        )
