import pytest

from sandbox.network.addresses import is_literal, refusal
from sandbox.network.origin import Origin

ALWAYS_REFUSED = [
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a9fe:a9fe",
    "::a9fe:a9fe",
    "::ffff:0:a9fe:a9fe",
    "fd00:ec2::254",
    "168.63.129.16",
    "100.100.100.200",
    "fe80::1",
    "224.0.0.1",
    "ff02::1",
    "0.0.0.0",  # noqa: S104 - an address to refuse
    "::",
]
PRIVATE = [
    "10.1.2.3",
    "172.17.0.1",
    "192.168.0.1",
    "127.0.0.1",
    "100.64.0.1",
    "203.0.113.80",
    "240.0.0.1",
    "::1",
    "fc00::1",
    "::ffff:10.0.0.1",
    "2002:7f00:1::",
    "64:ff9b::7f00:1",
    "64:ff9b:1::7f00:1",
    "::7f00:1",
    "::ffff:0:7f00:1",
    "fec0::1",
    "5f00::1",
]


@pytest.mark.parametrize("address", ALWAYS_REFUSED)
@pytest.mark.parametrize("private", [True, False])
def test_metadata_link_local_and_multicast_addresses_stay_closed_whatever_an_operator_lists(
    address: str,
    private: bool,  # noqa: FBT001 - parametrised
) -> None:
    assert refusal(address, private=private)


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_open_only_for_hosts_that_an_operator_listed(address: str) -> None:
    assert refusal(address, private=False)
    assert refusal(address, private=True) is None


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1", "::ffff:8.8.8.8"])
def test_public_addresses_are_open(address: str) -> None:
    assert refusal(address, private=False) is None


def test_what_is_no_address_is_refused() -> None:
    assert refusal("fe80::1%eth0\n", private=True)
    assert refusal("localhost", private=True)


@pytest.mark.parametrize("host", ["1.2.3.4", "0x7f.1", "127.1", "2130706433", "::1", "[::1]", "1.2.3.4.", ""])
def test_hosts_that_a_resolver_would_take_for_an_address_are_known(host: str) -> None:
    assert is_literal(host)


def test_host_names_are_not_taken_for_addresses() -> None:
    assert not is_literal("packages.example")
    assert not is_literal("1.2.3.example")


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("Packages.Example", Origin("packages.example")),
        ("packages.example:8443", Origin("packages.example", 8443)),
        ("https://u:p@packages.example/simple", Origin("packages.example")),
        ("http://packages.example/simple", Origin("packages.example", 80, tls=False)),
    ],
)
def test_an_origin_is_read_from_a_host_or_an_address(text: str, origin: Origin) -> None:
    assert Origin.parse(text) == origin


@pytest.mark.parametrize("text", ["", "file:///srv/simple", "ssh://host", "host:port"])
def test_what_names_no_origin_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"origin|[Pp]ort"):
        Origin.parse(text)
