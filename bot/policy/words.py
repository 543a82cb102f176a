"""How the values of single keys may be written, beside their plain form, and what single values may not be."""

import re
import shlex

from pydantic_core import PydanticCustomError

MAX_STARS = 3
MAX_PORT = 65535
_LOCAL_NAMES = (".localhost", ".local", ".internal", ".home.arpa", ".test", ".invalid")
_OF_A_SHELL = re.compile(r"&&|\|\|?|;|&|<|\d?>>?(?:[\w./&-]+)?|[\w./-]+;")


def split(value: object) -> object:
    """A command line as its arguments, as a shell would split it."""
    try:
        return tuple(shlex.split(value)) if isinstance(value, str) else value
    except ValueError:
        raise PydanticCustomError("quotes", "a quote is opened and not closed, or a backslash ends the line") from None


def without_shell(words: tuple[str, ...]) -> tuple[str, ...]:
    """The command, unless one of its words would mean something to a shell alone."""
    if any(_OF_A_SHELL.fullmatch(word) for word in words):
        raise PydanticCustomError(
            "shell",
            "this runs without a shell, so that `&&`, `|`, `;` and `>` would be words like others: put the line into a "
            "script, and name that, such as `sh tests.sh`",
        )
    return words


def few_stars(glob: str) -> str:
    """The glob, unless to match it could take long."""
    if any(segment.count("*") > MAX_STARS for segment in glob.split("/")):
        raise PydanticCustomError(
            "too_many_stars", "a glob has more than 3 stars between two slashes: write fewer, such as `src/*_pb*.py`"
        )
    return glob


def below_root(glob: str) -> str:
    """The glob, unless it leads out of the repository."""
    if glob.startswith(("/", "~")) or ".." in glob.split("/"):
        raise PydanticCustomError(
            "outside", "write a path below the repository's root and relative to it, such as `reports/*.xml`"
        )
    return glob


def public(authority: str) -> str:
    """A host with its port, or without, unless it is an address or a local name."""
    host, _, port = authority.lower().partition(":")
    if port and not 0 < int(port) <= MAX_PORT:
        raise PydanticCustomError("port", "a port is a number from 1 to 65535")
    last = host.rstrip(".").rpartition(".")[2]
    # What ends in a number is an address to a resolver, in whatever form (127.1, 0x7f.1, 2130706433).
    if last.isdigit() or last.startswith("0x"):
        raise PydanticCustomError("address", "a host is listed by its public name, not by an address")
    if local_name(host):
        raise PydanticCustomError("local", "names of this machine or of a local network are the operator's to list")
    return authority


def off(value: object) -> object:
    """`off` without quotes, which YAML 1.1 reads as `false`."""
    return "off" if value is False else value


def local_name(host: str) -> bool:
    """Whether a name in small letters is one of this machine or of a local network."""
    return "." not in host.strip(".") or host.rstrip(".").endswith(_LOCAL_NAMES)
