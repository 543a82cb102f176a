"""Secrets out of text: those of this installation, in every form that a text may show, and what looks like one.

Pure but for the values that a `Redactor` learns while it is used: tokens are minted long after it was made.
"""

import base64
import json
import re
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, quote_plus

from pydantic import SecretStr

MASK = "[redacted]"
LONG = 16
"""Characters from which a value is a secret wherever it stands; keys of vendors and webhook secrets are as long."""
START = 8
"""Characters at the start of a form by which it is looked for in texts of up to `LONG_TEXT`; above, form by form."""
LONG_TEXT = 5_000
SHORTEST = 6
"""A value below this is in any text, and no secret."""
SHORT_TEXT, MOST_TEXTS = 300, 20_000
"""Texts that are remembered with what came of them: test ids and file names come again with every run."""
MOST_LEARNT = 256
"""Tokens that are remembered; they live for an hour, and a worker needs a handful of each repository."""

ESCAPED = re.compile(r"([\\`*_{}\[\]()#+!|~>-])")
"""What stands behind a backslash where Markdown is to show it as it is."""
_PLACEHOLDER = re.compile(
    r"(?:(?:an?|any|anything|api|apikey|changeme|cpp|default|demo|dummy|empty|example|fake|free|here|ignored|is|key|llama|"
    r"lm|local|localhost|my|na|needed|no|none|not|nothing|null|ollama|openai|placeholder|required|sample|sk|studio|test|"
    r"token|unused|value|vllm|x+|your)(?:[-_. ]+|$))+"
)
"""What servers without keys are given as one (`lm-studio`, `not-needed`) consists of these words."""


def _word(start: str, rest: str) -> str:
    """A word that starts so, which is looked at behind its start: a pattern that begins with letters is found fast.

    It may follow an escape. To try at every place inside of a long word would be quadratic.
    """
    found = re.escape(start)
    begins = (rf"(?<![A-Za-z0-9_-]{found})", rf"(?<=%[0-9A-Fa-f]{{2}}{found})", rf"(?<=\\[nrt]{found})")
    return rf"{found}(?:{'|'.join(begins)}){rest}"


_END = r"(?![A-Za-z0-9/+])"
_KEY = r"PRIVATE KEY(?: BLOCK)?-----"
_SHAPES: Final = tuple(
    (marker, re.compile(pattern, re.DOTALL))
    for marker, pattern in (
        ("gh", r"gh[pousr]_[A-Za-z0-9_]{16,}+(?:\.[A-Za-z0-9_-]{8,}+){0,2}"),
        ("github_pat_", r"github_pat_[A-Za-z0-9_]{20,}"),
        ("eyJ", _word("eyJ", r"[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+")),
        ("sk-", _word("sk-", r"(?:[A-Za-z0-9]{20,}+[A-Za-z0-9_-]*+|(?=[A-Za-z_-]*+[0-9])[A-Za-z0-9_-]{16,}+)")),
        ("sk_", _word("sk_", r"(?:live|test)_[A-Za-z0-9]{16,}")),
        ("rk_", _word("rk_", r"(?:live|test)_[A-Za-z0-9]{16,}")),
        ("AKIA", _word("AKIA", r"[0-9A-Z]{16}")),
        ("ASIA", _word("ASIA", r"[0-9A-Z]{16}")),
        ("AIza", _word("AIza", r"[0-9A-Za-z_-]{35}")),
        ("glpat-", _word("glpat-", r"[A-Za-z0-9_-]{20}")),
        ("npm_", _word("npm_", r"[A-Za-z0-9]{36}")),
        ("hf_", _word("hf_", r"[A-Za-z0-9]{30,}")),
        ("pypi-AgE", _word("pypi-AgE", r"[A-Za-z0-9_-]{40,}")),
        ("xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
        ("xapp-", r"xapp-[0-9]-[A-Za-z0-9-]{10,}"),
        ("slack.com", r"(?P<kept>slack\.com/services/)[A-Za-z0-9/]{20,100}"),
        ("-----BEGIN", rf"-----BEGIN [A-Z ]{{0,40}}{_KEY}.*?(?:-----END [A-Z ]{{0,40}}{_KEY}|\Z)"),
        ("://", r"(?P<kept>://)[^/\s:@]{0,200}:[^/\s:@]{1,200}(?=@)"),
        ("", r"(?i:(?P<kept>authorization: )(?:basic|bearer|token) \S+)"),
        (
            "",
            rf"(?i:(?P<kept>secret_{{0,1}}access_{{0,1}}key[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?)[A-Za-z0-9/+]{{40}}){_END}",
        ),
    )
)
"""What is in each text that holds such a thing, and the thing; `kept` is a part that stays, as of `://user:password@`."""


class Redactor:
    """Replaces secrets in text. Safe to share between threads."""

    def __init__(self, secrets: Iterable[SecretStr] = ()) -> None:
        """Know these from the beginning and for ever."""
        self._own = _Forms.of(secret.get_secret_value() for secret in secrets)
        self._learnt: deque[_Forms] = deque(maxlen=MOST_LEARNT)
        self._known = _Known(self._own)
        self._lock = threading.Lock()

    def learn(self, secret: SecretStr) -> None:
        """Conceal this one too from now on; of many the oldest is forgotten."""
        found = _Forms.of((secret.get_secret_value(),))
        with self._lock:
            self._learnt.append(found)
            self._known = _Known(self._own.together(self._learnt))

    def __call__(self, text: str) -> str:
        """The text without its secrets, and without what looks like one."""
        return without_shapes(self.conceal(text))

    def conceal(self, text: str) -> str:
        """The text without the exact secrets; what only looks like one stays, since a test's name or a path may."""
        return self._known.concealed(text)


def redactor(secrets: Iterable[SecretStr]) -> Redactor:
    """A redactor for these secrets."""
    return Redactor(secrets)


def without_shapes(text: str) -> str:
    """The text without what looks like somebody's secret. Pure; a text that is escaped or cut comes here before."""
    for marker, pattern in _SHAPES:
        if marker in text:
            text = pattern.sub(_masked, text)
    return text


def _masked(found: re.Match[str]) -> str:
    return f"{found['kept']}{MASK}" if found.lastgroup else MASK


@dataclass(frozen=True, slots=True)
class _Forms:
    """What is looked for: forms wherever they stand, and whole words."""

    forms: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()

    @classmethod
    def of(cls, values: Iterable[str]) -> "_Forms":
        """Those of these secrets; a short one is a word, and one that stands for no secret is nothing."""
        forms: set[str] = set()
        words: set[str] = set()
        for value in values:
            if len(value) >= LONG:
                forms.update(_forms(value))
            elif len(value) >= SHORTEST and not _PLACEHOLDER.fullmatch(value.lower()):
                words.update((value, _in_prose(value)))
                forms.update(form for form in _encoded(value) if len(form) >= LONG)
        return cls(frozenset(forms), frozenset(words))

    def together(self, others: Iterable["_Forms"]) -> "_Forms":
        """All of them."""
        every = (self, *others)
        return _Forms(frozenset().union(*(x.forms for x in every)), frozenset().union(*(x.words for x in every)))


class _Known:
    """Finds forms, the longest first, and remembers short texts."""

    def __init__(self, sought: _Forms) -> None:
        self._forms = tuple(sorted(sought.forms, key=len, reverse=True))
        self._starts = frozenset(form[:START] for form in self._forms)
        anyone = "|".join(re.escape(word) for word in sorted(sought.words, key=len, reverse=True))
        self._words = re.compile(rf"(?<![A-Za-z0-9])(?:{anyone})(?![A-Za-z0-9])") if anyone else None
        self._done: dict[str, str] = {}

    def concealed(self, text: str) -> str:
        if text in self._done:
            return self._done[text]
        concealed = self._without(text)
        if len(text) <= SHORT_TEXT and len(self._done) < MOST_TEXTS:
            self._done[text] = concealed
        return concealed

    def _without(self, text: str) -> str:
        if len(text) > LONG_TEXT or self._begins_in(text):
            for form in self._forms:
                text = text.replace(form, MASK)
        return self._words.sub(MASK, text) if self._words else text

    def _begins_in(self, text: str) -> bool:
        """Whether any form can be in a text, in one pass however many forms there are."""
        places = range(len(text) - START + 1)
        return not self._starts.isdisjoint(text[place : place + START] for place in places)


def _forms(value: str) -> Iterator[str]:
    """A long secret in each form; what has lines, a key, also line by line."""
    yield value
    # as git's and HTTP's basic authentication show a token
    yield base64.b64encode(f"x-access-token:{value}".encode()).decode()
    yield from _encoded(value)
    yield from _inside_base64(value)
    lines = value.splitlines()
    for line in lines if len(lines) > 1 else ():
        if len(line) >= LONG and not line.startswith("-----"):
            yield from _forms(line)


def _encoded(value: str) -> Iterator[str]:
    data = value.encode()
    yield base64.b64encode(data).decode()
    yield base64.urlsafe_b64encode(data).decode()
    yield data.hex()
    yield data.hex().upper()
    yield json.dumps(value)[1:-1]
    yield _in_prose(value)
    for escaped in (quote(value, safe=""), quote_plus(value)):
        yield escaped
        yield re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), escaped)


def _in_prose(value: str) -> str:
    """As Markdown that shows exactly its characters has it, see `bot.pipeline.reports.markdown.inline`."""
    return ESCAPED.sub(r"\\\1", value)


def _inside_base64(value: str) -> Iterator[str]:
    """What the base64 of a longer text shows of the value, whatever stands before and behind it.

    Three bytes are four characters, so there are three ways; the characters at either end that a neighbour has a part
    in are left out.
    """
    data = value.encode()
    for before in range(3):
        first = -(-before * 8 // 6)
        last = (before + len(data)) * 8 // 6
        whole = base64.b64encode(bytes(before) + data).decode()[first:last]
        yield whole
        yield whole.replace("+", "-").replace("/", "_")
