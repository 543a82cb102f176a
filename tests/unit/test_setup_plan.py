"""What `regreen setup` refuses before it opens a page, and what helps."""

import pytest

from bot.commands.setup_plan import Plan, require
from bot.errors import ConfigurationError
from bot.settings import Settings

CLOUD = Settings(github_url="https://github.com")
OWN = Settings(github_url="https://github.acme.example", smee_site="https://smee.acme.example")
URL = "https://regreen.example"


WRONG = ["nonsense", "http://foo", "http://regreen.example", "https://", "https://u:p@a.example", "https://@a.example"]
BROKEN = [
    "https://a.example?q=1",
    "https://a.example#f",
    "https://[::1",
    "https://a.example:99999",
    "https://a b.example",
]


@pytest.mark.parametrize("url", [*WRONG, *BROKEN])
def test_a_url_that_is_no_https_address_is_refused_with_an_example(url: str) -> None:
    with pytest.raises(ConfigurationError, match="no https address") as caught:
        require(Plan("R", public_url=url), CLOUD)
    assert "https://regreen.example" in caught.value.remedy


HIDDEN = ["localhost", "a.localhost", "printer.local", "host", "127.0.0.1", "10.1.2.3", "[::1]", "0x7f.1", "2130706433"]


@pytest.mark.parametrize("host", [*HIDDEN, "169.254.169.254", "localhost.", "a..example", "-a.example", "api.internal"])
def test_a_host_that_github_cannot_reach_is_refused_and_a_channel_named(host: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot reach the host") as caught:
        require(Plan("R", public_url=f"https://{host}"), CLOUD)
    assert "--smee new" in caught.value.remedy


@pytest.mark.parametrize("url", [URL, f"{URL}:8443/bots/regreen", "https://8.8.8.8", "https://xn--bcher-kva.example"])
def test_a_public_address_is_taken(url: str) -> None:
    require(Plan("R", public_url=url), CLOUD)


def test_a_server_of_ones_own_may_be_reached_in_ones_own_network() -> None:
    require(Plan("R", public_url="https://regreen.acme.internal"), OWN)
    require(Plan("R", public_url="https://10.1.2.3"), OWN)


SITE = "https://smee.io"
STRANGE = ["https://evil.example/x", f"{SITE}.evil.example/x", SITE, f"{SITE}/", f"{SITE}/a/b", f"{SITE}/a?b"]


@pytest.mark.parametrize("url", [*STRANGE, "https://smee.io@evil.example/x", "http://smee.io/x", "nonsense"])
def test_a_channel_lies_at_the_site_of_the_settings(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"no channel of https://smee\.io") as caught:
        require(Plan("R", smee_url=url), CLOUD)
    assert "REGREEN_SMEE_SITE" in caught.value.remedy
    require(Plan("R", smee_url=f"{SITE}/AbC-d_1"), CLOUD)
    require(Plan("R", smee_url="https://smee.acme.example/AbC"), OWN)


@pytest.mark.parametrize("organization", ["a b", "-a", "a/b", "a_b", "a" * 40, "a\n", "ä"])
def test_an_organization_is_a_login(organization: str) -> None:
    with pytest.raises(ConfigurationError, match="no login"):
        require(Plan("R", organization, URL), CLOUD)
    require(Plan("R", "acme-9", URL), CLOUD)
