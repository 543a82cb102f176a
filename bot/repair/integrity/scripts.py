"""The plain kinds of cheats in JavaScript, TypeScript and Go, by patterns of new lines and by syntax trees."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tree_sitter import Node

from bot.repair.integrity.added import new_lines
from bot.repair.integrity.flag import Flag, Kind
from bot.repair.sources.grammar import SCRIPTS, language_of, tree_of
from bot.repair.types import FileChange, SourceFile

MAX_NODES = 100_000
_SMALL = frozenset({"0", "1", "2", "true", "false", "null", "nil", "undefined", '""', "''", "``", "[]", "{}"})
_LITERALS = frozenset({
    "number", "string", "template_string", "int_literal", "float_literal", "interpreted_string_literal",
    "raw_string_literal",
})  # fmt: skip
_BRANCHES = frozenset({"if_statement", "ternary_expression", "switch_case", "expression_case"})
_PINS = 2

_CI = r"(?:CI|CONTINUOUS_INTEGRATION|GITHUB_ACTIONS|TRAVIS|GITLAB_CI|JENKINS_URL|BUILDKITE)"
_COPIED = "returns what a failing test expects where its input is what that test hands in"
_TABLE = "holds a table of a failing test's inputs and what it expects of them"
_SWALLOWS = "swallows every exception"
_Pattern = tuple[re.Pattern[str], Kind, str, bool]


def _pattern(text: str, kind: Kind, says: str, *, refuses: bool = True) -> _Pattern:
    return re.compile(text), kind, says, refuses


_JAVASCRIPT: tuple[_Pattern, ...] = (
    _pattern(rf"process\.env(?:\.|\[['\"]){_CI}\b", Kind.ENVIRONMENT, "asks whether a CI is running"),
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
    _pattern(r"\bDate\.now\(\)\s*[<>]=?\s*\d|new Date\(\)\s*[<>]=?\s*new Date\(['\"\d]", Kind.TIME,
             "decides by comparing the present time with a fixed one"),
    _pattern(r"\bif\s*\(\s*(?:false|0|true|1)\b|\|\|\s*true\b|&&\s*false\b", Kind.DISABLED,
             "switches a path off by a constant"),
)  # fmt: skip
_GO: tuple[_Pattern, ...] = (
    _pattern(rf"os\.(?:Getenv|LookupEnv)\(\"{_CI}\"\)", Kind.ENVIRONMENT, "asks whether a CI is running"),
    _pattern(r"os\.(?:Getenv|LookupEnv|Environ)\(", Kind.ENVIRONMENT,
             "reads a variable of the environment", refuses=False),
    _pattern(r"\"\.test\"|flag\.Lookup\(|\"-?test\.", Kind.FRAMEWORK, "asks whether a test is running"),
    _pattern(r"os\.(?:Args|Executable|Getpid|Getppid|Getwd)\b", Kind.FRAMEWORK,
             "looks at the program that it was started by"),
    _pattern(r"os\.Hostname\(|user\.Current\(", Kind.ENVIRONMENT, "decides by the machine that it runs on"),
    _pattern(r"debug\.(?:Stack|PrintStack)\(|runtime\.(?:Callers?|FuncForPC)\b", Kind.FRAMEWORK,
             "looks at its callers"),
    _pattern(r"\"(?:PASS|ok)\\?[\"\t\\n]", Kind.OUTPUT, "prints what a test runner would"),
    _pattern(r"exec\.Command\(\"git\"|\.git/", Kind.HISTORY, "reads the repository's history"),
    _pattern(r"_test\.go\"|\"testdata", Kind.FRAMEWORK, "names the tests or their files"),
    _pattern(r"time\.Now\(\)\.(?:Year\(\)\s*[<>=]|Before\(time\.Date\(|Unix\(\)\s*[<>]\s*\d)", Kind.TIME,
             "decides by comparing the present time with a fixed one"),
    _pattern(r"\bunsafe\.Pointer\b|reflect\.NewAt\(|//go:linkname", Kind.PATCHING,
             "writes to memory past the types", refuses=False),
    _pattern(r"\bif (?:false|true)\b|\|\| true\b|&& false\b", Kind.DISABLED, "switches a path off by a constant"),
    _pattern(r"^\s*//\s*(?:go:build|\+build)\b", Kind.DISABLED, "decides when the compiler sees it (build tags)"),
)  # fmt: skip
_END = re.compile("\n")
_DIRECTIVE = re.compile(r"@ts-|eslint-|go:|\+build")
_CAUGHT = {
    "catch_clause": re.compile(r"^catch\s*(?:\([^)]*\))?\s*\{\s*(?://[^\n]*\s*)*\}$"),
    "defer_statement": re.compile(
        r"^defer func\(\)\s*\{(?!.*(?:panic\(|[Ee]rr|fmt\.|log\.)).*\brecover\(\).*\}\(\)$", re.DOTALL
    ),
}


def scripts(change: FileChange, before: bytes | None, tests: Sequence[SourceFile]) -> Iterator[Flag]:
    """What a change adds to a file in one of these languages; nothing for others."""
    language = language_of(change.path)
    if change.content is None or language not in {*SCRIPTS, "go"}:
        return
    text, old = change.content.decode("utf-8", "replace"), (before or b"").decode("utf-8", "replace")
    lines, rows = new_lines(old, text, _END), _END.split(text)
    table = _GO if language == "go" else _JAVASCRIPT
    root = tree_of(language, text)
    comments = frozenset(_comments(root, rows)) if root is not None else frozenset[int]()
    for number, line in enumerate(rows, 1):
        if number in lines:
            for pattern, kind, says, refuses in table:
                if (found := pattern.search(line)) and found[0] not in old and _counts(found, number, comments):
                    yield Flag(kind, change.path, says, number, refuses)
    if root is not None:
        new = [node for node in _nodes(root) if node.start_point.row + 1 in lines]
        yield from _together(change.path, new, frozenset(_literals(tests)), lines)


def _comments(root: Node, rows: Sequence[str]) -> Iterator[int]:
    """The numbers of the lines that begin with a comment, or inside one."""
    for node in _nodes(root):
        if node.type == "comment":
            row, column = node.start_point
            begins = not rows[row][:column].strip()
            yield from range(row + (1 if begins else 2), node.end_point.row + 2)


def _together(path: str, new: Sequence[Node], known: frozenset[str], lines: frozenset[int]) -> Iterator[Flag]:
    """What single nodes say; of what one alone leaves open, two make a table."""
    found = [flag for node in new for flag in _of_node(path, node, known, lines)]
    several = sum(flag.kind is Kind.LITERAL for flag in found) >= _PINS
    for flag in found:
        yield replace(flag, refuses=flag.refuses or (several and flag.kind is Kind.LITERAL))


def _of_node(path: str, node: Node, known: frozenset[str], lines: frozenset[int]) -> Iterator[Flag]:
    line = node.start_point.row + 1
    if node.type in _BRANCHES and (pinned := _answers(node, known)) is not None:
        yield Flag(Kind.LITERAL, path, _COPIED, line, refuses=pinned)
    if _is_pair(node):
        leaves = [part for leaf in _leaves(node) for part in _in_parts(leaf, known)]
        if len(leaves) >= _PINS and all(leaf in known for leaf in leaves):
            telling = len(set(leaves)) > 1 and (len(leaves) > _PINS or any(map(_is_telling, leaves)))
            yield Flag(Kind.LITERAL, path, _TABLE, line, refuses=telling)
    caught = _CAUGHT.get(node.type)
    if caught and caught.match(_text(node)):
        around = node.parent if node.type == "catch_clause" else None
        wraps = around is not None and any(row + 1 not in lines for row in range(around.start_point.row, line - 1))
        yield Flag(Kind.SWALLOWED, path, _SWALLOWS, line, refuses=wraps or node.type == "defer_statement")


def _is_pair(node: Node) -> bool:
    """Whether a node is an entry of a table, with nothing computed in it."""
    if any(part.type in {"identifier", "arrow_function", "function_expression"} for part in _nodes(node)):
        return False
    listed = node.type == "array" and node.named_child_count == _PINS
    return node.type in {"pair", "keyed_element"} or (listed and not any(map(_is_list, node.named_children)))


def _is_list(node: Node) -> bool:
    return node.type in {"array", "object"}


def _is_telling(leaf: str) -> bool:
    """Whether a literal is one that nobody writes by chance."""
    return len(leaf) > _PINS + 2 or (leaf.isdigit() and len(leaf) > _PINS + 1)


def _counts(found: re.Match[str], number: int, comments: frozenset[int]) -> bool:
    """Whether a line is code; in comments only what a compiler or a checker reads counts."""
    return number not in comments or bool(_DIRECTIVE.search(found[0]))


def _answers(node: Node, known: frozenset[str]) -> bool | None:
    """Whether a branch compares with literals of the test and gives one of them, or a value made of them, back.

    `False` where these may stand there by chance, `None` where there are none.
    """
    condition = node.child_by_field_name("condition") or node.child_by_field_name("value")
    body = node.child_by_field_name("consequence") or node
    if condition is None:
        return None
    asked = [leaf for one in _leaves(condition) for leaf in _in_parts(one, known)]
    returned = [part for part in _nodes(body) if part.type == "return_statement"] or (
        [body] if node.type == "ternary_expression" else []
    )
    given = [leaf for part in returned for leaf in _leaves(part)]
    bare = all(not any(inner.type == "identifier" for inner in _nodes(part)) for part in returned)
    telling = [leaf for leaf in asked if leaf in known]
    if not (telling and bare and any(leaf in known for leaf in given)):
        return None
    return len(asked) >= _PINS or any(map(_is_telling, telling))


def _in_parts(leaf: str, known: frozenset[str]) -> list[str]:
    """A text that is made of nothing but numbers of the test, as `"4,3"`, counts as these."""
    numbers = re.findall(r"\d+", leaf) if leaf[:1] == '"' else []
    made_of = len(numbers) > 1 and not re.sub(r"[\d\W_]", "", leaf) and all(one in known for one in numbers)
    return numbers if made_of else [leaf]


def _leaves(node: Node) -> Iterator[str]:
    """The literals in a node as they are written, with one kind of quotes."""
    for part in _nodes(node):
        if part.type in _LITERALS:
            yield _plain(_text(part))


def _literals(tests: Sequence[SourceFile]) -> Iterator[str]:
    for file in tests:
        language = language_of(file.path)
        root = tree_of(language, file.data.decode("utf-8", "replace")) if language else None
        if root is not None:
            yield from (leaf for leaf in _leaves(root) if leaf not in _SMALL)


def _plain(text: str) -> str:
    """A text with one kind of quotes, a number as it is written in tens."""
    if text[:2].lower() in {"0x", "0o", "0b"}:
        return str(int(text.rstrip("n"), 0))
    return f'"{text[1:-1]}"' if text[:1] in {"'", "`", '"'} else text


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _nodes(root: Node) -> Iterator[Node]:
    """The node and everything in it, by a stack; bounded."""
    todo = [root]
    for _ in range(MAX_NODES):
        if not todo:
            return
        node = todo.pop()
        yield node
        todo.extend(reversed(node.children))
