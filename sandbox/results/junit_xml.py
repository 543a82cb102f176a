"""JUnit XML, read as what it is: claims of the workload. No document type, no entities, bounded in every direction.

The format has no standard; this reads what its writers agree on: `testcase` elements with `name`, `classname`, `file`,
`line`, `time`, `status` and `result`, and in them `failure`, `error`, `skipped` or `disabled`. An `error` of a suite is
a red test of its name. What a suite says of its number of tests, failures and errors must not exceed what it has.
Source: https://github.com/testmoapp/junitxml
"""

import hashlib
from collections.abc import Iterable, Mapping
from xml.parsers import expat

from sandbox.results import records
from sandbox.spec import Frame, Outcome, TestResult

MAX_DEPTH = 32
MAX_ELEMENTS = 500_000
_OUTCOMES: Mapping[str, Outcome] = {
    "failure": Outcome.FAILED,
    "error": Outcome.ERROR,
    "skipped": Outcome.SKIPPED,
    "disabled": Outcome.SKIPPED,
}
_STATUSES: Mapping[str, Outcome] = {
    **dict.fromkeys(("notrun", "suppressed", "disabled", "skipped", "ignored", "pending"), Outcome.SKIPPED),
    **dict.fromkeys(("fail", "failed", "failure"), Outcome.FAILED),
    "error": Outcome.ERROR,
}
"""What `status` and `result` say, as googletest and CTest write them, where no element says it."""

_SUITES = frozenset({"testsuite", "testsuites"})
_MAX_ID = 4000
_MAX_LINE = 10**7
_ENCODINGS = frozenset({"utf-8", "utf-16", "us-ascii", "ascii", "iso-8859-1", "latin-1"})
"""What is read; any other name would be looked up among Python's codecs, of which some are no text at all."""


def read(files: Iterable[bytes]) -> list[TestResult]:
    """The tests of all files in order. Raises `ValueError` for what is no XML or exceeds a bound."""
    reader = _Reader()
    for data in files:
        reader.read(data)
    return reader.tests


class _Reader:
    """Takes one document after the other; the bounds hold for all of them together."""

    def __init__(self) -> None:
        self.tests: list[TestResult] = []
        self._elements = 0
        self._path: list[str] = []
        self._suites: list[tuple[dict[str, str], int]] = []
        self._case: dict[str, str] = {}
        self._outcome = Outcome.PASSED
        self._told: dict[str, str] = {}
        self._text: list[str] = []
        self._room = 0

    def read(self, data: bytes) -> None:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.XmlDeclHandler = _declared
        parser.StartDoctypeDeclHandler = _refuse
        parser.EntityDeclHandler = _refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        self._path.clear()
        self._suites.clear()
        try:
            parser.Parse(data, True)  # noqa: FBT003 (expat takes it by position)
        except (expat.ExpatError, LookupError) as error:
            raise records.ForgeryError(f"no XML: {error}") from error

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        self._path.append(name.rpartition(":")[2])
        if self._elements > MAX_ELEMENTS or len(self._path) > MAX_DEPTH:
            raise records.ForgeryError("more elements than a suite has to tell, or too deep")
        match self._path:
            case [*above, "testcase"] if "testcase" not in above:
                if len(self.tests) >= records.MAX_RECORDS:
                    raise records.ForgeryError("more tests than a suite has")
                self._case, self._outcome, self._told, self._text = attributes, Outcome.PASSED, {}, []
            case [*_, "testcase", kind] if kind in _OUTCOMES and not self._outcome.red:
                self._outcome, self._told, self._text = _OUTCOMES[kind], attributes, []
                self._room = records.MAX_TEXT
            case [*_, suite] if suite in _SUITES:
                self._suites.append((attributes, len(self.tests)))
            case [*_, suite, "failure" | "error"] if suite in _SUITES:
                self._case, self._outcome, self._told, self._text = {}, Outcome.ERROR, attributes, []
                self._room = records.MAX_TEXT

    def _end(self, name: str) -> None:
        del name
        kind = self._path.pop()
        if kind in _OUTCOMES:
            self._room = 0
        if kind == "testcase" and "testcase" not in self._path:
            self.tests.append(self._result())
        elif kind in {"failure", "error"} and self._path and self._path[-1] in _SUITES:
            self._case = {**self._suites[-1][0], "time": "0"}
            self._case["name"] = self._case.get("name") or "testsuite"
            self.tests.append(self._result())
        elif kind in _SUITES:
            attributes, start = self._suites.pop()
            _add_up(attributes, self.tests[start:])

    def _characters(self, text: str) -> None:
        if self._room > 0:
            self._text.append(text[: self._room])
            self._room -= len(text)

    def _result(self) -> TestResult:
        case = self._case
        parts = [_text({key: case.get(key, "")}, key, records.MAX_BYTES) for key in ("file", "classname", "name")]
        if not parts[-1]:
            raise records.ForgeryError("a test without a name")
        path, _, name = parts[0].removeprefix("/repo/"), parts[1], parts[2]
        message = "\n".join(part.strip() for part in (self._told.get("message", ""), "".join(self._text)) if part)
        line = case.get("line", "")
        where = path and line.isdecimal() and len(line) < len(str(_MAX_LINE))
        said = [_STATUSES[case[key].lower()] for key in ("status", "result") if case.get(key, "").lower() in _STATUSES]
        if said and not self._outcome.red:
            self._outcome = next((outcome for outcome in said if outcome.red), said[0])
        return TestResult(
            _short("::".join(filter(None, (path, parts[1], name)))),
            self._outcome,
            seconds=_seconds(case.get("time", "0")),
            exception=_text({"type": self._told.get("type", "")[: records.MAX_TEXT]}, "type", records.MAX_TEXT)
            if self._outcome.red
            else "",
            message=_text({"message": message[: records.MAX_TEXT]}, "message", records.MAX_TEXT),
            frames=(Frame(path[:_MAX_ID], int(line), name[:_MAX_ID]),) if where and self._outcome.red else (),
        )


def _add_up(attributes: Mapping[str, str], tests: list[TestResult]) -> None:
    """Raises `ValueError` where a suite speaks of more tests than it has, or of red ones of which it has none."""
    tests_told, failures, errors = (
        int(value) if value.isdecimal() and len(value) < len(str(_MAX_LINE)) else 0
        for value in (attributes.get(key, "") for key in ("tests", "failures", "errors"))
    )
    if tests_told > len(tests) or (failures + errors > 0 and not any(test.outcome.red for test in tests)):
        raise records.ForgeryError("a suite that contradicts its tests")


def _short(name: str) -> str:
    """A name that fits, and is still its own."""
    return name if len(name) <= _MAX_ID else f"{name[:_MAX_ID]}~{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def _declared(version: str, encoding: str | None, standalone: int) -> None:
    del version, standalone
    if (encoding or "utf-8").lower() not in _ENCODINGS:
        raise records.ForgeryError("an encoding that no writer of reports needs")


def _refuse(*_: object) -> None:
    raise records.ForgeryError("a document type, which may define entities")


def _text(attributes: Mapping[str, str], key: str, limit: int) -> str:
    return records.string(attributes, key, limit)


def _seconds(value: str) -> float:
    """Some writers use a comma for thousands; what is no duration counts as none."""
    try:
        seconds = float(value.replace(",", "")[:40])
    except ValueError:
        return 0.0
    return seconds if 0 <= seconds < records.MAX_NUMBER else 0.0
