"""The stand-in as a process: `python -m bot.demo.server --port 8000 --state-dir DIR --config FILE`.

The configuration is JSON. Secrets stand in files, so that neither the process list nor the environment shows them.
Paths are taken from the directory that the configuration is in. When it answers, it prints its address; the tokens of
its people are then in DIR/tokens.json, which only the owner of the process may read.

    {"app": {"id": 1, "slug": "regreen", "public_key_file": "app.pub"},
     "webhook": {"url": "http://127.0.0.1:8080/webhook", "secret_file": "webhook.secret"},
     "repositories": [{"full_name": "octo/shop", "source": "shop", "collaborators": {"mona": "maintain"}}]}
"""

import argparse
import json
import signal
import threading
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from bot.demo.stand_in import StandIn
from bot.demo.state import APP_PERMISSIONS, AppConfig, FileContent

TOKENS_FILE = "tokens.json"
EXECUTABLE = 0o100


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AppSection(_Section):
    """The App. Without `permissions` it has those that this project asks for."""

    id: int = 1
    slug: str = "regreen"
    public_key_file: Path
    permissions: dict[str, str] = Field(default_factory=lambda: dict(APP_PERMISSIONS))


class WebhookSection(_Section):
    """The App's webhook."""

    url: str
    secret_file: Path


class RepositorySection(_Section):
    """A repository whose first commit is the files below `source`; `collaborators` maps login → level."""

    full_name: str
    source: Path
    private: bool = False
    collaborators: dict[str, str] = Field(default_factory=dict)


class ServerConfig(_Section):
    """The whole file."""

    app: AppSection
    webhook: WebhookSection | None = None
    repositories: tuple[RepositorySection, ...] = ()


def build(config: ServerConfig, home: Path, directory: Path, port: int) -> StandIn:
    """The stand-in that the configuration in `home` describes, not yet started."""
    app = config.app
    key = (home / app.public_key_file).read_text()
    stand_in = StandIn(AppConfig(key, app.id, app.slug, app.permissions), directory=directory, port=port)
    for one in config.repositories:
        files = read_files(home / one.source)
        stand_in.state.add_repository(one.full_name, files, private=one.private, collaborators=one.collaborators)
    if config.webhook:
        stand_in.hook(config.webhook.url, (home / config.webhook.secret_file).read_text().strip())
    return stand_in


def read_files(source: Path) -> dict[str, FileContent]:
    """Every file below a directory but those of `.git`, with its mode."""
    found: dict[str, FileContent] = {}
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source)
        if path.is_symlink():
            found[name.as_posix()] = ("120000", str(path.readlink()).encode())
        elif path.is_file() and name.parts[0] != ".git":
            mode = "100755" if path.stat().st_mode & EXECUTABLE else "100644"
            found[name.as_posix()] = (mode, path.read_bytes())
    return found


def write_tokens(stand_in: StandIn, path: Path) -> None:
    """Write a token for each person, login → token."""
    people = [one.login for one in stand_in.state.users.values() if one.kind == "User"]
    path.touch(mode=0o600)
    path.write_text(json.dumps({login: stand_in.state.issue_user_token(login) for login in people}))


def main() -> None:
    """Serve until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="python -m bot.demo.server", description="A GitHub of your own.")
    parser.add_argument("--port", type=int, default=0, help="port of 127.0.0.1; 0 takes a free one")
    parser.add_argument("--state-dir", type=Path, required=True, help="an empty directory for its repositories")
    parser.add_argument("--config", type=Path, required=True, help="JSON file, see the module's documentation")
    arguments = parser.parse_args()
    config = ServerConfig.model_validate_json(arguments.config.read_bytes())
    stand_in = build(config, arguments.config.parent, arguments.state_dir, arguments.port)
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    write_tokens(stand_in, arguments.state_dir / TOKENS_FILE)
    stand_in.start()
    print(f"listening on {stand_in.base_url}", flush=True)  # noqa: T201 - the one line that a starter waits for
    stopped.wait()
    stand_in.stop()


if __name__ == "__main__":
    main()
