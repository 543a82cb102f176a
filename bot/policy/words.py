"""How the values of single keys may be written, beside their plain form."""

import shlex

MAX_STARS = 3
MAX_PORT = 65535
_LOCAL_NAMES = (".localhost", ".local", ".internal", ".home.arpa", ".test", ".invalid")


def split(value: object) -> object:
    """A command line as its arguments, as a shell would split it. Raises `ValueError` for an open quote."""
    return tuple(shlex.split(value)) if isinstance(value, str) else value


def split_each(value: object) -> object:
    """Each command of a list as its arguments."""
    return tuple(split(one) for one in value) if isinstance(value, list) else value


def off(value: object) -> object:
    """`off` without quotes, which YAML 1.1 reads as `false`."""
    return "off" if value is False else value


def local_name(host: str) -> bool:
    """Whether a name in small letters is one of this machine or of a local network."""
    return "." not in host.strip(".") or host.rstrip(".").endswith(_LOCAL_NAMES)
