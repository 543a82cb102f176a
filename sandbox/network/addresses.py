"""Which network addresses the install phase may be connected to, and why not."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

PRIVATE = "a private, loopback or reserved address"
"""The one reason that an operator's list removes."""

_METADATA = frozenset(map(ip_address, ("169.254.169.254", "100.100.100.200", "168.63.129.16", "fd00:ec2::254")))
"""Instance metadata services that lie outside link-local ranges as well; no operator's list opens them."""

_EMBEDDING = tuple(map(IPv6Network, ("::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48")))
"""IPv6 networks whose last 32 bits are an IPv4 address: compatible, translated, NAT64 (RFC 4291, 2765, 6052, 8215)."""
_LOCAL = frozenset(map(IPv6Address, ("::", "::1")))
_GLOBAL_UNICAST = IPv6Network("2000::/3")
"""All that IANA hands out for the public network."""


def refusal(text: str, *, private: bool) -> str | None:
    """Why an address literal must not be connected to, `None` when it may.

    With `private`, loopback, private and reserved ranges are open: the operator listed the host.
    """
    try:
        address = _unwrapped(ip_address(text))
    except ValueError:
        return "no address"
    if address in _METADATA or address.is_link_local:
        return "a link-local or metadata address"
    if address.is_multicast or address.is_unspecified:
        return "a multicast or unspecified address"
    if not private and not _is_public(address):
        return PRIVATE
    return None


def is_literal(host: str) -> bool:
    """Whether a host is written as an address, in any form that a resolver would take for one."""
    bare = host.strip("[]")
    if ":" in bare or not bare:
        return True
    last = bare.rstrip(".").rpartition(".")[2].lower()
    return last.isdigit() or last.startswith("0x")


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return address.is_global
    # Python calls global whatever is not named private, so that site-local and unassigned ranges would pass.
    return address.is_global and address in _GLOBAL_UNICAST


def _unwrapped(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for (embedded, mapped, 6to4), else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address not in _LOCAL and any(address in network for network in _EMBEDDING):
        return IPv4Address(address.packed[-4:])
    return address.ipv4_mapped or address.sixtofour or address
