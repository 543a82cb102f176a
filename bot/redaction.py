"""Secrets out of text: those of this installation, in every form that a text may show, and what looks like one.

Pure but for the values that a `Redactor` learns while it is used: tokens are minted long after it was made.
"""

import base64
import json
import re
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote, quote_plus

from pydantic import SecretStr

MASK = "[redacted]"
LONG = 16
"""Characters from which a value is a secret wherever it stands; keys of vendors and webhook secrets are as long."""
SHORTEST = 6
"""A value below this is in any text, and no secret."""
SHORT_TEXT, MOST_TEXTS = 300, 20_000
"""Texts that are remembered with what came of them: test ids and file names come again with every run."""
MOST_LEARNT = 256
"""Tokens that are remembered; they live for an hour, and a worker needs a handful of each repository."""

_PLACEHOLDER = re.compile(
    r"(?:(?:an?|any|anything|api|apikey|changeme|cpp|default|demo|dummy|empty|example|fake|free|here|ignored|is|key|llama|"
    r"lm|local|localhost|my|na|needed|no|none|not|nothing|null|ollama|openai|placeholder|required|sample|sk|studio|test|"
    r"token|unused|value|vllm|x+|your)(?:[-_. ]+|$))+"
)
"""What servers without keys are given as one (`lm-studio`, `not-needed`) consists of these words."""

_BEGINS = r"(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))"
"""Where a word begins, also behind an escape: to try at every place inside of a long word is quadratic."""

_SHAPES: Final = re.compile(
    rf"""
      gh[pousr]_[A-Za-z0-9_]{{16,}}+(?:\.[A-Za-z0-9_-]{{8,}}+){{0,2}}        # GitHub tokens
    | github_pat_[A-Za-z0-9_]{{20,}}
    | {_BEGINS}eyJ[A-Za-z0-9_-]{{8,}}+\.[A-Za-z0-9_-]{{8,}}+\.[A-Za-z0-9_-]{{8,}}+   # JSON web tokens
    | {_BEGINS}sk-(?:[A-Za-z0-9]{{20,}}+[A-Za-z0-9_-]*+|(?=[A-Za-z_-]*+[0-9])[A-Za-z0-9_-]{{16,}}+)   # models' keys
    | {_BEGINS}[rs]k_(?:live|test)_[A-Za-z0-9]{{16,}}                        # Stripe
    | {_BEGINS}(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{{16}}                         # AWS
    | {_BEGINS}AIza[0-9A-Za-z_-]{{35}}                                      # Google
    | {_BEGINS}(?:glpat-[A-Za-z0-9_-]{{20}}|npm_[A-Za-z0-9]{{36}}|hf_[A-Za-z0-9]{{30,}}|pypi-AgE[A-Za-z0-9_-]{{40,}})
    | xox[abeoprs]-[A-Za-z0-9-]{{10,}} | xapp-[0-9]-[A-Za-z0-9-]{{10,}}      # Slack
    | (?<=hooks\.slack\.com/services/)[A-Za-z0-9/]{{20,100}}
    | -----BEGIN\ [A-Z ]{{0,40}}PRIVATE\ KEY(?:\ BLOCK)?-----.*?
      (?:-----END\ [A-Z ]{{0,40}}PRIVATE\ KEY(?:\ BLOCK)?-----|\Z)
    | (?<=://)[^/\s:@]{{0,200}}:[^/\s:@]{{1,200}}(?=@)                       # user:password in addresses
    | (?i:(?<=authorization:\ )(?:basic|bearer|token)\ \S+)
    """,
    re.VERBOSE | re.DOTALL,
)
_ASSIGNED = re.compile(
    r"(?i)(?P<name>aws_{0,1}secret_{0,1}access_{0,1}key[\"']?\s{0,3}[:=]\s{0,3}[\"']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"
)


class Redactor:
    """Replaces secrets in text. Safe to share between threads."""

    def __init__(self, secrets: Iterable[SecretStr] = ()) -> None:
        """Know these from the beginning and for ever."""
        self._own = _Values(secret.get_secret_value() for secret in secrets)
        self._learnt: deque[_Values] = deque(maxlen=MOST_LEARNT)
        self._done: dict[str, str] = {}
        self._lock = threading.Lock()

    def learn(self, secret: SecretStr) -> None:
        """Conceal this one too from now on; of many the oldest is forgotten."""
        found = _Values((secret.get_secret_value(),))
        with self._lock:
            self._learnt.append(found)
            self._done = {}

    def __call__(self, text: str) -> str:
        """The text without its secrets, and without what looks like one."""
        return _ASSIGNED.sub(rf"\g<name>{MASK}", _SHAPES.sub(MASK, self.conceal(text)))

    def conceal(self, text: str) -> str:
        """The text without the exact secrets; what only looks like one stays, since a test's name or a path may."""
        with self._lock:
            known, done = (self._own, *self._learnt), self._done
        if text in done:
            return done[text]
        concealed = text
        for values in known:
            concealed = values.concealed(concealed)
        if len(text) <= SHORT_TEXT and len(done) < MOST_TEXTS:
            done[text] = concealed
        return concealed


def redactor(secrets: Iterable[SecretStr]) -> Redactor:
    """A redactor for these secrets."""
    return Redactor(secrets)


class _Values:
    """All forms of some secrets, the longest first; short ones are found as whole words alone."""

    def __init__(self, values: Iterable[str]) -> None:
        forms: set[str] = set()
        words: set[str] = set()
        for value in values:
            if len(value) >= LONG:
                forms.update(_forms(value))
            elif len(value) >= SHORTEST and not _PLACEHOLDER.fullmatch(value.lower()):
                words.add(value)
                forms.update(form for form in _encoded(value) if len(form) >= LONG)
        self._forms = tuple(sorted(forms, key=len, reverse=True))
        anyone = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
        self._words = re.compile(rf"(?<![A-Za-z0-9])(?:{anyone})(?![A-Za-z0-9])") if words else None

    def concealed(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, MASK)
        return self._words.sub(MASK, text) if self._words else text


def _forms(value: str) -> Iterator[str]:
    """A long secret in each form; what has lines, a key, also line by line."""
    yield value
    # as git's and HTTP's basic authentication show a token
    yield base64.b64encode(f"x-access-token:{value}".encode()).decode()
    yield from _encoded(value)
    yield from _inside_base64(value)
    lines = value.splitlines()
    if len(lines) > 1:
        yield from (line for line in lines if len(line) >= LONG and not line.startswith("-----"))


def _encoded(value: str) -> Iterator[str]:
    data = value.encode()
    yield base64.b64encode(data).decode()
    yield base64.urlsafe_b64encode(data).decode()
    yield data.hex()
    yield data.hex().upper()
    yield json.dumps(value)[1:-1]
    for escaped in (quote(value, safe=""), quote_plus(value)):
        yield escaped
        yield re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), escaped)


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
