"""What was found out about a red check. Values only."""

from dataclasses import dataclass

from bot.repair.measuring.flake import Flake


@dataclass(frozen=True, slots=True)
class Findings:
    """The tests that failed at CI, by whose fault it is; node ids in the order of the suite.

    `own` fail here and are the commit's fault, as far as anybody can tell. `inherited` fail on the base branch too.
    `stale` fail on the commit that the branch began at and pass on its base now. `merged` pass here and on the base and
    fail once both are merged. `repeated` passed here and were run again, with how that went. `jobs` are the names of
    the failed jobs, `unlike` says why the base could not be compared with.
    """

    own: tuple[str, ...] = ()
    inherited: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    repeated: tuple[Flake, ...] = ()
    jobs: tuple[str, ...] = ()
    unlike: str = ""

    @property
    def old_base(self) -> bool:
        """Whether the check is red only because the base is stale: bringing the branch up to date is all it takes."""
        return bool(self.stale) and not (self.own or self.inherited or self.merged)
