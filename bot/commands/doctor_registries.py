"""The doctor's look at the package registries: whether installs may reach where their names lead."""

from collections.abc import Iterable

from bot.commands.checks import Check, State
from bot.settings import Settings
from sandbox.mirrors import Resolve, private_hosts, resolve


def registries(settings: Settings, hosts: Iterable[str], resolver: Resolve = resolve) -> Check:
    """Resolve the registries' hosts; broken where one has a private address that the settings do not let through."""
    found = {host: tuple(resolver(host)) for host in hosts}
    private = private_hosts(found, lambda host: found[host])
    listed = {host.lower() for host in settings.private_hosts}
    refused = [host for host in private if host not in listed]
    if refused:
        whole = ",".join(dict.fromkeys((*settings.private_hosts, *refused)))
        remedy = (
            f"Set `REGREEN_PRIVATE_HOSTS={whole}`, if they are a mirror or an inspecting proxy of yours. "
            "`make base` in a checkout prints it too, with the CA bundle."
        )
        seen = f"a private address that installs may not reach: {', '.join(refused)}"
        return Check("package registries", State.BROKEN, seen, remedy)
    if lost := [host for host, addresses in found.items() if not addresses]:
        remedy = "Check this machine's network: installs connect from here."
        return Check("package registries", State.OPEN, f"no address: {', '.join(lost)}", remedy)
    let = f"; private, and allowed: {', '.join(private)}" if private else ""
    return Check("package registries", State.HOLDS, f"{', '.join(found) or 'none is known here'}{let}")
