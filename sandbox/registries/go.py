"""What the go command is configured to use: module proxies and the checksum database."""

import json
import re
from collections.abc import Iterable, Mapping

from sandbox.network.origin import Origin
from sandbox.registries.ask import Ask
from sandbox.registries.registry import Registry, public, reachable

_ASK_GO = ("go", "env", "-json", "GOPROXY", "GOSUMDB")


def go_registry(asks: Iterable[Ask]) -> Registry:
    """The proxies of the first go command that answers; credentials stay here. Empty: there is none."""
    for ask in asks:
        try:
            values = json.loads(ask(_ASK_GO) or b"")
            return registry_from(values)
        except (ValueError, AttributeError):
            continue
    return Registry()


def registry_from(values: Mapping[str, str]) -> Registry:
    """Decide on the go command's configuration. Version control servers (`direct`) are no registry."""
    proxies = [public(url) for url in re.split(r"[,|]", values.get("GOPROXY", "")) if reachable(url)]
    database = values.get("GOSUMDB", "") or "off"
    named = database.split()[-1].partition("+")[0]
    hosts = set(proxies) | ({named} if proxies and named != "off" else set())
    environment = (("GOPROXY", ",".join(proxies) or "off"), ("GOSUMDB", database), ("GOTOOLCHAIN", "local"))
    return Registry(frozenset(map(Origin.parse, hosts)), environment)
