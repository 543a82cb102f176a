"""JUnit XML, read as what it is: claims of the workload. No document type, no entities, bounded in every direction.

The format has no standard; this reads what its writers agree on: `testcase` elements with `name`, `classname`, `file`,
`line` and `time`, and in them `failure`, `error` or `skipped`.
Source: https://github.com/testmoapp/junitxml
"""

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
}
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

    def _end(self, name: str) -> None:
        del name
        kind = self._path.pop()
        if kind in _OUTCOMES:
            self._room = 0
        if kind == "testcase" and "testcase" not in self._path:
            self.tests.append(self._result())

    def _characters(self, text: str) -> None:
        if self._room > 0:
            self._text.append(text[: self._room])
            self._room -= len(text)

    def _result(self) -> TestResult:
        case = self._case
        parts = [_text(case, key, records.MAX_TEXT) for key in ("file", "classname", "name")]
        if not parts[-1]:
            raise records.ForgeryError("a test without a name")
        path, _, name = parts[0].removeprefix("/repo/"), parts[1], parts[2]
        message = "\n".join(part.strip() for part in (self._told.get("message", ""), "".join(self._text)) if part)
        line = case.get("line", "")
        where = path and line.isdecimal() and len(line) < len(str(_MAX_LINE))
        return TestResult(
            "::".join(filter(None, (path, parts[1], name))),
            self._outcome,
            seconds=_seconds(case.get("time", "0")),
            exception=_text(self._told, "type", records.MAX_TEXT) if self._outcome.red else "",
            message=_text({"message": message[: records.MAX_TEXT]}, "message", records.MAX_TEXT),
            frames=(Frame(path, int(line), name),) if where and self._outcome.red else (),
        )


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
