"""The reporter that pytest 6 to 9 loads inside the container; one file, sent there under a nonce name.

It writes one JSON object a line to `<nonce>.jsonl` in the results directory, and makes pytest run exactly the node
ids that it is given. Nothing that it writes is trusted; a key seals the file against whoever can only write to it.
`pytest_start.py` beside it reads both and registers what does the work.
"""

from __future__ import annotations

import doctest
import hmac
import importlib
import json
import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest import doctest as doctests
from _pytest.assertion import truncate
from _pytest.fixtures import FixtureLookupError, FuncFixtureInfo
from _pytest.runner import runtestprotocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Told = dict[str, Any]

IGNORE_BY_PATH = 7
CANARIES = 25
HERE = Path(__file__).resolve().parent
# The innermost frames, whose variables are shown.
WITH_LOCALS = 5
NONCE = __name__.rpartition("_")[2]
LOCALS = importlib.import_module("regreen_locals_" + NONCE)
RAISED = importlib.import_module("regreen_raised_" + NONCE)
# What pytest shows of a comparison, in its few lines, may leave out what differs. Before 9.2 the module has the limits.
LIMITS: Any = getattr(truncate, "TruncationBudget", truncate)
LIMITS.DEFAULT_MAX_LINES, LIMITS.DEFAULT_MAX_CHARS = 100, 40_000


class Selection:
    """Narrows collection to the files of the wanted node ids, and the items to exactly those."""

    def __init__(self, node_ids: Sequence[str] | None, maxfail: int) -> None:
        """`node_ids` are relative to pytest's root, `None` wants every test; `maxfail` 0 never stops early."""
        self.wanted = None if node_ids is None else set(node_ids)
        self.files = {node_id.split("::", 1)[0] for node_id in node_ids or ()}
        self.folders = {str(parent) for file in self.files for parent in Path(file).parents}
        self.maxfail = maxfail

    @pytest.hookimpl(hookwrapper=True)
    def pytest_load_initial_conftests(self, early_config: Any) -> Iterator[None]:
        """Leave coverage out: it costs time, and a threshold fails a selection that passes."""
        early_config.known_args_namespace.no_cov = True
        yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_cmdline_main(self, config: Any) -> Iterator[None]:
        """Run in this process, and do not stop early, whatever the repository's options say."""
        config.option.maxfail = self.maxfail
        for name, value in (("numprocesses", None), ("dist", "no"), ("tx", []), ("forked", False)):
            if hasattr(config.option, name):
                setattr(config.option, name, value)
        yield

    def ignores(self, path: Path, config: Any) -> bool | None:
        """Whether nothing wanted can be at this path; `None` leaves the decision to others."""
        if self.wanted is None or path.name == "__init__.py":
            return None
        name = os.path.relpath(path, config.rootpath if hasattr(config, "rootpath") else config.rootdir)
        return None if name in self.files or name in self.folders else True

    if int(pytest.__version__.split(".", 1)[0]) >= IGNORE_BY_PATH:

        def pytest_ignore_collect(self, collection_path: Path, config: Any) -> bool | None:
            """Skip what holds none of the wanted tests."""
            return self.ignores(collection_path, config)

    else:
        # Under this name and signature pytest 6 knows it.
        def pytest_ignore_collect(self, path: Any, config: Any) -> bool | None:  # type: ignore[misc]
            """Skip what holds none of the wanted tests."""
            return self.ignores(Path(str(path)), config)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        """Keep the wanted items only."""
        dropped = [] if self.wanted is None else [item for item in items if item.nodeid not in self.wanted]
        if dropped:
            config.hook.pytest_deselected(items=dropped)
            items[:] = [item for item in items if item.nodeid in (self.wanted or ())]


class Recorder:
    """Writes one line for each test when it is over, from the reports and exceptions of its phases."""

    def __init__(self, key: bytes) -> None:
        """The file is made new; its directory is made where it is missing."""
        self.seal = hmac.new(key, digestmod="sha256")
        self.path = HERE.parent / "results" / (NONCE + ".jsonl")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("", encoding="ascii")
        self.pid = os.getpid()
        self.reports: dict[str, list[Any]] = {}
        self.raised: dict[tuple[str, str], Told] = {}
        self.called: dict[str, bool] = {}
        self.contradicted = 0
        self.count = 0

    def write(self, kind: str, **fields: Any) -> None:
        """Write a line at once, so that a crash loses nothing; a forked child writes none."""
        if os.getpid() == self.pid:
            line = json.dumps({"kind": kind, **fields}).encode() + b"\n"
            self.seal.update(line)
            with self.path.open("ab") as file:
                file.write(line)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(self) -> Iterator[None]:
        """Report a conftest.py that cannot be imported: pytest itself only prints it."""
        outcome: Any = yield
        self._conftest(outcome.excinfo and outcome.excinfo[1])

    def pytest_internalerror(self, excinfo: Any) -> None:
        """Before pytest 8, so ends a conftest.py further down that cannot be imported."""
        self._conftest(excinfo.value)

    def _conftest(self, error: BaseException | None) -> None:
        if _is_conftest(error):
            self.write("collect_error", id=_conftest_path(error), **_described(_origin(error)))

    def pytest_exception_interact(self, node: Any, call: Any) -> None:
        """Keep the exception itself; a report carries only its text."""
        error = call.excinfo.value
        told = _described(_origin(error))
        self.raised[node.nodeid, call.when] = {"id": _conftest_path(error), **told} if _is_conftest(error) else told

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report: Any) -> None:
        """Write a module that cannot be collected."""
        if report.failed:
            known = self.raised.pop((report.nodeid, "collect"), None)
            self.write("collect_error", **{"id": report.nodeid, **(known or _text(report))})

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: Any) -> None:
        """Write how many tests are about to run."""
        self.count = len(session.items)
        self.write("collected", count=self.count)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep each phase's report; a rerun starts over, and of subtests only those that fail decide."""
        if report.outcome == "rerun":
            self.reports.pop(report.nodeid, None)
        elif report.outcome == "failed" or type(report).__name__.lower() != "subtestreport":
            self.reports.setdefault(report.nodeid, []).append(report)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self, item: Any) -> Iterator[None]:
        """See what is raised before anybody can talk it away; what `unittest` caught, pytest keeps at the item."""
        outcome: Any = yield
        self.called[item.nodeid] = outcome.excinfo is None and not getattr(item, "_excinfo", None)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> Iterator[None]:
        """Once every test has run, run some that must fail."""
        outcome: Any = yield
        if outcome.excinfo is None and session.items:
            chosen = random.SystemRandom().sample(session.items, min(CANARIES, len(session.items)))
            told = {"count": len(chosen), "passed": sum(map(_canary_passes, chosen))}
            self.write("canaries", **told, contradicted=self.contradicted)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Write what became of a test."""
        reports = self.reports.pop(nodeid, [])
        if not reports:
            return
        decisive, told = _decisive(reports), {}
        outcome = _outcome(decisive)
        self.contradicted += outcome in {"passed", "xpassed"} and not self.called.get(nodeid)
        if outcome in {"failed", "error"}:
            told = self.raised.get((nodeid, decisive.when)) or _text(decisive)
        for when in ("setup", "call", "teardown"):
            self.raised.pop((nodeid, when), None)
        seconds = sum(report.duration for report in reports)
        self.write("test", id=nodeid, outcome=outcome, phase=decisive.when, seconds=seconds, **told)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: Any, exitstatus: int) -> None:
        """Write how the session ended."""
        self.write("finished", exit=int(getattr(session, "exitstatus", exitstatus)), count=self.count)
        self.write("seal", mac=self.seal.hexdigest())


def _canary_passes(item: Any) -> bool:
    """Whether a test that raises passes: one that looks like `item`, without fixtures, of which nobody else hears."""

    def raises() -> None:
        raise AssertionError

    # Before pytest 8, the names that nose had; without them its parent is asked.
    vars(raises).update(setup=list, teardown=list)
    raises.__name__ = raises.__qualname__ = getattr(item, "originalname", None) or item.name
    nothing = FuncFixtureInfo((), (), [], {})
    canary = pytest.Function.from_parent(item.session, name=item.name, callobj=raises, fixtureinfo=nothing)
    for name in {"_id", "_nodeid", "path", "fspath"}.intersection(dir(item)):
        setattr(canary, name, getattr(item, name))
    vars(canary)["location"] = item.location
    try:
        return canary.nodeid != item.nodeid or all(report.passed for report in runtestprotocol(canary, log=False))
    except Exception:  # noqa: BLE001 (a hook of the repository that takes no stranger made it no pass)
        return False


def _decisive(reports: list[Any]) -> Any:
    """The report that says what became of the test: the first failure, else a skip, else the call."""
    for wanted in ("failed", "skipped"):
        for report in reports:
            if report.outcome == wanted:
                return report
    return next((report for report in reports if report.when == "call"), reports[-1])


def _outcome(report: Any) -> str:
    if report.outcome == "failed":
        return "failed" if report.when == "call" else "error"
    expected = hasattr(report, "wasxfail")
    if report.outcome == "skipped":
        return "xfailed" if expected else "skipped"
    return "xpassed" if expected else "passed"


def _is_conftest(error: BaseException | None) -> bool:
    return type(error).__name__ == "ConftestImportFailure"


def _conftest_path(error: Any) -> str:
    path = str(error.path)
    return RAISED.relative(path) or path


def _origin(error: Any) -> Any:
    """The exception that pytest or doctest wrapped in one of its own, under the names that versions have for it."""
    if _is_conftest(error):
        origin: Any = error.excinfo[1] if hasattr(error, "excinfo") else error.cause
    elif isinstance(error, pytest.Collector.CollectError):
        origin = error.__cause__
    else:
        # An example that fails does not end its doctest where pytest is told to go on.
        origin = (
            (getattr(error, "failures", None) or [error])[0] if type(error).__module__ == doctests.__name__ else error
        )
        origin = origin.exc_info[1] if isinstance(origin, doctest.UnexpectedException) else origin
    return origin or error


def _described(error: BaseException) -> Told:
    """Type, message and in-repository frames of an exception and of what it came from."""
    words, file, line = _printed(error)
    found, place = RAISED.frames(error), RAISED.relative(file)
    found += [[place, line, "", None]] if place else []
    frames = [[*frame, LOCALS.shown(inner)] for *frame, inner in found[-WITH_LOCALS:]]
    frames[:0] = [frame[:3] for frame in found[:-WITH_LOCALS]]
    return {"exception": type(error).__name__, "message": RAISED.message(error, words), "frames": frames}


def _printed(error: Any) -> tuple[str, str, int]:
    """What pytest prints in place of an exception's own words, which are no more than its arguments, and for where."""
    if isinstance(error, FixtureLookupError):
        missing: Any = error.formatrepr()
        return missing.errorstring, str(missing.filename), missing.firstlineno + 1
    if isinstance(error, doctest.DocTestFailure):
        example, test = error.example, error.test
        words = example.source + "Expected: " + example.want + "Got: " + error.got
        return words, str(test.filename), (test.lineno or 0) + example.lineno + 1
    return "", "", 0


def _text(report: Any) -> Told:
    """What a report tells without its exception, as with a strict xfail that passed."""
    lines = str(report.longrepr).splitlines()
    errors = [line[1:].strip() for line in lines if line.startswith("E ")]
    kind = errors[-1].partition(":")[0] if errors else ""
    message = "\n".join(errors or lines)
    return {"exception": kind if kind.replace(".", "").isidentifier() else "", "message": RAISED.capped(message)}
