"""The doctor's look at GitHub: the App against what is needed, its webhook, its last deliveries, the clocks."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from bot.adapters.github import app_facts, needs
from bot.adapters.github.app import RestApp
from bot.adapters.github.app_facts import Installed
from bot.adapters.github.tokens import InstallationTokens
from bot.commands.checks import Check, State, judged
from bot.errors import GitHubError, GitHubUnavailableError
from bot.pipeline.ports.app import Attempt
from bot.settings import Settings

DAYS = 3
MOST_ATTEMPTS = 1000
MOST_NAMED = 10
SKEW_SECONDS = 30.0
"""Half of what makes GitHub refuse a claim."""
UNAUTHORIZED = 401


@dataclass(frozen=True, slots=True)
class Site:
    """GitHub as the App with these credentials sees it."""

    settings: Settings
    tokens: InstallationTokens

    def checks(self) -> Iterator[Check]:
        """Every check; without an answer from GitHub, only that is told."""
        yield self._clock()
        try:
            found = app_facts.facts(self.tokens)
            yield from self._app(found)
            yield from self._installations(app_facts.installations(self.tokens))
            yield from self._webhook(app_facts.hook_url(self.tokens))
            yield self._deliveries()
        except GitHubUnavailableError as error:
            # GitHub's own trouble is nothing to repair here
            yield Check("GitHub", State.OPEN, error.cause, error.remedy)
        except GitHubError as error:
            yield Check("GitHub", State.BROKEN, error.cause, error.remedy)

    def _clock(self) -> Check:
        skew = app_facts.clock_skew(self.settings.github_api_url)
        if skew is None:
            remedy = "Check REGREEN_GITHUB_URL and this machine's network."
            return Check("clock", State.OPEN, f"{self.settings.github_api_url} tells no time", remedy)
        remedy = "Set this machine's clock: GitHub refuses the App otherwise." if abs(skew) > SKEW_SECONDS else ""
        return judged("clock", f"{skew:+.0f} s against GitHub's", remedy)

    def _app(self, found: app_facts.AppFacts) -> Iterator[Check]:
        slug = self.settings.app_slug
        remedy = f"Set REGREEN_APP_SLUG={found.slug}." if found.slug != slug else ""
        yield judged("App at GitHub", f"{found.slug}, as {slug} in the settings" if remedy else found.slug, remedy)
        yield _granted("permissions", found.permissions, "Ask for them on the App's page")
        beyond = needs.unneeded(found.permissions)
        if beyond:
            yield Check("permissions beyond need", State.OPEN, ", ".join(beyond), "Take them away: nothing uses them.")
        unheard = needs.unheard(found.events)
        remedy = "Subscribe to them on the App's page, permissions and events." if unheard else ""
        yield judged("events", f"missing: {', '.join(unheard)}" if unheard else f"all {len(needs.EVENTS)}", remedy)

    def _installations(self, found: tuple[Installed, ...]) -> Iterator[Check]:
        if not found:
            remedy = f"Open {self.settings.github_url}/apps/{self.settings.app_slug}/installations/new"
            yield Check("installations", State.OPEN, "nowhere yet", remedy)
            return
        yield Check("installations", State.HOLDS, f"{len(found)}: {_some([one.account for one in found])}")
        suspended = [one.account for one in found if one.suspended]
        if suspended:
            remedy = "Whoever suspended it there can take that back."
            yield Check("suspended", State.OPEN, _some(suspended), remedy)
        lagging = [one.account for one in found if needs.lacking(one.permissions)]
        if lagging:
            remedy = "Their owners accept the App's new permissions in the installation's settings."
            yield Check("permissions accepted", State.BROKEN, f"not by {_some(lagging)}", remedy)

    def _webhook(self, url: str | None) -> Iterator[Check]:
        if url is None:
            yield Check("webhook", State.OPEN, "GitHub does not say where it goes")
            return
        wanted = f"{self.settings.public_url}/webhook" if self.settings.public_url else self.settings.smee_url
        if wanted and url != wanted:
            yield Check("webhook", State.BROKEN, f"goes to {url}", f"Point it at {wanted} on the App's page.")
            return
        host = urlsplit(url).hostname or ""
        if not host:
            yield Check("webhook", State.BROKEN, "goes nowhere", "Set its address on the App's page.")
        elif url == self.settings.smee_url:
            yield Check("webhook", State.HOLDS, f"{url}, which `regreen smee` reads")
        else:
            status = app_facts.answers_unsigned(url)
            good = status == UNAUTHORIZED
            seen = "no answer" if status is None else f"answers {status} to what is unsigned"
            remedy = "Its /webhook has to reach `regreen serve`, through TLS and any proxy." if not good else ""
            yield judged("webhook", f"{url}: {seen}", remedy)

    def _deliveries(self) -> Check:
        found = RestApp(self.tokens).attempts(time.time() - DAYS * 86_400, MOST_ATTEMPTS).found
        if not found:
            return Check("deliveries", State.OPEN, f"none in {DAYS} days", "Put the label on an issue to see one.")
        newest, failed = found[0], [one for one in found if not one.ok]
        seen = f"{len(found)} in {DAYS} days, {len(failed)} of them failed; the last one at {_when(newest)}"
        remedy = "" if newest.ok else "See its answer on the App's page, Advanced; recovery asks for it again."
        return judged("deliveries", f"{seen} {'arrived' if newest.ok else 'failed'}", remedy)


def _granted(topic: str, permissions: Mapping[str, str], remedy: str) -> Check:
    lacking = [f"{one.name}: {one.level.word}" for one in needs.lacking(permissions)]
    seen = f"missing: {', '.join(lacking)}" if lacking else f"all {len(needs.PERMISSIONS)}"
    return judged(topic, seen, f"{remedy}, then accept them in each installation." if lacking else "")


def _some(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _when(attempt: Attempt) -> str:
    return f"{datetime.fromtimestamp(attempt.at, UTC):%Y-%m-%d %H:%M} UTC"
