import base64
import time

import pytest
from pydantic import SecretStr

from bot.log import MASK, redactor
from bot.settings import MIN_SECRET_LENGTH

SECRET = SecretStr("s3cret-value-of-the-webhook")


@pytest.mark.parametrize(
    "leak",
    [
        SECRET.get_secret_value(),
        base64.b64encode(SECRET.get_secret_value().encode()).decode(),
        base64.b64encode(f"x-access-token:{SECRET.get_secret_value()}".encode()).decode(),
        "ghs_0123456789abcdefABCDEF",
        "github_pat_0123456789abcdefABCDEF_x",
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0In0.c2lnbmF0dXJlLWhlcmU",
        "sk-proj-0123456789abcdef",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_secrets_are_redacted_by_value_and_by_shape(leak: str) -> None:
    assert redactor([SECRET])(f"before {leak} after") == f"before {MASK} after"


def test_credentials_in_addresses_are_redacted() -> None:
    assert redactor([])("https://x-access-token:abc@host/o/r") == f"https://{MASK}@host/o/r"


def test_an_authorization_header_is_redacted() -> None:
    assert MASK in redactor([])("Authorization: Basic dXNlcjpwYXNz")


def test_a_placeholder_that_stands_for_no_secret_redacts_nothing() -> None:
    redact = redactor((SecretStr("x"), SecretStr("none")))
    assert redact("next: none of the boxes") == "next: none of the boxes"


@pytest.mark.parametrize("placeholder", ["lm-studio", "not-needed", "no-key-required"])
def test_the_placeholders_of_local_model_servers_stay_in_paths(placeholder: str) -> None:
    path = f"docs/{placeholder}.md"
    assert redactor((SecretStr(placeholder),))(path) == path


def test_the_shortest_webhook_secret_that_is_taken_is_redacted() -> None:
    shortest = "s" * MIN_SECRET_LENGTH
    assert redactor((SecretStr(shortest),))(f"a {shortest} b") == f"a {MASK} b"


def test_exact_secrets_are_concealed_and_shapes_are_not() -> None:
    looks, secret = "sk-" + "a" * 24, "hunter2-and-then-some"
    redact = redactor((SecretStr(secret),))
    assert redact.conceal(f"{looks} {secret}") == f"{looks} {MASK}"
    assert redact(f"{looks} {secret}") == f"{MASK} {MASK}"


def test_an_empty_secret_redacts_nothing() -> None:
    assert redactor([SecretStr("")])("plain text") == "plain text"


@pytest.mark.parametrize("before", ["", " ", "=", "%20", "\\n", '"'])
def test_a_token_is_found_behind_what_logs_put_before_it(before: str) -> None:
    token = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0In0.c2lnbmF0dXJlLWhlcmU"
    assert redactor([])(f"x{before or ' '}{token}").endswith(MASK)


@pytest.mark.parametrize(
    "part",
    [
        "eyJ",
        "eyJaaaaaaaa.",
        "-----BEGIN A",
        "://a:",
        "sk-",
        "github_pat_",
        "ghp_",
        "sk-a1-",
        "xoxb-",
        "aws_secret_access_key=",
    ],
)
def test_time_grows_with_the_text_and_not_with_its_square(part: str) -> None:
    def seconds(size: int) -> float:
        times = []
        for _ in range(3):
            started = time.process_time()
            redactor([])(part * size)
            times.append(time.process_time() - started)
        return min(times)

    assert seconds(64_000) < 200 * max(seconds(2_000), 1e-4)
