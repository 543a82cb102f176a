"""Every setting, read from the environment (`REGREEN_*`) once, validated, secrets kept as `SecretStr`.

Only this module reads the environment; adapters take what they need as constructor arguments.
"""

import os
import re
import stat
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import NoDecode, SettingsConfigDict, SettingsError

from bot.errors import ConfigurationError
from bot.model_settings import ModelSettings
from bot.page_settings import PageSettings
from bot.probe_settings import ProbeSettings
from bot.storage_settings import StorageSettings
from bot.worker_settings import WorkerSettings

PREFIX = "REGREEN_"
MIN_SECRET_LENGTH = 16
TOOLCHAINS = ("python", "node", "go")
HOST = re.compile(r"[A-Za-z0-9._-]{1,253}(:[0-9]{1,5})?")
GITHUB = "https://github.com"
_LIBPQ = ("PG", "HOME", "KRB5", "SSL_CERT_", "OPENSSL_")
APP_FILE = "app.env"
"""Below the data directory: what `regreen setup` stored of the App. Variables of the environment win over it."""
SECRETS = ("REGREEN_SECRETS_DIR", "CREDENTIALS_DIRECTORY")


_FOLLOWS_FROM_WRONG = "default_factory_not_called"
"""Pydantic's word for a setting left out whose value would follow from one that is wrong: no fault of its own."""


def api_address(github_url: str) -> str:
    """The REST base URL that belongs to GitHub's web address: github.com, a `ghe.com` tenant, or Enterprise Server."""
    host = urlsplit(github_url).hostname or ""
    if host == "github.com":
        return "https://api.github.com"
    return f"https://api.{host}" if host.endswith(".ghe.com") else f"{github_url.rstrip('/')}/api/v3"


def _following(validated: dict[str, Any]) -> str:
    return api_address(validated.get("github_url", GITHUB))


class Settings(PageSettings, ProbeSettings, StorageSettings, WorkerSettings, ModelSettings):
    """The operator's decisions. Lists are comma-separated."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore", populate_by_name=True)

    data_dir: Path = Field(
        default_factory=lambda: Path.home() / ".local" / "state" / "regreen",
        description="Where mirrors live and, without Postgres, run logs, artifacts and SQLite files.",
    )
    secrets_dir: Path | None = Field(
        None,
        validation_alias=AliasChoices(*SECRETS),
        description="A directory of files, each named like a variable and holding its value: those of secrets need not "
        "be in the environment, which wins over them. systemd names that of its credentials.",
    )
    host: str = Field("127.0.0.1", description="Address that the webhook server listens on.")
    port: int = Field(8080, ge=0, le=65535, description="Port that the webhook server listens on.")
    log_level: str = Field("info", description="debug, info, warning or error.")

    github_url: str = Field(
        GITHUB, description="GitHub's web address; another one is a GitHub Enterprise Server or a ghe.com tenant."
    )
    github_api_url: str = Field(
        default_factory=_following, description="REST base URL; follows from REGREEN_GITHUB_URL when left out."
    )
    public_url: str = Field(
        "", description="Where people reach this server, such as https://regreen.example; checks link to it."
    )
    smee_url: str = Field("", description="A smee.io channel that `regreen smee` brings webhooks from, to develop.")
    smee_site: str = Field(
        "https://smee.io", description="Where `regreen setup --smee` takes channels from; another one is your own smee."
    )
    app_id: int = Field(0, ge=0, description="The GitHub App's id.")
    app_slug: str = Field("regreen", description="The GitHub App's slug; its login is this with [bot].")
    private_key_file: Path | None = Field(None, description="PEM file of the App's private key, mode 0600.")
    webhook_secrets: Annotated[tuple[SecretStr, ...], NoDecode] = Field(
        (), description="Webhook secrets, the current one first; several at once while rotating."
    )
    write_spacing: float = Field(1.0, ge=0, description="Seconds between two writes to GitHub; GitHub asks for 1.")
    edit_spacing: float = Field(10.0, ge=0, description="Seconds between two edits of one comment at GitHub.")

    label: str = Field("regreen", description="The label that starts a fix; the policy file may name another.")
    draft: bool = Field(
        default=False, description="Open every pull request as a draft; the mutation search always does."
    )

    max_iterations: int = Field(8, ge=1, le=100, description="Rounds of one run, each of one candidate or a few.")
    max_tokens: int = Field(200_000, ge=0, description="Model tokens of one run, both directions.")
    max_dollars: float = Field(2.0, ge=0, description="Dollars of one run.")
    max_dollars_pull_request: float = Field(
        10.0, ge=0, description="Dollars of all runs for one issue, red check or pull request of Regreen's."
    )
    max_dollars_repository_day: float = Field(
        20.0, ge=0, description="Dollars of all runs in one repository within 24 hours."
    )
    max_dollars_installation_day: float = Field(
        50.0, ge=0, description="Dollars of all runs of one installation of the App within 24 hours."
    )
    max_minutes: float = Field(30.0, gt=0, description="Wall clock of one run.")

    docker_host: str = Field(
        "unix:///var/run/docker.sock",
        validation_alias=AliasChoices("REGREEN_DOCKER_HOST", "DOCKER_HOST"),
        description="Where the container engine answers.",
    )
    sandbox_base_image: str = Field("regreen-base:bookworm", description="Base image of the sandbox.")
    sandbox_base_images: dict[str, str] = Field(
        default_factory=dict,
        description="Other base images, as JSON: owner/name, owner/* or a toolchain (node, go) → reference; the most "
        "specific one counts. Each needs python3.",
    )
    sandbox_runtime: str = Field("", description="OCI runtime, such as runsc; empty is the daemon's default.")
    sandbox_memory_mib: int = Field(1024, ge=128, description="Memory of one test container.")
    sandbox_cpus: float = Field(2.0, gt=0, description="Processor cores of one test container.")
    suite_timeout: float = Field(600.0, gt=0, description="Seconds that one suite run may take.")
    slow_suite: float = Field(
        300.0,
        gt=0,
        description="Seconds beyond which a suite runs twice instead of three times before a repair, and not in random "
        "order.",
    )
    install_timeout: float = Field(900.0, gt=0, description="Seconds that setting up an environment may take.")
    install_runtime_fallback: str = Field(
        "",
        description="OCI runtime, such as runc, that installs where sandbox_runtime lets no container connect to the "
        "egress proxy's socket; empty: the install fails.",
    )
    image_gib: float = Field(
        20.0, gt=0, description="GiB of disk that environment images may take; the least recently used go first."
    )
    package_cache_mib: int = Field(
        256,
        ge=0,
        description="MiB of downloaded and built packages kept for a repository's next install; 0 keeps none. An "
        "install gets a mount of twice this.",
    )
    package_caches_gib: float = Field(4.0, gt=0, description="GiB of disk that all package caches may take.")
    parallel_runs: int = Field(2, ge=1, le=32, description="Containers that run at once for one evaluation.")
    ca_bundle: Path | None = Field(
        None,
        validation_alias=AliasChoices("REGREEN_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"),
        description="CA bundle handed into the install phase, for networks that inspect HTTPS.",
    )
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Hosts the install phase may reach too."
    )
    private_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Allowed hosts that may resolve to a private address: a mirror, an inspecting proxy."
    )

    @field_validator("webhook_secrets", "allowed_hosts", "private_hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("github_api_url", mode="before")
    @classmethod
    def _followed(cls, value: object, info: ValidationInfo) -> object:
        return value or _following(info.data)

    @field_validator("github_url", "github_api_url", "public_url", "smee_url", "smee_site")
    @classmethod
    def _address(cls, value: str) -> str:
        parts = urlsplit(value)
        bare = not (parts.query or parts.fragment or parts.username or parts.password)
        if value and not (parts.scheme in {"http", "https"} and parts.hostname and bare):
            message = "it is an address such as https://github.example, without a password or a query"
            raise ValueError(message)
        return value.rstrip("/")

    @field_validator("sandbox_base_images")
    @classmethod
    def _known(cls, value: dict[str, str]) -> dict[str, str]:
        for key, reference in value.items():
            owner, slash, name = key.partition("/")
            if not reference or (not (owner and name) if slash else key not in TOOLCHAINS):
                message = f"each key is owner/name, owner/* or one of {', '.join(TOOLCHAINS)}, each value a reference"
                raise ValueError(message)
        return value

    @field_validator("allowed_hosts", "private_hosts")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(HOST.fullmatch(host) for host in value):
            message = "a host is a name without a scheme or a path, with a port or without"
            raise ValueError(message)
        return value

    @field_validator("webhook_secrets")
    @classmethod
    def _long_enough(cls, value: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        if any(len(secret.get_secret_value()) < MIN_SECRET_LENGTH for secret in value):
            message = f"a webhook secret needs at least {MIN_SECRET_LENGTH} characters"
            raise ValueError(message)
        return value

    @property
    def secrets(self) -> tuple[SecretStr, ...]:
        """Every secret in here, for redaction."""
        operators = (self.operator_token,) if self.operator_token.get_secret_value() else ()
        return (*self.webhook_secrets, *self.model_secrets, *self.storage_secrets, *operators)

    @property
    def base_images(self) -> dict[str, str]:
        """Every base image that is named: repository or toolchain → reference."""
        return {"python": self.sandbox_base_image, **self.sandbox_base_images}

    @property
    def bot_login(self) -> str:
        """The App's own login, as GitHub writes it."""
        return f"{self.app_slug}[bot]"


def load() -> Settings:
    """Read the environment, below it what `regreen setup` stored in the data directory, then files of secrets.

    Raises `ConfigurationError` that names each wrong variable, never its value, and when others may read that file.
    """
    try:
        return Settings(_env_file=_app_file(), _secrets_dir=_secrets())
    except SettingsError as error:
        named = [name for name in Settings.model_fields if f'"{name}"' in str(error)]
        unread = isinstance(error.__cause__, OSError | UnicodeDecodeError)
        what = "its file cannot be read" if unread else "it is no JSON"
        wrong = "; ".join(_fault((name,), what) for name in named) or "a value is no JSON"
        raise ConfigurationError(f"Settings are wrong: {wrong}", "Correct these variables.") from None
    except ValidationError as error:
        faults = [item for item in error.errors(include_input=False) if item["type"] != _FOLLOWS_FROM_WRONG]
        wrong = "; ".join(_fault(item["loc"], item["msg"]) for item in faults)
        raise ConfigurationError(f"Settings are wrong: {wrong}", "Correct these variables.") from None


def named_alike() -> tuple[str, ...]:
    """The names in the environment that begin as settings do."""
    return tuple(sorted(name for name in os.environ if name.upper().startswith(PREFIX)))


def libpq_variables() -> dict[str, str]:
    """Those of the environment that decide how libpq connects: the driver's reads them itself, other programs must."""
    return {name: value for name, value in os.environ.items() if name.startswith(_LIBPQ)}


def _app_file() -> Path | None:
    place = os.environ.get("REGREEN_DATA_DIR") or Settings.model_fields["data_dir"].get_default(
        call_default_factory=True
    )
    path = Path(place) / APP_FILE
    try:
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ConfigurationError(f"Others may read {path}, which holds secrets", f"Run: chmod 600 {path}")
    except OSError:
        return None
    return path if os.access(path, os.R_OK) else None


def _secrets() -> Path | None:
    name = next((name for name in SECRETS if os.environ.get(name)), None)
    if name is None:
        return None
    path = Path(os.environ[name])
    if not path.is_dir() or not os.access(path, os.R_OK | os.X_OK):
        raise ConfigurationError(f"{name} names no directory that can be read", f"Is {path} there, and this user's?")
    return path


def _fault(where: tuple[int | str, ...], message: str) -> str:
    name, *rest = (str(part) for part in where)
    variable = f"{PREFIX}{name.upper()}" if name in Settings.model_fields else name
    return f"{'.'.join([variable, *rest])}: {message.removeprefix('Value error, ')}"
