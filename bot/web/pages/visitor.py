"""Who looks at a page, as far as pages have to know it; who that is, and who may come in, is decided elsewhere."""

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from starlette.requests import Request


@dataclass(frozen=True, slots=True)
class Visitor:
    """What may be seen and done. `hidden` are globs (`*` and `?`) of repositories that are not shown, in either case.

    With `may_act` pages show what cancels and retries runs, each form with `csrf`. `signed_in` says that there is
    something to sign out of, `may_sign_in` that there is something to sign in to.
    """

    hidden: tuple[str, ...] = ()
    may_act: bool = False
    csrf: str = ""
    signed_in: bool = False
    may_sign_in: bool = False

    def sees(self, repository: str) -> bool:
        """Whether a repository is shown."""
        return not any(fnmatchcase(repository.lower(), glob.lower()) for glob in self.hidden)


Visiting = Callable[[Request], Visitor]
"""Says who sends a request. It must not block."""


def anybody(_request: Request) -> Visitor:
    """Everybody sees everything and does nothing: for a server that only this machine reaches."""
    return Visitor()
