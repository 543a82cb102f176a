"""Every reply of a model, kept on disk by what it was asked, so that a measurement that was killed loses one call.

A kept reply costs as many tokens as it did, and as much time: `saved` are the seconds that it took at first, which the
arms' clock adds.
"""

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bot.repair.ports import Clock, Model
from bot.repair.types import Completion, CompletionLimits, Message, Usage


def write_whole(path: Path, document: Mapping[str, Any]) -> None:
    """The whole document or nothing, whenever this is killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f"{path.name}.{os.getpid()}.half")
    half.write_text(json.dumps(document), encoding="utf-8")
    half.replace(path)


def read_whole(path: Path) -> dict[str, Any] | None:
    """What `write_whole` wrote, `None` where it did not."""
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return document


@dataclass
class CachedModel:
    """`Model` that asks another one only what was never asked before. Make one for each run of an arm.

    Samples without a seed of their own are told apart by how often this run has asked for the same.
    """

    model: Model
    directory: Path
    now: Callable[[], float] = time.monotonic
    saved: float = 0.0
    hits: int = 0
    calls: int = 0
    _asked: Counter[str] = field(default_factory=Counter)

    @property
    def name(self) -> str:
        """The other one's."""
        return self.model.name

    def complete(self, messages: tuple[Message, ...], limits: CompletionLimits) -> Completion:
        """As `bot.repair.ports.Model`. What fails is not kept."""
        self.calls += 1
        path = self.directory / f"{self._key(messages, limits)}.json"
        if kept := read_whole(path):
            self.hits += 1
            self.saved += kept["seconds"]
            return Completion(kept["text"], kept["finish_reason"], Usage(**kept["usage"]), kept["model"])
        begin = self.now()
        completion = self.model.complete(messages, limits)
        write_whole(path, {**asdict(completion), "seconds": self.now() - begin})
        return completion

    def _key(self, messages: tuple[Message, ...], limits: CompletionLimits) -> str:
        asked = json.dumps([self.name, [asdict(message) for message in messages], asdict(limits)])
        if limits.temperature > 0 and limits.seed is None:
            self._asked[asked] += 1
            asked += f" {self._asked[asked]}"
        return hashlib.sha256(asked.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class HonestClock:
    """Time as it would be had every reply been waited for."""

    clock: Clock
    models: tuple[CachedModel, ...]

    def now(self) -> float:
        """Seconds since the epoch, and those that were saved."""
        return self.clock.now() + sum(model.saved for model in self.models)
