"""Debian's packages that some tests need: found, or, agreed, installed; where neither, those tests are left out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.demo import machine
from bot.demo.machine import NotReadyError, Say


@dataclass(frozen=True, slots=True)
class Need:
    """`packages`, for `whom`, who do without them unless the variable `require` is set.

    `before` is a shell command that goes before the installation.
    """

    packages: tuple[str, ...]
    whom: str
    require: str
    before: str = ""

    def provide(self, environ: Mapping[str, str], say: Say, found: Callable[[], object]) -> None:
        """Have them on this machine, unless `found` finds them, or say what a person has to do.

        Raises `NotReadyError`, which says it, where `environ` requires them.
        """
        if found():
            return
        purpose = f"{self.whom} need {', '.join(self.packages)}, and that is missing."
        try:
            machine.install(self.packages, purpose, environ, say, self.before)
        except NotReadyError as error:
            if environ.get(self.require):
                raise
            say(f"{error} Until then, {self.whom[0].lower()}{self.whom[1:]} are left out.")
