"""Secrets out of text: each form of one's own, shapes of others', and nothing that is neither."""

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from secret_shapes import SHAPES

from bot.redaction import MASK, MOST_LEARNT, Redactor

SECRET = "s3cr/t+of the=worker"
PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "\n".join(c * 64 for c in "abc") + "\n-----END RSA PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode(),
        SECRET.encode().hex(),
        SECRET.encode().hex().upper(),
        quote(SECRET, safe=""),
        quote(SECRET, safe="").replace("%2F", "%2f").replace("%2B", "%2b").replace("%3D", "%3d"),
        "s3cr%2Ft%2Bof+the%3Dworker",
        json.dumps(SECRET)[1:-1],
    ],
)
def test_a_secret_is_concealed_in_every_form(form: str) -> None:
    assert Redactor([SecretStr(SECRET)]).conceal(f"a {form} b") == f"a {MASK} b"


@given(before=st.binary(max_size=40), after=st.binary(max_size=40))
def test_a_secret_is_concealed_inside_of_the_base64_of_anything(before: bytes, after: bytes) -> None:
    whole = before + SECRET.encode() + after
    for encoded in (base64.b64encode(whole), base64.urlsafe_b64encode(whole)):
        concealed = Redactor([SecretStr(SECRET)]).conceal(encoded.decode())
        assert MASK in concealed
        assert len(concealed) <= len(encoded) - len(SECRET) + len(MASK)


@given(text=st.text(max_size=200))
def test_text_without_a_secret_is_left_as_it_is(text: str) -> None:
    assert Redactor([SecretStr(SECRET)]).conceal(text) == text


def test_a_key_is_concealed_whole_escaped_and_line_by_line() -> None:
    redact = Redactor([SecretStr(PEM)])
    for shown in (PEM, json.dumps(PEM), *PEM.splitlines()[1:-1]):
        concealed = redact.conceal(shown)
        assert MASK in concealed
        assert not any(c * 32 in concealed for c in "abc")


@pytest.mark.parametrize("short", ["hunter2", "Ab3-x9", "key-4711", "correct horse"])
def test_a_short_key_is_concealed_as_a_word_and_encoded(short: str) -> None:
    redact = Redactor([SecretStr(short)])
    assert redact.conceal(f"key={short}; {short}.") == f"key={MASK}; {MASK}."
    assert redact.conceal(f"x{short}y") == f"x{short}y"
    encoded = base64.b64encode(short.encode()).decode()
    assert redact.conceal(f"Basic {encoded}") == (f"Basic {MASK}" if len(encoded) >= 16 else f"Basic {encoded}")


@pytest.mark.parametrize(
    "placeholder", ["lm-studio", "not-needed", "no-key-required", "none", "EMPTY", "ollama", "xxx", "x"]
)
def test_what_stands_for_no_key_stays(placeholder: str) -> None:
    text = f"docs/{placeholder}.md says {placeholder}"
    assert Redactor([SecretStr(placeholder)])(text) == text


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_what_looks_like_somebodys_secret_is_redacted(shape: str) -> None:
    assert Redactor()(f"left {shape} right") == f"left {MASK} right"


def test_a_secret_key_of_aws_is_redacted_by_the_name_before_it() -> None:
    key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    for before in (
        "aws_secret_access_key = ",
        "AWS_SECRET_ACCESS_KEY=",
        '"SecretAccessKey": "aws"; awsSecretAccessKey: "',
    ):
        assert Redactor()(before + key) == before + MASK


@pytest.mark.parametrize(
    "harmless",
    [
        "tests/test_task-force-management-system.py::test_sk",
        "risk-assessment-of-something-long",
        "the branch sk-learn-compatible-estimators",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "https://example.org/a:b/c",
        "<!-- regreen:subject=check-feature/task-list-of-everything -->",
        "assert token == 'abc'",
    ],
)
def test_what_is_no_secret_stays(harmless: str) -> None:
    assert Redactor()(harmless) == harmless


def test_a_token_that_is_learnt_later_is_concealed_from_then_on() -> None:
    redact, token = Redactor(), "v1.0123456789abcdef"
    assert redact.conceal(token) == token
    redact.learn(SecretStr(token))
    assert redact.conceal(token) == MASK
    assert redact.conceal(token.encode().hex()) == MASK


def test_of_many_tokens_the_oldest_is_forgotten_and_what_was_known_at_first_never() -> None:
    redact = Redactor([SecretStr(SECRET)])
    tokens = [f"token-number-{number:06}" for number in range(MOST_LEARNT + 1)]
    for token in tokens:
        redact.learn(SecretStr(token))
    assert redact.conceal(tokens[0]) == tokens[0]
    assert redact.conceal(f"{tokens[1]} {SECRET}") == f"{MASK} {MASK}"
