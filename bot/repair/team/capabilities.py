"""What a model is good for, by its name: a small table that settings override value by value.

The classes follow what was published of edit formats and of retries (Aider's polyglot set; Exercism with
Qwen2.5-Coder of 0.5 to 32 B): small models copy whole functions and do not refine, so they are sampled afresh; what
does not pay for a class is off for it by default, never removed. A name that says nothing gets safe middle values.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.repair.editing.edits import Rung
from bot.repair.team.roles import Role


class Class(StrEnum):
    """How much a model can do."""

    SMALL = "small"
    MID = "mid"
    FRONTIER = "frontier"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """How one model is best asked.

    `context_tokens` is assumed where neither server nor settings say it. `prompt_tokens` and `reply_tokens` are the
    most that pay. `samples` are the diverse candidates of a round after the greedy one, `patience` is how many such
    rounds in a row may come no closer, `refine` whether a failed attempt is worth going on from. `search` tries single
    small changes before the model is asked. `lessons` tells a fresh candidate what earlier
    ones have shown; `self_debug` has values predicted and traced; `reflect` asks the model for lessons, which are plain
    facts otherwise. `plays` are the roles that it takes beside its own where they have none.
    """

    first_rung: Rung
    context_tokens: int
    prompt_tokens: int
    reply_tokens: int
    samples: int
    refine: bool
    patience: int
    search: bool
    lessons: bool
    self_debug: bool
    reflect: bool
    plays: frozenset[Role]


TABLE = {
    Class.SMALL: Capabilities(
        first_rung=Rung.FUNCTION,
        context_tokens=8192,
        prompt_tokens=4000,
        reply_tokens=1000,
        samples=4,
        refine=False,
        patience=4,
        search=True,
        lessons=False,
        self_debug=False,
        reflect=False,
        plays=frozenset({Role.TESTER}),
    ),
    Class.MID: Capabilities(
        first_rung=Rung.SEARCH_REPLACE,
        context_tokens=8192,
        prompt_tokens=16_000,
        reply_tokens=1500,
        samples=3,
        refine=True,
        patience=2,
        search=True,
        lessons=True,
        self_debug=False,
        reflect=True,
        plays=frozenset({Role.TESTER}),
    ),
    Class.FRONTIER: Capabilities(
        first_rung=Rung.SEARCH_REPLACE,
        context_tokens=128_000,
        prompt_tokens=32_000,
        # some of them think first, and that counts
        reply_tokens=8000,
        samples=2,
        refine=True,
        patience=2,
        search=True,
        lessons=True,
        self_debug=True,
        reflect=True,
        plays=frozenset({Role.TESTER, Role.REVIEWER}),
    ),
}
SMALL_BELOW, FRONTIER_FROM = 9.0, 100.0
"""Billions of parameters: one retry brought 5 points at 3 B, 6 at 7 B and 11 at 14 B."""
_EXPERTS = re.compile(r"(?<![a-z0-9.])(\d{1,2})x(\d{1,3}(?:\.\d{1,2})?)b(?![a-z0-9])")
_BILLIONS = re.compile(r"(?<![a-z0-9.])(\d{1,4}(?:\.\d{1,2})?)b(?![a-z0-9])")
_LESSER = re.compile(r"(?<![a-z])(?:mini|nano|lite|flash|haiku|small|tiny)(?![a-z])")
_LARGE = re.compile(
    r"(?<![a-z])(?:gpt-?[4-9]|o[1-9](?![a-z0-9])|opus|sonnet|gemini|grok|kimi-k\d|glm-[4-9]|mistral-large|"
    r"deepseek-(?:v[3-9]|r\d|chat|reasoner|coder-v[2-9]))"
)
MAX_NAME = 200


def classify(name: str) -> Class:
    """The class that a model's name tells: by its size where it says one, else by its family."""
    text = name[-MAX_NAME:].lower()
    sizes = [float(experts) * float(each) for experts, each in _EXPERTS.findall(text)]
    sizes += [float(size) for size in _BILLIONS.findall(text)]
    if sizes:
        largest = max(sizes)
        return Class.SMALL if largest < SMALL_BELOW else Class.FRONTIER if largest >= FRONTIER_FROM else Class.MID
    return Class.FRONTIER if _LARGE.search(text) and not _LESSER.search(text) else Class.MID


def assumed(name: str) -> Capabilities:
    """The table's row for a model of this name."""
    return TABLE[classify(name)]


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the operator decided instead of the table; `None` leaves it to the table."""

    kind: Class | None = None
    first_rung: Rung | None = None
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    samples: int | None = None
    refine: bool | None = None
    patience: int | None = None
    search: bool | None = None
    lessons: bool | None = None
    self_debug: bool | None = None
    reflect: bool | None = None
    plays: frozenset[Role] | None = None


def capabilities(name: str, overrides: Overrides | None = None) -> Capabilities:
    """How a model of this name is asked, as far as the operator decided nothing else."""
    wanted = overrides or Overrides()
    row = TABLE[wanted.kind or classify(name)]
    fields = (field for field in Overrides.__dataclass_fields__ if field != "kind")
    decided = {field: value for field in fields if (value := getattr(wanted, field)) is not None}
    return replace(row, **decided)
