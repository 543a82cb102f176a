"""Has an observer look at pytest's tests; `pytest_start.py` imports it from beside itself and registers `Observer`."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent


class Observer:
    """Looks at each test's set-up and call, and has no new test run once the time is over."""

    def __init__(self, told: dict[str, Any]) -> None:
        """`told` is what `observer.watch` takes."""
        spec: Any = importlib.util.spec_from_file_location("regreen_watch", HERE / "observer.py")
        module: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.watch = module.watch(told)
        self.session: Any = None

    def pytest_sessionstart(self, session: Any) -> None:
        """Remember what can be stopped."""
        self.session = session

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_setup(self) -> Iterator[None]:
        """Fixtures call functions, too."""
        self.watch.start()
        yield
        self.watch.stop()

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        """The test itself."""
        self.watch.start()
        yield
        self.watch.stop()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Write what was seen of this test."""
        self.watch.finish(nodeid)
        if self.session is not None and self.watch.over:
            self.session.shouldstop = "observed for long enough"
