"""The stand-in as a process: `python -m bot.demo.server --port 8000 --state-dir DIR --config FILE`.

The configuration is JSON. Secrets stand in files, so that neither the process list nor the environment shows them:

    {"app": {"id": 1, "slug": "regreen", "public_key_file": "app.pub.pem"},
     "webhook": {"url": "http://127.0.0.1:8080/webhook", "secret_file": "webhook.secret"},
     "control_token_file": "control.token"}
"""

import argparse
import signal
import threading
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from bot.demo.stand_in import StandIn
from bot.demo.state import APP_PERMISSIONS, AppConfig


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


class ServerConfig(_Section):
    """The whole file; without `control_token_file` there are no scenario calls."""

    app: AppSection
    webhook: WebhookSection | None = None
    control_token_file: Path | None = None


def build(config: ServerConfig, directory: Path, port: int) -> StandIn:
    """The stand-in that the configuration describes, not yet started."""
    app = config.app
    token = config.control_token_file.read_text().strip() if config.control_token_file else ""
    stand_in = StandIn(
        AppConfig(app.public_key_file.read_text(), app.id, app.slug, app.permissions),
        directory=directory,
        port=port,
        control_token=token,
    )
    if config.webhook:
        stand_in.hook(config.webhook.url, config.webhook.secret_file.read_text().strip())
    return stand_in


def main() -> None:
    """Serve until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="python -m bot.demo.server", description="A GitHub of your own.")
    parser.add_argument("--port", type=int, default=0, help="port of 127.0.0.1; 0 takes a free one")
    parser.add_argument("--state-dir", type=Path, required=True, help="an empty or missing directory for repositories")
    parser.add_argument("--config", type=Path, required=True, help="JSON file, see the module's documentation")
    arguments = parser.parse_args()
    config = ServerConfig.model_validate_json(arguments.config.read_bytes())
    stand_in = build(config, arguments.state_dir, arguments.port)
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    stand_in.start()
    print(f"listening on {stand_in.base_url}", flush=True)  # noqa: T201 - the one line that a starter waits for
    stopped.wait()
    stand_in.stop()


if __name__ == "__main__":
    main()
