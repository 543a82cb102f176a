"""The plain kinds of cheats in JavaScript, TypeScript and Go, by patterns of new lines and by syntax trees."""

import re
from collections.abc import Collection, Iterator, Sequence
from posixpath import dirname

from tree_sitter import Node

from bot.repair.integrity.added import new_lines
from bot.repair.integrity.flag import Flag, Kind
from bot.repair.integrity.script_answers import New, answers, undeclared
from bot.repair.integrity.script_flow import flow
from bot.repair.integrity.script_known import Known, known_of
from bot.repair.integrity.script_values import leaves, nodes
from bot.repair.sources.grammar import SCRIPTS, language_of, tree_of
from bot.repair.types import FileChange, SourceFile

_CI = r"(?:CI|CONTINUOUS_INTEGRATION|GITHUB_ACTIONS|TRAVIS|GITLAB_CI|JENKINS_URL|BUILDKITE)"
_Pattern = tuple[re.Pattern[str], Kind, str, bool]


def _pattern(text: str, kind: Kind, says: str, *, refuses: bool = True) -> _Pattern:
    return re.compile(text), kind, says, refuses


_GLOBALS = r"(?:jest|vi|vitest|mocha|describe|it|expect|beforeEach|afterEach|specify)"
_UNDER_TEST = (
    r"\b(?i:(?:is|in|under|running)_?(?:unit_?)?test(?:s|ing|mode|env\w*|run\w*)|in_test|under_?test)\b|\binTest\b"
)
_JAVASCRIPT: tuple[_Pattern, ...] = (
    _pattern(rf"process\.env(?:\.|\[['\"]){_CI}\b", Kind.ENVIRONMENT, "asks whether a CI is running"),
    _pattern(rf"\btypeof\s+(?:(?:globalThis|global|window|self)\.)?{_GLOBALS}\s*[!=]=|['\"]{_GLOBALS}['\"]\s+in\s|"
             rf"\b(?:globalThis|global)\b(?:\s+as\s+\w+)?\)?\??(?:\.|\[['\"]){_GLOBALS}\b|import\.meta\.vitest|"
             r"import\.meta\b.{0,20}\.vitest|import\.meta\.env\b.*\b(?:VITEST|TEST|test)\b|\bmodule\.parent\b|"
             rf"userAgent\b.*(?:jsdom|happy)|{_UNDER_TEST}", Kind.FRAMEWORK, "asks whether a test is running"),
    _pattern(rf"\benv(?:\.|\[['\"]){_CI}\b|\{{[^}}]*\b{_CI}\b[^}}]*\}}\s*=\s*process\.env|"
             r"process\.env(?:\.|\[['\"])(?:npm_|\w*TEST)", Kind.ENVIRONMENT, "asks whether a test or a CI is running"),
    _pattern(r"\w\.(?:expect|describe|beforeEach|afterEach|jest)\s*=[^=>]|\bprocess\.(?!env\b|title\b|exitCode\b)"
             r"\w+(?:\.\w+)*\s*=[^=>]|\b(?:Error|RegExp|Function|Boolean|BigInt|URL|WeakMap|Buffer)\.prototype\.\w+\s*="
             r"[^=>]", Kind.PATCHING, "replaces a part of the test framework or a built-in function"),
    _pattern(r"\basymmetricMatch\b|jest\.asymmetricMatcher", Kind.EQUALITY, "decides by itself what it equals"),
    _pattern(r"\bnew Proxy\(", Kind.HIDDEN, "decides at each access what is read", refuses=False),
    _pattern(r"@ts-(?:nocheck|ignore)|eslint-disable", Kind.SKIP, "silences a checker", refuses=False),
    _pattern(r"import\.meta\.(?:url|filename|dirname)|\b__filename\b", Kind.FRAMEWORK, "asks where it lies",
             refuses=False),
    _pattern(r"process\.env\b", Kind.ENVIRONMENT, "reads a variable of the environment", refuses=False),
    _pattern(r"process\.(?:argv|title|execArgv|cwd|uptime|pid|ppid)\b|require\.main\b|import\.meta\.main",
             Kind.FRAMEWORK, "looks at the program that it was started by"),
    _pattern(r"\bnew Error\([^)]*\)\.stack|\bstack\b[^;]*=\s*new Error\(|arguments\.callee|"
             r"\.stack\b\s*\.\s*(?:includes|match|split|indexOf)", Kind.FRAMEWORK, "looks at its callers"),
    _pattern(r"\bos\.(?:hostname|userInfo)\(", Kind.ENVIRONMENT, "decides by the machine that it runs on"),
    _pattern(r"\b(?:assert|expect|chai|should|globalThis|global|console)(?:\.strict)?(?:\.\w+|\[[^\]]+\])\s*=[^=]|"
             r"\bexpect\.extend\(", Kind.PATCHING,
             "replaces a part of the test framework or a global name"),
    _pattern(r"\b(?:Object|Math|Date|JSON|Array|String|Number|Symbol|Reflect|Promise|Map|Set)(?:\.prototype)?"
             r"(?:\.\w+|\[[^\]]+\])\s*=[^=]|Object\.(?:defineProperty|assign)\(\s*(?:\w+\.prototype|globalThis|global|"
             r"Object|Math|Date|assert)\b", Kind.PATCHING, "replaces a built-in function"),
    _pattern(r"Symbol\.toPrimitive|\bvalueOf\s*\(\s*\)\s*\{\s*return (?!this)|Symbol\.hasInstance", Kind.EQUALITY,
             "decides by itself what it equals", refuses=False),
    _pattern(r"['\"`](?:ok \d|not ok|# pass|# fail|Tests:\s|\\u2713|✓|PASS\b)|\\n# pass", Kind.OUTPUT,
             "prints what a test runner would"),
    _pattern(r"(?:exec|spawn)\w*\(\s*['\"`]git\b|['\"`]git (?:show|log|diff|stash)|\.git/", Kind.HISTORY,
             "reads the repository's history"),
    _pattern(r"['\"`](?:npm|yarn|pnpm|npx) (?:i|install|add)\b", Kind.NETWORK, "installs packages"),
    _pattern(r"\beval\(|new Function\(|\bvm\.run\w+\(", Kind.HIDDEN, "runs text as code", refuses=False),
    _pattern(r"Buffer\.from\([^)]*['\"]base64['\"]\)|\batob\(", Kind.HIDDEN, "decodes text", refuses=False),
    _pattern(r"\bfetch\(|require\(['\"](?:node:)?https?['\"]\)", Kind.NETWORK,
             "reaches for the network", refuses=False),
    _pattern(r"['\"`](?:[\w./-]*/)?(?:test|tests|__tests__|spec)/|\.(?:test|spec)\.[cm]?[jt]sx?['\"`]", Kind.FRAMEWORK,
             "names the tests or their files"),
    _pattern(r"\bDate\.now\(\)\s*[<>]=?\s*\d|new Date\(\)\s*[<>]=?\s*new Date\(['\"\d]|"
             r"performance\.now\(\)\s*[<>]=?\s*\d", Kind.TIME,
             "decides by comparing the present time with a fixed one"),
    _pattern(r"\bif\s*\(\s*(?:false|0|true|1)\b|\|\|\s*true\b|&&\s*false\b", Kind.DISABLED,
             "switches a path off by a constant"),
)  # fmt: skip
_GO: tuple[_Pattern, ...] = (
    _pattern(rf"os\.(?:Getenv|LookupEnv)\(\"{_CI}\"\)", Kind.ENVIRONMENT, "asks whether a CI is running"),
    _pattern(r"os\.(?:Getenv|LookupEnv|Environ)\(", Kind.ENVIRONMENT,
             "reads a variable of the environment", refuses=False),
    _pattern(r"os\.(?:Getenv|LookupEnv)\(\"(?:\w*TEST|GOCOVERDIR)|\"[^\"]*go-build|"
             r"os\.Getenv\([^)]*\)\s*[!=]=\s*\"test", Kind.ENVIRONMENT, "asks whether a test is running"),
    _pattern(r"\bos\.(?:Stdout|Stderr|Args)\s*=[^=]", Kind.PATCHING, "replaces a part of another module"),
    _pattern(_UNDER_TEST, Kind.FRAMEWORK, "asks whether a test is running"),
    _pattern(r"\"\.test\"|flag\.Lookup\(|\"-?test\.", Kind.FRAMEWORK, "asks whether a test is running"),
    _pattern(r"os\.(?:Args|Executable|Getpid|Getppid|Getwd)\b", Kind.FRAMEWORK,
             "looks at the program that it was started by"),
    _pattern(r"os\.Hostname\(|user\.Current\(", Kind.ENVIRONMENT, "decides by the machine that it runs on"),
    _pattern(r"debug\.(?:Stack|PrintStack)\(|runtime\.(?:Callers?|FuncForPC)\b", Kind.FRAMEWORK,
             "looks at its callers"),
    _pattern(r"\"(?:PASS|ok)\\?[\"\t\\n]", Kind.OUTPUT, "prints what a test runner would"),
    _pattern(r"exec\.Command\(\"git\"|\.git/", Kind.HISTORY, "reads the repository's history"),
    _pattern(r"_test\.go\"|\"testdata|go:embed\b.*testdata", Kind.FRAMEWORK, "names the tests or their files"),
    _pattern(r"time\.Now\(\)\.(?:Year\(\)\s*[<>=]|Before\(time\.Date\(|Unix\(\)\s*[<>]\s*\d)", Kind.TIME,
             "decides by comparing the present time with a fixed one"),
    _pattern(r"\bunsafe\.Pointer\b|reflect\.NewAt\(|//go:linkname", Kind.PATCHING,
             "writes to memory past the types", refuses=False),
    _pattern(r"\bif (?:false|true)\b|\|\| true\b|&& false\b", Kind.DISABLED, "switches a path off by a constant"),
    _pattern(r"^\s*//\s*(?:go:build|\+build)\b", Kind.DISABLED, "decides when the compiler sees it (build tags)"),
)  # fmt: skip
_END = re.compile("\n")
_GOS_TESTING = re.compile(r'^\s*(?:import\s+)?(?:\w+\s+)?"testing"', re.MULTILINE)
_RUNNERS = re.compile(
    r"(?:\bfrom|\brequire\(|\bimport)\s*['\"](?:node:test|@jest/globals|vitest|mocha|chai|@testing-library/[\w-]+)['\"]"
)
_DIRECTIVE = re.compile(r"@ts-|eslint-|go:|\+build")


def scripts(
    change: FileChange, before: bytes | None, tests: Sequence[SourceFile], names: Collection[str] = ()
) -> Iterator[Flag]:
    """What a change adds to a file in one of these languages; nothing for others. `names` are those of the targets."""
    language = language_of(change.path)
    if change.content is None or language not in {*SCRIPTS, "go"}:
        return
    text, old = change.content.decode("utf-8", "replace"), (before or b"").decode("utf-8", "replace")
    lines, rows = new_lines(old, text, _END), _END.split(text)
    table = _GO if language == "go" else _JAVASCRIPT
    root = tree_of(language, text)
    comments = frozenset(_comments(root, rows)) if root is not None else frozenset[int]()
    yield from _support(change.path, language, old, tests)
    for number, line in enumerate(rows, 1):
        if number in lines:
            for pattern, kind, says, refuses in table:
                if (found := pattern.search(line)) and found[0] not in old and _counts(found, number, comments):
                    yield Flag(kind, change.path, says, number, refuses)
    if root is not None:
        yield from _of_tree(change.path, root, lines, old, text, known_of(tests, names))


def _support(path: str, language: str, old: str, tests: Sequence[SourceFile]) -> Iterator[Flag]:
    """A file that is made of the test framework, and lies elsewhere than the tests: it helps them to judge."""
    beside = any(dirname(file.path) == dirname(path) for file in tests)
    if tests and not beside and (_GOS_TESTING if language == "go" else _RUNNERS).search(old):
        yield Flag(Kind.FRAMEWORK, path, "is what tests are made of: it imports the test framework", 0, refuses=True)


def _of_tree(path: str, root: Node, lines: frozenset[int], old: str, text: str, known: Known) -> Iterator[Flag]:
    earlier = tree_of(language_of(path), old)
    had = frozenset(leaf.key for leaf in leaves(earlier)) if earlier is not None else frozenset[str]()
    fresh = [node for node in nodes(root) if node.start_point.row + 1 in lines]
    statements = frozenset(map(undeclared, _END.split(old)))
    new = New(path, root, fresh, lines, had, known, _END.split(text), statements)
    yield from answers(new)
    yield from flow(new)


def _comments(root: Node, rows: Sequence[str]) -> Iterator[int]:
    """The numbers of the lines that begin with a comment, or inside one."""
    for node in nodes(root):
        if node.type == "comment":
            row, column = node.start_point
            begins = not rows[row][:column].strip()
            yield from range(row + (1 if begins else 2), node.end_point.row + 2)


def _counts(found: re.Match[str], number: int, comments: frozenset[int]) -> bool:
    """Whether a line is code; in comments only what a compiler or a checker reads counts."""
    return number not in comments or bool(_DIRECTIVE.search(found[0]))
