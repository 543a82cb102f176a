"""The value that every language's twins are told in."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Twin:
    """A test file as it must fail: `source` with a new test `name`, `altered` with other expectations in `tests` too.

    `tests` are node ids without their file.
    """

    source: bytes
    altered: bytes
    name: str
    tests: frozenset[str]
