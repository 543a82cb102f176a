"""How values are said: durations, money, times, states. Pure."""

from datetime import UTC, datetime
from urllib.parse import quote, urlsplit

from markupsafe import Markup, escape

from bot.jobs import State
from bot.pipeline.ports.reading import OPEN, RunRow

MINUTE, HOUR, DAY = 60, 3600, 86400
CENTS = 0.1
QUEUED, RUNNING = "queued", "running"
STATES: dict[str, tuple[str, str]] = {
    QUEUED: ("Queued", "quiet"),
    RUNNING: ("Running", "busy"),
    OPEN: ("Not ended", "busy"),
    State.PUBLISHED: ("Pull request", "good"),
    State.GREEN: ("Nothing is red", "good"),
    State.REFUSED: ("Refused", "warn"),
    State.TEST_SHOWN: ("Test shown", "note"),
    State.NOT_REPRODUCED: ("Not reproduced", "warn"),
    State.UNSOLVED: ("No fix", "warn"),
    State.FAILED: ("Failed", "bad"),
    State.CANCELLED: ("Cancelled", "quiet"),
}
"""What a state is called, and the class of its colour."""
VERDICTS: dict[str, tuple[str, str]] = {
    "": ("Tests run", "busy"),
    "solved": ("Solved", "good"),
    "regressed": ("Broke others", "bad"),
    "not_fixed": ("Not fixed", "warn"),
    "partial": ("Fixed a part", "warn"),
    "invalid_run": ("Run cannot be believed", "bad"),
    "refused": ("Refused", "bad"),
    "rejected": ("Vetoed", "bad"),
    "doubted": ("In doubt", "note"),
    "not_applied": ("No patch", "warn"),
    "repeated": ("Seen before", "quiet"),
}


def duration(seconds: float | None) -> str:
    """`0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`; a dash for none."""
    if seconds is None:
        return "\N{EN DASH}"
    if seconds < 10:  # noqa: PLR2004 - below this a tenth of a second tells something
        return f"{max(seconds, 0):.1f} s"
    whole = round(seconds)
    if whole < MINUTE:
        return f"{whole} s"
    for unit, name, part, part_name in ((DAY, "d", HOUR, "h"), (HOUR, "h", MINUTE, "min"), (MINUTE, "min", 1, "s")):
        if whole >= unit:
            rest = whole % unit // part
            return f"{whole // unit} {name}" + (f" {rest} {part_name}" if rest else "")
    return f"{whole} s"


def dollars(amount: float) -> str:
    """In cents, of small amounts their tenths and hundredths, too."""
    return f"${amount:,.4f}" if 0 < amount < CENTS else f"${amount:,.2f}"


def count(number: int) -> str:
    """With a comma after each three digits."""
    return f"{number:,}"


def moment(at: float) -> str:
    """A time as people read it, in UTC."""
    return _time(at).strftime("%Y-%m-%d %H:%M:%S UTC")


def stamp(at: float) -> str:
    """A time as `<time datetime>` takes it."""
    return _time(at).strftime("%Y-%m-%dT%H:%M:%SZ")


def ago(at: float, now: float) -> str:
    """How long ago something was, with one unit."""
    passed = max(now - at, 0.0)
    for unit, name in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min")):
        if passed >= unit:
            return f"{int(passed // unit)} {name} ago"
    return "just now"


def state(row: RunRow, *, begun: bool = False) -> tuple[str, str]:
    """What a run's state is called, and the class of its colour; `begun` says that it has a log."""
    if row.ended_at is None:
        return STATES[RUNNING if begun or row.started_at is not None else QUEUED]
    return STATES.get(row.state, (row.state or "Ended", "quiet"))


def verdict(name: str, *, over: bool = False) -> tuple[str, str]:
    """The same of an attempt's verdict; where there is none and the run is over, there will be none."""
    return ("Not judged", "quiet") if over and not name else VERDICTS.get(name, (name, "quiet"))


def ticked(text: str) -> Markup:
    """A text in which what stands between two backticks is code; all of it is escaped."""
    said, *rest = text.split("`")
    found = escape(said)
    while len(rest) > 1:
        code, said, *rest = rest
        found += Markup("<code>%s</code>%s") % (code, said)
    return found + "".join(f"`{one}" for one in rest)


def run_path(identity: str) -> str:
    """Where a run's page is."""
    return f"/runs/{quote(identity, safe='')}"


def repository_path(name: str) -> str:
    """Where a repository's page is."""
    return f"/repositories/{quote(name)}"


def web_link(address: str) -> str:
    """The address, where it is one of the web; empty for anything else."""
    return address if urlsplit(address).scheme in {"http", "https"} else ""


def subject_link(github_url: str, repository: str, subject: str) -> str:
    """Where an issue or a pull request is at GitHub, empty for any other subject."""
    kind, _, number = subject.partition("-")
    place = {"issue": "issues", "pull": "pull"}.get(kind)
    return f"{github_url.rstrip('/')}/{quote(repository)}/{place}/{number}" if place and number.isdecimal() else ""


def _time(at: float) -> datetime:
    return datetime.fromtimestamp(min(max(at, 0.0), 253402300799.0), UTC)
