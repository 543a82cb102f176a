"""How long a prompt may be: within a model's context by construction, and shorter as soon as its server says so."""

import math
import re
import string
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from itertools import count

from bot.errors import ContextOverflowError
from bot.repair.ports import Journal, Model
from bot.repair.team.facts import Facts, ModelFacts
from bot.repair.team.roles import Models, Role
from bot.repair.types import Completion, CompletionLimits, Message, Usage

PER_MESSAGE = 8
"""What a chat template adds to each message."""
MARGIN = 64
"""What it adds to a chat: a system text of its own, mostly."""
MIN_PROMPT = 500
MIN_CONTEXT = 512
LEAST_FULL = 2000
"""Tokens of a call below which a reply that ended early says nothing of the context: no server has so little."""
MAX_SHRINKS = 3
THOUGHT = (0, 2000, 8000)
"""Tokens beside an answer for what is thought first; more, once a model had none left for its answer."""
BYTES_PER_TOKEN = 4
PROPORTIONAL = 5
_SMALL = (string.ascii_lowercase + "_").encode()
_CAPITAL = string.ascii_uppercase.encode()
_RUN = re.compile(r"[A-Za-z0-9+/=]{25,}")
"""Keys, digests, encoded bytes: no words, so that a token is little more than a letter of them."""
_ALONE = re.compile(rb" (?=[0-9])")
_FOREIGN = bytes(range(0x80, 0x100))
_TOLD = re.compile(
    r"context (?:length|size|window|limit)\D{0,30}?(\d{3,8})|(\d{3,8}) maximum context|n_ctx\D{0,5}(\d{3,8})"
    r"|must be <= (\d{3,8})|> (\d{3,8}) maximum",
    re.IGNORECASE,
)

Build = Callable[[int], tuple[Message, ...]]
"""Bytes of UTF-8 → a prompt of at most so many. Raises `ContextOverflowError` where its fixed part alone is longer."""


def tokens(text: str) -> int:
    """What a text takes at the worst that is usual: never less than was counted on code, prose, tables and logs.

    Measured with a tokeniser that splits digits (Qwen2.5's) on 70 files of many kinds: 1.0 to 1.4 times its count, and
    twice that for scripts other than Latin. Where a rare text takes more all the same, the server says so, see `ask`.
    """
    runs = sum(map(len, _RUN.findall(text)))
    data = _RUN.sub("", text).encode("utf-8", "surrogatepass")
    small = len(data) - len(data.translate(None, _SMALL))
    capital = len(data) - len(data.translate(None, _CAPITAL))
    foreign = len(data) - len(data.translate(None, _FOREIGN))
    blanks, alone = data.count(b" "), len(_ALONE.findall(data))
    # digits, marks and line breaks, one by one, and blanks that a digit follows
    single = len(data) - small - capital - foreign - blanks + alone
    return math.ceil(0.9 * runs + small / 4 + capital / 2 + (blanks - alone) / 12 + 0.4 * foreign + single)


def estimate(messages: tuple[Message, ...]) -> int:
    """What a prompt takes at the worst, its template included."""
    return sum(tokens(message.content) + PER_MESSAGE for message in messages)


class Room:
    """What one model's context leaves to prompt and reply, as far as this run knows. A replay learns the same again."""

    def __init__(self, facts: ModelFacts) -> None:
        """From what settings and server say."""
        self._context = facts.context_tokens
        self._reply = facts.reply_tokens
        self._prompt = min(facts.context_tokens - facts.reply_tokens - MARGIN, facts.can.prompt_tokens)
        self._shrinks = 0
        self._thinks = 0

    @property
    def prompt(self) -> int:
        """The most tokens of a prompt, by `estimate`."""
        return self._prompt

    @property
    def reply(self) -> int:
        """The most tokens of an answer."""
        return self._reply

    def limit(self, prompt: tuple[Message, ...], answer: int | None = None) -> int:
        """The most tokens of a reply to this prompt: an answer of at most so many, and what is thought before it."""
        wanted = min(answer or self._reply, self._reply)
        left = self._context - estimate(prompt) - MARGIN
        return max(wanted, min(wanted + THOUGHT[self._thinks], left))

    def think(self) -> bool:
        """Leave more for what is thought before an answer, if need be in the prompt's place; `False` without more."""
        if self._thinks + 1 == len(THOUGHT) or self._prompt // 2 < MIN_PROMPT:
            return False
        self._thinks += 1
        left = self._context - self._reply - THOUGHT[self._thinks] - MARGIN
        self._prompt = min(self._prompt, max(left, self._prompt // 2))
        return True

    def fit(self, build: Build) -> tuple[Message, ...]:
        """The longest prompt of this builder that takes at most `prompt` tokens.

        Raises `ContextOverflowError` when there is no room for anything but its fixed part.
        """
        limit = self._prompt * BYTES_PER_TOKEN
        for tries in count():
            messages = build(limit)
            taken = estimate(messages)
            if taken <= self._prompt:
                return messages
            written = sum(len(message.content.encode("utf-8", "surrogatepass")) for message in messages)
            least = min(limit, written)
            # first in proportion, then by what is too much: each step is smaller than the last
            above = BYTES_PER_TOKEN * (taken - self._prompt)
            limit = least * self._prompt // taken if tries < PROPORTIONAL else least - above
            if limit <= 0:
                break
        raise too_small(self._prompt)

    def shrink(self, refused: tuple[Message, ...], context: int | None = None) -> bool:
        """Make less room than a refused prompt took; half of it, unless `context` tells how much there is.

        `False` when there is no smaller room that would be worth asking with.
        """
        if self._shrinks == MAX_SHRINKS:
            return False
        self._shrinks += 1
        asked = estimate(refused)
        if context is not None and MIN_CONTEXT <= context < self._context:
            self._context = context
            self._reply = min(self._reply, context // 3)
            self._prompt = min(self._prompt, context - self._reply - MARGIN, asked * 3 // 4)
        else:
            self._prompt = min(self._prompt, asked // 2)
            self._reply = min(self._reply, max(self._prompt, MIN_CONTEXT // 2))
        return self._prompt >= MIN_PROMPT


def too_small(room: int) -> ContextOverflowError:
    """The error for a context that not even the fixed part of a prompt fits into."""
    return ContextOverflowError(
        f"The model's context leaves a prompt {max(room, 0)} tokens, which is too little to ask for anything",
        "Use a model with a context of 4,096 tokens or more, or lower REGREEN_MAX_REPLY_TOKENS.",
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, to what."""

    completion: Completion
    prompt: tuple[Message, ...]
    limits: CompletionLimits

    @property
    def text(self) -> str:
        """The reply."""
        return self.completion.text


@dataclass(frozen=True, slots=True)
class Asker:
    """One role's model with its room and the temperature of its first answer. Build one for each run.

    With a `journal`, what is asked and answered is an event `consulted`, which says for what `purpose`.
    """

    model: Model
    room: Room
    temperature: float = 0.0
    journal: Journal | None = None
    purpose: str = ""

    def aloud(self, journal: Journal, purpose: str) -> "Asker":
        """The same one, whose every answer is in the log: for those whose askers do not write it down themselves."""
        return replace(self, journal=journal, purpose=purpose)

    def ask(
        self, build: Build, *, reply: int | None = None, temperature: float | None = None, seed: int | None = None
    ) -> Answer:
        """Ask with the longest prompt that fits; when the server has less room than was thought, with a shorter one.

        `reply` is the most tokens of the answer, where less than the room's is enough; a model that has used them up
        before its first word gets more. The completion's usage is that of all tries that were answered. Raises
        `ModelError`, of which `ContextOverflowError` says that no prompt fits.
        """
        warmth = self.temperature if temperature is None else temperature
        refused: ContextOverflowError | None = None
        spent = Usage()
        while True:
            prompt = self._fit(build, refused)
            limits = CompletionLimits(self.room.limit(prompt, reply), warmth, seed)
            try:
                completion = self.model.complete(prompt, limits)
            except ContextOverflowError as error:
                if not self.room.shrink(prompt, _told(error.cause)):
                    raise
                refused = error
                continue
            spent += completion.usage
            if not self._is_to_be_asked_again(completion, limits, prompt):
                answer = Answer(replace(completion, usage=spent), prompt, limits)
                self._note(answer)
                return answer

    def _note(self, answer: Answer) -> None:
        if self.journal is None:
            return
        completion, limits = answer.completion, answer.limits
        fields = {
            "purpose": self.purpose,
            "model": completion.model,
            "prompt": [asdict(message) for message in answer.prompt],
            "reply": completion.text,
            "finish_reason": completion.finish_reason,
            "temperature": limits.temperature,
            **asdict(completion.usage),
        }
        self.journal.append("consulted", fields)

    def _fit(self, build: Build, refused: ContextOverflowError | None) -> tuple[Message, ...]:
        """The longest prompt that fits; where none does, what the server said is the better reason."""
        try:
            return self.room.fit(build)
        except ContextOverflowError as error:
            raise (refused or error) from None

    def _is_to_be_asked_again(
        self, completion: Completion, limits: CompletionLimits, prompt: tuple[Message, ...]
    ) -> bool:
        """Whether there is no answer, and more room for one, be it in the reply or in the context."""
        if self._was_full(completion, limits, prompt):
            return not completion.text.strip()
        thought = completion.finish_reason == "length" and not completion.text
        return thought and self.room.think()

    def _was_full(self, completion: Completion, limits: CompletionLimits, prompt: tuple[Message, ...]) -> bool:
        """Whether the context ended before the reply did, so that there is less room from now on."""
        usage = completion.usage
        if completion.finish_reason != "length" or usage.completion_tokens >= limits.max_tokens * 9 // 10:
            return False
        if usage.estimated or usage.tokens < LEAST_FULL:
            # such figures say nothing of the context, and only an empty reply does
            return not completion.text.strip() and self.room.shrink(prompt)
        return self.room.shrink(prompt, usage.tokens)


def asker(models: Models, facts: Facts, role: Role) -> Asker | None:
    """Whoever plays this role, `None` where it is off."""
    model, bound = models.of(role), facts.of(role)
    return None if model is None else Asker(model, Room(bound), bound.temperature)


def _told(cause: str) -> int | None:
    """The context that a server names in what it says of an overflow."""
    found = _TOLD.search(cause)
    return int(next(filter(None, found.groups()))) if found else None
