"""What pip is configured to use, and the variables that point pip, uv and pdm there."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from sandbox.network.origin import Origin
from sandbox.registries.registry import Registry, public, reachable

_TIMEOUT = 60.0

_ASK_PIP = """
import json
from pip._internal.configuration import Configuration
from pip._internal.models.index import PyPI
configuration = Configuration(isolated=False)
configuration.load()
values = dict(configuration.items())
print(json.dumps([values, PyPI.simple_url, PyPI.file_storage_domain]))
"""
"""pip's interface is private, so this is small and its failure means no registry, never a wrong one."""


def pip_registry(interpreters: Iterable[str] = (sys.executable, "python3")) -> Registry:
    """The indexes that pip is configured to use on this host, by the first interpreter that has a pip.

    Credentials in an address stay here. An empty registry means that no interpreter has one.
    """
    for interpreter in interpreters:
        answer = _ask(interpreter)
        if answer is not None:
            return registry_from(*answer)
    return Registry()


def registry_from(values: dict[str, str], default_index: str, default_files: str) -> Registry:
    """Decide on pip's configuration: names as `global.index-url` or `:env:.index-url`, and pip's own defaults."""
    configured = _option(values, "index-url")
    index = configured if configured and reachable(configured) else None
    extra = [public(url) for url in (_option(values, "extra-index-url") or "").split() if reachable(url)]
    indexes = [index or default_index, *extra]
    origins = {Origin.parse(url) for url in indexes}
    if Origin.parse(default_index) in origins:
        origins.add(Origin.parse(default_files))
    environment = []
    if index:
        names = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "PDM_PYPI_URL")
        environment += [(name, public(index)) for name in names]
    if extra:
        environment += [(name, " ".join(extra)) for name in ("PIP_EXTRA_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL")]
    return Registry(frozenset(origins), tuple(environment))


def _ask(interpreter: str) -> tuple[dict[str, str], str, str] | None:
    argv = [interpreter, "-P", "-c", _ASK_PIP]
    try:
        # Away from the working directory, which may hold a repository's own pip.
        done = subprocess.run(  # noqa: S603 - our own text, no shell
            argv, capture_output=True, check=True, timeout=_TIMEOUT, cwd=Path("/")
        )
        values, index, files = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return values, index, files


def _option(values: dict[str, str], option: str) -> str | None:
    """Pip's own order: the environment, then the install command's section, then the global one."""
    for section in (":env:", "install", "global"):
        if value := values.get(f"{section}.{option}"):
            return value
    return None
