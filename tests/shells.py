"""Shells on a terminal of their own, typed into as a person would."""

import os
import pty
import re
import select
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

SECONDS = 90.0
_SEQUENCES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[()][A-Z0-9]|[=>78]|\][^\x07\x1b]*(?:\x07|\x1b\\))")


class Terminal:
    """A program on a pseudoterminal; `shown` is what it wrote, without what only moves and colours."""

    def __init__(self, argv: list[str], environ: Mapping[str, str], directory: Path) -> None:
        self._pid, self._fd = pty.fork()
        if not self._pid:
            os.chdir(directory)
            os.execve(argv[0], argv, dict(environ))  # noqa: S606 - a shell of this machine, with words of the test
        self._written = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.close(self._fd)
        os.waitpid(self._pid, 0)

    def type(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def until(self, text: str) -> str:
        """What is shown up to the first place where `text` is; what was shown before is gone."""
        deadline = time.monotonic() + SECONDS
        while (at := self.shown.find(text)) < 0:
            assert time.monotonic() < deadline, f"{text!r} is not in {self.shown!r}"
            if select.select([self._fd], [], [], 0.2)[0]:
                try:
                    self._written += os.read(self._fd, 65536)
                except OSError:
                    raise AssertionError(f"it ended with {self.shown!r}") from None
        found, self._written = self.shown[: at + len(text)], self.shown[at + len(text) :].encode()
        return found

    @property
    def shown(self) -> str:
        return _SEQUENCES.sub("", self._written.decode(errors="replace")).replace("\r", "")
