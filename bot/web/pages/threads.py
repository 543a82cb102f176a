"""Threads of their own for what takes long: drawing a large run waits for another one, and never a webhook for it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class Threads:
    """At most so many; what is given to them beyond that waits its turn."""

    def __init__(self, most: int) -> None:
        """None is begun before there is something to do."""
        self._pool = ThreadPoolExecutor(most, "pages")

    async def run(self, call: Callable[..., T], *given: object) -> T:
        """What a call comes to."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, call, *given)
