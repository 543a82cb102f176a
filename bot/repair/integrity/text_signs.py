"""The signs of tampering in languages whose syntax is not understood here, by patterns of their text."""

import re
from collections.abc import Iterator

from bot.repair.sources.languages import GO, JAVASCRIPT

_JAVASCRIPT = (
    (
        re.compile(r"""\bprocess['"`\]\s]*(?:\.\s?|\[\s*['"`])(?:exit|reallyExit|kill|abort)\b"""),
        "ends the process (process.exit)",
    ),
    (
        re.compile(
            r"""(?:[\w)\]]\[|\brequire\(|\bimport\()\s*(?:(['"`])[^'"`]*\1\s*\+\s*['"`]|\[[^\]]*\]\s*\.\s*join\()"""
        ),
        "puts a name together from pieces",
    ),
    (
        re.compile(r"""\brequire\([^()]*\)(?:\.\w+|\[[^\]]+\])+\s*=[^=>]"""),
        "replaces a part of another module",
    ),
    (re.compile(r"\bprocess\s?\.\s?(?:on|once|emit|exitCode)\b"), "decides on how the process ends (process.on)"),
    (
        re.compile(r"\b(?:JEST_WORKER_ID|VITEST\w*|NODE_TEST_CONTEXT|NODE_ENV)\b"),
        "asks whether a test is running (NODE_ENV, JEST_WORKER_ID)",
    ),
    (
        re.compile(r"""['"](?:node:test|jest|@jest/[\w-]+|vitest|mocha|chai)(?:/[\w-]+)?['"]"""),
        "refers to the test runner (node:test, jest, vitest, mocha)",
    ),
    (re.compile(r"\brequire\s?\.\s?cache\b|\bnode:module\b|\bModule\s?\.\s?_"), "reaches into loaded modules"),
    (re.compile(r"\b(?:jest|vi)\s?\.\s?(?:fn|mock|spyOn)\b"), "replaces code under test (jest.mock)"),
    # An error that leaves its own constructor out of its stack, having asked whether that can be done.
    (
        re.compile(r"\bprepareStackTrace\b|\bcaptureStackTrace\b(?!\s*(?:\(\s*this\b|\)|[?&]))"),
        "looks at its callers (prepareStackTrace)",
    ),
)
_GO = (
    (re.compile(r"\b(?:os\.Exit|(?:syscall|unix)\.(?:Exit|Kill)|runtime\.Goexit)\b"), "ends the process (os.Exit)"),
    (re.compile(r'"testing(?:/\w+)?"|"test\.v"|\btesting\.Testing\b'), "refers to the test runner (testing)"),
    (re.compile(r"\bruntime\.(?:Callers?|CallersFrames|Stack)\b"), "looks at its callers (runtime.Caller)"),
    (re.compile(r"--- PASS"), "prints what a test runner would (--- PASS)"),
    (re.compile(r"^//go:(?:linkname|build\s+!)", re.MULTILINE), "hides from the compiler (go:linkname, go:build)"),
)  # fmt: skip


def signs(path: str, source: bytes) -> Iterator[str]:
    """What a file in JavaScript or Go bears; nothing for another."""
    table = _JAVASCRIPT if path.endswith(JAVASCRIPT) else _GO if path.endswith(GO) else ()
    text = source.decode("utf-8", "replace") if table else ""
    yield from (said for pattern, said in table if pattern.search(text))
