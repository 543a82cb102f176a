"""What can be downloaded of a run, made of its log when somebody asks for it."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence

from bot.codec import codec_for, digest
from bot.pipeline.logs.runlog import Entry, payload_of
from bot.pipeline.logs.witness import CALLED
from bot.pipeline.reading import plain
from bot.pipeline.reading.artifacts import RECIPE, TESTS
from bot.pipeline.reading.lines import entries
from bot.pipeline.reading.matrix import table
from bot.pipeline.reading.payloads import redacted
from bot.pipeline.reading.view import Reading
from bot.pipeline.reading.views import EnvironmentView
from sandbox.spec import Recipe

_EVALUATE = b'"Workspace.evaluate"'


def content(lines: Sequence[bytes], name: str, redact: Callable[[str], str]) -> bytes | None:
    """One of `offered` by name, its secrets redacted; `None` for any other name, and for the log, which is its lines.

    Raises `LogError`.
    """
    reading = Reading()
    found = tuple(redacted(entry, redact) for entry in entries(lines))
    for entry in found:
        reading.take(entry)
    run = reading.view()
    if name not in {one.name for one in run.artifacts}:
        return None
    # a document or a table whose texts have no secret any more is not looked at as a text: nothing of its form is one
    if name == RECIPE:
        text = _recipe(run.environment)
    elif name == TESTS:
        text = table(reading.suite, run.attempts, run.targets)
    elif name in reading.attempts.outputs:
        text = redact(_output(lines, reading.attempts.outputs[name]))
    else:
        text = redact(_of_attempt(found[reading.attempts.sources[name]]))
    return text.encode(errors="replace")


def _recipe(environment: EnvironmentView | None) -> str:
    if environment is None:
        return ""
    plainly = codec_for(Recipe).encode(environment.recipe)
    return json.dumps({"commit": environment.commit, "recipe": plainly}, indent=2)


def _of_attempt(entry: Entry) -> str:
    """A diff, or what a model was asked and said."""
    return entry.payload.decode(errors="replace") if entry.event == "patch" else _talk(entry.fields)


def _talk(fields: plain.Fields) -> str:
    said = [f"=== {message.role}\n{message.content}\n" for message in plain.messages(fields, "prompt")]
    return "\n".join([*said, f"=== answer\n{plain.text(fields, 'reply')}\n"])


def _output(lines: Iterable[bytes], wanted: str) -> str:
    """The output with this digest, among the results of all test runs."""
    return next((output for output in _outputs(lines) if digest(output.encode(errors="replace")) == wanted), "")


def _outputs(lines: Iterable[bytes]) -> Iterator[str]:
    for data in lines:
        # looked at before it is parsed: the other calls' results may be large
        if _EVALUATE not in data or json.loads(data)["event"] != CALLED:
            continue
        record = json.loads(payload_of(data) or b"{}")
        yield from (plain.text(run, "output") for run in plain.several(record, "value"))
