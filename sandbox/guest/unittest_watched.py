"""What unittest lets pass though it did not run, a random order, an observer; loaded before the repository is."""

from __future__ import annotations

import importlib.util
import inspect
import random
import sys
import unittest
from pathlib import Path
from typing import Any

STOP: Any = vars(unittest.case)["_ShouldStop"]
__unittest = True  # unittest cuts a trace at the first of its own frames that comes after a stranger's


def watched(test: Any, method: Any) -> Any:
    """The method; one that stops as a subtest does, or returns what nobody will run, raises `TypeError`."""
    isolated = isinstance(test, unittest.IsolatedAsyncioTestCase)
    awaited = isolated and inspect.iscoroutinefunction(method)

    def checked(stop: Any, found: Any = None) -> Any:
        waits = inspect.isawaitable(found) and (not isolated or sys.version_info >= (3, 11))
        if stop and not getattr(getattr(test, "_outcome", None), "expectedFailure", None):
            raise TypeError("It never came to its end, and no subtest failed.") from None
        if inspect.isgenerator(found) or inspect.isasyncgen(found) or waits:
            raise TypeError("It never ran: " + type(test).__name__ + " runs nothing that is async, nor generators.")
        return found

    async def wait() -> Any:
        try:
            return await method()
        except STOP as stop:
            checked(stop)
            raise

    def call() -> Any:
        try:
            return checked(None, method())
        except STOP as stop:
            checked(stop)
            raise

    return wait if awaited else call


def shuffle(suite: Any, seed: int) -> None:
    """Modules in the random order of the seed, classes within each, tests within those, so that set-ups stay."""
    order = random.Random(seed)

    def mix(suite: Any) -> None:
        if isinstance(suite, unittest.BaseTestSuite):
            parts: list[Any] = list(suite)
            order.shuffle(parts)
            suite._tests = parts  # noqa: SLF001 (no other way)
            for part in parts:
                mix(part)

    mix(suite)


def observe(record: Any, recorder: Any) -> None:
    """Have an observer look at each test, where the selection names one."""
    told = record.selection.get("observer")
    if told is None:
        return
    spec: Any = importlib.util.spec_from_file_location("regreen_watch", Path(__file__).parent / "observer.py")
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    watch, start, stop = module.watch(told), recorder.startTest, recorder.stopTest

    def starts(result: Any, test: Any) -> None:
        start(result, test)
        watch.start()

    def stops(result: Any, test: Any) -> None:
        watch.stop()
        stop(result, test)
        watch.finish(record.names.get(id(test), ""))
        result.shouldStop = result.shouldStop or watch.over

    recorder.startTest, recorder.stopTest = starts, stops
