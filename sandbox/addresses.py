"""Which network addresses the install phase may be connected to, and why not."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

PRIVATE = "a private, loopback or reserved address"
"""The one reason that an operator's list removes."""

_METADATA = frozenset(map(ip_address, ("169.254.169.254", "100.100.100.200", "168.63.129.16", "fd00:ec2::254")))
"""Instance metadata services that lie outside link-local ranges as well; no operator's list opens them."""

_NAT64 = IPv6Network("64:ff9b::/96")


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
    if not private and not address.is_global:
        return PRIVATE
    return None


def is_literal(host: str) -> bool:
    """Whether a host is written as an address, in any form that a resolver would take for one."""
    bare = host.strip("[]")
    if ":" in bare or not bare:
        return True
    last = bare.rstrip(".").rpartition(".")[2].lower()
    return last.isdigit() or last.startswith("0x")


def _unwrapped(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for (mapped, 6to4, NAT64), else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(address.packed[-4:])
    return address.ipv4_mapped or address.sixtofour or address
