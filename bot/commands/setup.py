"""`regreen setup`: registers a GitHub App in the browser and stores its keys where only this user reads them."""

import html
import re
import shlex
import stat
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bot.adapters.artifacts import write_whole
from bot.adapters.github import manifest
from bot.adapters.github.manifest import MadeApp, Wanted
from bot.adapters.github.registration import Offer, Registration
from bot.commands import Shown
from bot.commands.setup_plan import Plan, require
from bot.errors import ConfigurationError, StoreError
from bot.settings import APP_FILE, GITHUB, MIN_SECRET_LENGTH, Settings

KEY_FILE, BEGIN_FILE = "app.pem", "register.html"
WAIT_SECONDS = 3600.0
"""How long a person may take; a code of GitHub's is good for an hour too."""
_SECRET = re.compile(rf"[!-~]{{{MIN_SECRET_LENGTH},200}}")


def setup(settings: Settings, plan: Plan, say: Callable[[str], None], browse: Callable[[str], bool]) -> Shown:
    """Register the App; `browse` opens an address in a browser and says whether it could.

    It is given a file's, which leads on to the page: everybody on the machine sees a browser's arguments, and who knows
    the page's address could bring a code of their own App's. Raises `ConfigurationError` before anything is asked of
    GitHub, and when nobody came back within an hour.
    """
    _refuse(settings, plan)
    made: list[MadeApp] = []

    def bought(code: str) -> str:
        app = manifest.convert(settings.github_api_url, code)
        store(settings, plan, app)
        made.append(app)
        return f"{app.html_url}/installations/new"

    offer = Offer(
        manifest=lambda back: manifest.manifest(Wanted(plan.name, plan.hook, back, plan.public_url or plan.smee_url)),
        action=lambda state: manifest.new_app_page(settings.github_url, plan.organization, state),
        bought=bought,
    )
    registration = Registration(offer, plan.port)
    begin = settings.data_dir.resolve() / BEGIN_FILE
    try:
        opened = _browse(begin, registration.address, browse)
        for line in _told(registration, opened=opened):
            say(line)
        ended = registration.wait(WAIT_SECONDS)
    finally:
        begin.unlink(missing_ok=True)
    if not ended or not made:
        raise ConfigurationError("Nobody came back from GitHub within an hour", "Run `regreen setup` again.")
    return _registered(settings, plan, made[0])


def _told(registration: Registration, *, opened: bool) -> list[str]:
    """What a person who waits has to know."""
    port = registration.port
    until = datetime.fromtimestamp(time.time() + WAIT_SECONDS, UTC).astimezone()
    return [
        f"{'Opened' if opened else 'Open'} {registration.address} in a browser on this machine.",
        f"From another machine: `ssh -L {port}:127.0.0.1:{port}` to this one, then open that address there.",
        f"Waiting for GitHub to send the browser back, until {until:%H:%M %Z}. Ctrl-C ends it, with nothing stored.",
    ]


def _browse(begin: Path, address: str, browse: Callable[[str], bool]) -> bool:
    where = html.escape(address)
    page = f"""<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Regreen</title>
<meta http-equiv="refresh" content="0; url={where}"><a href="{where}">Register the App</a>
"""
    try:
        write_whole(begin, page.encode())
    except OSError:
        return False
    return browse(begin.as_uri())


def store(settings: Settings, plan: Plan, app: MadeApp) -> None:
    """Keep the key and what the settings need, 0600 both, whole or not at all. Raises `StoreError`."""
    secret = app.webhook_secret.get_secret_value()
    if not _SECRET.fullmatch(secret) or "," in secret:
        raise StoreError("GitHub gave a webhook secret that no settings file can hold", "Set one by hand.")
    key = settings.data_dir.resolve() / KEY_FILE
    values = {
        "REGREEN_APP_ID": str(app.id),
        "REGREEN_APP_SLUG": app.slug,
        "REGREEN_PRIVATE_KEY_FILE": str(key),
        "REGREEN_WEBHOOK_SECRETS": secret,
        "REGREEN_PUBLIC_URL": plan.public_url,
        "REGREEN_SMEE_URL": plan.smee_url,
        "REGREEN_GITHUB_URL": "" if settings.github_url == GITHUB else settings.github_url,
    }
    lines = [f"{name}={shlex.quote(value)}\n" for name, value in values.items() if value]
    try:
        # A temporary file's mode is 0600, and the rename keeps it.
        write_whole(key, app.pem.get_secret_value().encode())
        write_whole(settings.data_dir / APP_FILE, "".join(lines).encode())
    except OSError as error:
        raise StoreError(
            f"The App is registered, but its keys could not be stored: {error.strerror}",
            "Delete the App at GitHub, make room in the data directory, and run `regreen setup` again.",
        ) from None


def _refuse(settings: Settings, plan: Plan) -> None:
    require(plan, settings)
    place = settings.data_dir
    if (place / APP_FILE).exists() and not plan.replace:
        raise ConfigurationError(f"An App is stored in {place} already", "Give --replace to register another one.")
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place) as file:
            mode = stat.S_IMODE(Path(file.name).stat().st_mode)
    except OSError as error:
        raise ConfigurationError(
            f"Nothing can be stored in {place}: {error.strerror}", "Set another REGREEN_DATA_DIR."
        ) from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigurationError(f"A file system that keeps no modes holds {place}", "Set another REGREEN_DATA_DIR.")


def _registered(settings: Settings, plan: Plan, app: MadeApp) -> Shown:
    document = {"id": app.id, "slug": app.slug, "page": app.html_url, "settings": str(settings.data_dir / APP_FILE)}
    lines = [
        f"Registered {app.slug} (App {app.id}): {app.html_url}",
        f"Its key and webhook secret are in {settings.data_dir} (0600): settings read them there.",
        f"1. Install it on repositories: {app.html_url}/installations/new",
        "2. Run `regreen serve` and `regreen worker`" + (", and `regreen smee`." if plan.smee_url else "."),
        "3. `regreen doctor` says whether webhooks arrive.",
    ]
    return Shown(good=True, document=document, lines=lines)
