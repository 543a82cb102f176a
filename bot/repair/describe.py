"""Plain sentences about test runs. What tests print is untrusted: folded to one line where it is quoted, and capped."""

import re

from sandbox.spec import RunState, TestResult, TestRun

MAX_LINE = 400
MAX_TAIL = 1500
MAX_WIDTH = 200
MAX_READ = 40_000
_FOREIGN = re.compile(r"^[ \t]+at [^\n]*(?:\bnode:|/node_modules/)[^\n]*\n?", re.MULTILINE)

_STATES = {
    RunState.COMPLETE: "the run is complete",
    RunState.NO_TESTS: "no test was collected",
    RunState.COLLECTION_FAILED: "tests could not be collected",
    RunState.NO_RESULTS: "the run ended without handing over its results",
    RunState.INCONSISTENT: "results, exit code and collected count contradict each other",
    RunState.TIMEOUT: "the run hung and was ended",
    RunState.OUTPUT_LIMIT: "the run flooded its output and was ended",
    RunState.OOM: "the run used up its memory and was ended",
    RunState.UNBUILT: "the patch was not run, since the build would have to run again",
}


def one_line(text: str, limit: int = MAX_LINE) -> str:
    """The text on one line, at most `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def failure(result: TestResult) -> str:
    """One line on a red result: node id, exception type, message."""
    what = ": ".join(part for part in (result.exception, result.message) if part)
    return one_line(f"{result.node_id}: {what or result.outcome}")


def cause(run: TestRun) -> str:
    """Why a run cannot be believed: one line, then the evidence, be it collection's errors or the output's end."""
    code = "" if run.exit_code is None else f" (exit code {run.exit_code})"
    if run.state is RunState.COMPLETE:
        return _STATES[run.state]
    if run.state is RunState.COLLECTION_FAILED and run.red:
        return "\n".join((f"{_STATES[run.state]}{code}:", *(failure(result) for result in run.red[:5])))
    after = f" after {run.seconds:.0f} s" if run.state is RunState.TIMEOUT and run.seconds else ""
    shown = _evidence(run)
    return f"{_STATES[run.state]}{after}{code}" + (f":\n{shown}" if shown else "")


def _evidence(run: TestRun) -> str:
    """The output's end, without frames of runners and packages; of a flood its start, which names the test."""
    flooded = run.state is RunState.OUTPUT_LIMIT
    output = run.output.strip()
    output = _FOREIGN.sub("", output[:MAX_READ] if flooded else output[-MAX_READ:]).strip()
    kept = output[:MAX_TAIL] if flooded else output[-MAX_TAIL:]
    return "\n".join(line if len(line) <= MAX_WIDTH else f"{line[:MAX_WIDTH]}…" for line in kept.splitlines())


def some(node_ids: tuple[str, ...], limit: int = 3) -> str:
    """The first few of these ids and how many more there are."""
    shown = ", ".join(node_ids[:limit])
    return shown if len(node_ids) <= limit else f"{shown} and {len(node_ids) - limit} more"


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def fenced(text: str, limit: int) -> str:
    """Untrusted text as data in a prompt: capped, between fences that it cannot close."""
    kept = text if len(text) <= limit else f"{text[:limit]}\n[cut after {limit} characters]"
    longest = max((len(run) for run in re.findall("`+", kept)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{kept.rstrip()}\n{fence}"
