"""GitHub elsewhere, by one setting: the stand-in has its paths as GitHub Enterprise Server has them."""

from pathlib import Path

from github_worlds import Keys, StandInWorld
from pydantic import SecretStr

from bot.adapters.github import InstallationTokens
from bot.adapters.github.app_facts import facts, installations
from bot.demo.stage import connection
from bot.demo.stand_in import StandIn
from bot.settings import Settings


def test_rest_is_found_from_the_web_address_alone() -> None:
    keys = Keys.make()
    with StandIn(StandInWorld.config(keys)) as running:
        world = StandInWorld(running, keys)
        settings = Settings(github_url=running.base_url)
        assert settings.github_api_url == running.api_url
        tokens = InstallationTokens(world.state.app.id, SecretStr(keys.private), settings.github_api_url)
        assert facts(tokens).slug == world.state.app.slug
        assert [one.account for one in installations(tokens)] == ["owner"]


def test_the_demo_is_connected_by_that_setting_too() -> None:
    given = connection(Path("/nowhere"), "http://127.0.0.1:1", "http://127.0.0.1:2")
    assert given["REGREEN_GITHUB_URL"] == "http://127.0.0.1:1"
    assert not given["REGREEN_GITHUB_API_URL"]
