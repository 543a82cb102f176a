"""When a test looks wrong: its specification says otherwise, or no candidate that pleases every other test pleases it.

Hints for a person, in the comment on what was not solved and in the pull request; a test is never edited. What the
other examples of a function agree on is `bot.repair.integrity.suspect`'s part.
"""

import ast
import doctest
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from bot.repair import describe
from bot.repair.integrity.examples import Example, examples
from bot.repair.integrity.suspect import suspect
from bot.repair.sources.syntax import functions, parse
from bot.repair.types import Attempt, Baseline, SourceFile, Verdict

MIN_CANDIDATES, MIN_ALIKE = 3, 5
MAX_DOUBTS = 5
MAX_SAID = 2000
MAX_REPORTED = 50
_SAID = re.compile(
    r"\b(?P<call>[A-Za-z_]\w*\([^()\n]{0,200}\))`?\s*(?:should|must|has to|ought to)?\s*"
    r"(?:return|returns|give|gives|be|is|equal|equals|==|->|=>|→|yield|yields)\s*`?(?P<value>[^\s`,;][^`\n;]{0,200})"
)


def doubts(
    tests: Sequence[SourceFile],
    sources: Sequence[SourceFile],
    text: str,
    baseline: Baseline,
    attempts: Sequence[Attempt],
) -> tuple[str, ...]:
    """One sentence on each failing test that may itself be wrong, at most five.

    `tests` are the files of the targets, `sources` the code under test, `text` the issue's.
    """
    found: dict[str, str] = {}
    for sentence in (*contradicted(tests, sources, text, baseline), *never_pleased(baseline, attempts)):
        found.setdefault(sentence.partition(" ")[0], sentence)
    return tuple(found.values())[:MAX_DOUBTS]


def contradicted(
    tests: Sequence[SourceFile], sources: Sequence[SourceFile], text: str, baseline: Baseline
) -> Iterator[str]:
    """Failing tests that expect another value than a docstring, the issue, or all other tests of the function."""
    failing = {red.node_id.rpartition("::")[2].partition("[")[0] for red in baseline.failing}
    code = "\n".join(source.data.decode("utf-8", "replace") for source in sources if source.path.endswith(".py"))
    known = [example for file in tests for example in examples(file.data.decode("utf-8", "replace"), code)]
    said = [*_documented(sources), *((where, call, value) for where, call, value in _reported(text))]
    for example in (example for example in known if example.test in failing):
        for where, call, value in said:
            if call == (example.function, _values(example)) and value != example.expected:
                yield (
                    f"{example.test} may itself be wrong: it expects {describe.one_line(repr(example.expected), 80)}, "
                    f"and {where} says {describe.one_line(repr(value), 80)}"
                )
    yield from suspect(known, failing)


def never_pleased(baseline: Baseline, attempts: Sequence[Attempt]) -> Iterator[str]:
    """Targets that stay red under several different candidates that break nothing and leave nothing else red.

    Where there is no other target to please, more candidates are asked for, and they have to fail with one and the same
    message, which is not that of the base: they agree on another result than the test's.
    """
    at_first = {red.node_id: red.message for red in baseline.failing}
    for node_id, message in at_first.items():
        near = {attempt.tree: attempt for attempt in attempts if _pleases_all_but(attempt, node_id)}
        fixed = any(node_id in attempt.comparison.fixed for attempt in attempts)
        others = any(attempt.comparison.fixed for attempt in near.values())
        messages = {red.message for attempt in near.values() for red in attempt.red if red.node_id == node_id}
        alike = len(messages) == 1 and messages != {message} and len(near) >= MIN_ALIKE
        if not fixed and ((others and len(near) >= MIN_CANDIDATES) or alike):
            yield (
                f"{node_id} may itself be wrong: it stayed red under {len(near)} different candidates that broke "
                f"nothing and left no other target red"
            )


def _pleases_all_but(attempt: Attempt, node_id: str) -> bool:
    ran = attempt.verdict in {Verdict.PARTIAL, Verdict.NOT_FIXED} and bool(attempt.tree)
    return ran and set(attempt.comparison.still_failing) == {node_id}


Call = tuple[str, tuple[object, ...]]


def _values(example: Example) -> tuple[object, ...]:
    return tuple(value for _, value in example.arguments)


def _documented(sources: Iterable[SourceFile]) -> Iterator[tuple[str, Call, object]]:
    """The examples of docstrings: `>>> f(1)` and what stands below it."""
    for source in sources:
        tree = parse(source.data) if source.path.endswith(".py") else None
        for function in functions(tree) if tree else ():
            text = ast.get_docstring(function.node) or ""
            try:
                found = doctest.DocTestParser().get_examples(text)
            except ValueError:
                continue
            for example in found:
                if (call := _call(example.source)) and (value := _parsed(example.want)) is not None:
                    yield f"the docstring of {function.qualified_name}", call, value[0]


def _reported(text: str) -> Iterator[tuple[str, Call, object]]:
    """What a report says of calls: `f(1) should return 2`."""
    for match in islice(_SAID.finditer(text[: 10 * MAX_SAID]), MAX_REPORTED):
        call = _call(match["call"])
        words = match["value"].strip().rstrip(".!?")
        for end in range(len(words), 0, -1):
            value = None if words[:end].rstrip().endswith(",") else _parsed(words[:end])
            if call and value is not None:
                yield "the issue", call, value[0]
                break


def _call(source: str) -> Call | None:
    tree = parse(source.strip())
    match tree:
        case ast.Module(body=[ast.Expr(value=ast.Call(func=ast.Name(id=name)) as node)]):
            values = [_literal(argument) for argument in node.args]
            if node.keywords:
                return None
            return (name, tuple(value[0] for value in values if value)) if all(values) else None
        case _:
            return None


def _parsed(text: str) -> tuple[object] | None:
    tree = parse(text.strip()) if text.strip() else None
    match tree:
        case ast.Module(body=[ast.Expr(value=value)]):
            return _literal(value)
        case _:
            return None


def _literal(node: ast.expr) -> tuple[object] | None:
    try:
        return (ast.literal_eval(node),)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
