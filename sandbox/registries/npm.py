"""What npm is configured to use, scopes included, and the variables that point npm there; pnpm and yarn 1 read them."""

import json
from collections.abc import Iterable, Mapping

from sandbox.network.origin import Origin
from sandbox.registries.ask import Ask
from sandbox.registries.registry import Registry, public, reachable

_ASK_NPM = ("npm", "config", "list", "--json", "--loglevel=silent", "--no-update-notifier")
_SCOPED = ":registry"


def npm_registry(asks: Iterable[Ask]) -> Registry:
    """The registries of the first npm that answers; tokens and passwords stay here. Empty: there is no npm."""
    for ask in asks:
        values = _values(ask(_ASK_NPM))
        if values is not None:
            return registry_from(values)
    return Registry()


def registry_from(values: Mapping[str, object]) -> Registry:
    """Decide on npm's configuration, of which only `registry` and `@scope:registry` count."""
    urls = {
        key: public(value)
        for key, value in values.items()
        if isinstance(value, str) and reachable(value) and (key == "registry" or _is_scoped(key))
    }
    environment = tuple((f"npm_config_{key}", url) for key, url in sorted(urls.items()))
    return Registry(frozenset(Origin.parse(url) for url in urls.values()), environment)


def _is_scoped(key: str) -> bool:
    return key.startswith("@") and key.endswith(_SCOPED)


def _values(answer: bytes | None) -> Mapping[str, object] | None:
    try:
        values = json.loads(answer or b"")
    except ValueError:
        return None
    return values if isinstance(values, dict) else None
