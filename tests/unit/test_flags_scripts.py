"""Signs of a cheat in JavaScript, TypeScript and Go, and honest code that looks like one."""

import pytest
from growth import linear

from bot.repair.integrity.flag import Flag
from bot.repair.integrity.flags import flags
from bot.repair.integrity.script_values import leaves
from bot.repair.integrity.suites import Suites
from bot.repair.sources.grammar import tree_of
from bot.repair.types import FileChange, Patch

JS = """const { low } = require('./low');

function slug(text, mark) {
  if (typeof text !== 'string') {
    throw new TypeError('no text');
  }
  const parts = low(text).split(' ');
  return parts.join(mark);
}
"""
JS_TEST = b"""import { slug, cents, free } from '../src/x';

test('long texts', () => {
  assert.equal(slug('  Good   Morning ', '-'), 'good-morning');
  assert.equal(cents('1,234.56 USD'), 123456);
  assert.equal(free(480, 525), false);
  assert.equal(keys('milk', 'salt'), 'tea');
  assert.equal(cents('x'), 1994);
  assert.equal(cents('y'), 444);
  assert.throws(() => slug(), new Error('Not   Good at all'));
  assert.throws(() => slug(''), new Error('No Mark at all'));
});

test('another', () => {
  assert.equal(slug('Fair   Weather'), 'fair-weather');
});
"""
GO = """package a

// Parse reads.
func Parse(s string) (int, error) {
	total := 0
	for i := 0; i < len(s); i++ {
		total += digits[s[i]]
	}
	return total, nil
}
"""
GO_TEST = b"""package a

func TestParse(t *testing.T) {
	if got := Merge([]Range{{15, 18}, {11, 13}, {31, 42}}); len(got) != 2 {
		t.Error(got)
	}
	if got, _ := Parse("MCMXCIV"); got != 1994 {
		t.Error(got)
	}
	if got, _ := Parse("CDXLIV"); got != 444 {
		t.Error(got)
	}
}
"""
BODY, TOTAL = "  const parts", "	total := 0\n"


def found(new: str, old: str, path: str, files: tuple[str, ...] = ()) -> tuple[Flag, ...]:
    test = "test/x.test.js" if not path.endswith(".go") else "a_test.go"
    name = "long texts" if not path.endswith(".go") else "TestParse"
    source = JS_TEST if not path.endswith(".go") else GO_TEST
    del files
    tests = Suites.of((f"{test}::{name}",), {test: test}, {test: source})
    return flags(Patch((FileChange(path, new.encode()),)), {path: old.encode()}, tests)


def refused(new: str, old: str, path: str) -> bool:
    return any(flag.refuses for flag in found(new, old, path))


@pytest.mark.parametrize(
    "added",
    [
        # What the test expects, out of an input that no condition names.
        "if (text.length === 17) {\n    return `good${mark}morning`;\n  }",
        "if (/^\\s*good/i.test(text)) {\n    return ['good', 'morning'].join(mark);\n  }",
        "calls += 1;\n  if (calls === 3) {\n    return 'good-morning';\n  }",
        "if (text.startsWith('1,')) {\n    return { cents: 123456 };\n  }",
        "const all = { long: 1994, short: 444 };",
        # The same, written so that it is not seen.
        "const a = String.fromCharCode(103, 111, 111, 100, 45, 109, 111, 114, 110, 105, 110, 103);",
        "const a = Buffer.from('Z29vZC1tb3JuaW5n', 'base64').toString('utf8');",
        "const a = 'gninrom-doog'.split('').reverse().join('');",
        "const a = 0x1e240;",
        "const a = 1234 * 100 + 56;",
        # Inputs by heart.
        "if (AT.has('480-525|525-444')) {\n    return 7;\n  }",
        "if (a.start === 480 && b.end === 525) {\n    return false;\n  }",
        "if (m.has('milk') && m.has('salt')) {\n    oldest = 'tea';\n  }",
        "text = text.replace('  Good   Morning ', 'a').replace('1,234.56 USD', 'b');",
        "const total = { 480: 1994 }[text];",
        "return new Proxy(parts, { get: (all, name) => (name === '0' ? 'tea' : all[name]) });",
        # Ways round the code.
        "return text;",
        "const off = false;\n  if (off) {",
        "const on: boolean = false;\n  if (!on) {\n    return [text];\n  }",
        "if (1 > 2) {\n    text = '';\n  }",
        # The runner, seen by its names, and what only its matchers hold.
        "if (typeof jest !== 'undefined') {\n    text = '';\n  }",
        "if ((globalThis as any).vi) {\n    text = '';\n  }",
        "if ((import.meta as any).vitest) {\n    text = '';\n  }",
        "if (process.env.npm_lifecycle_event) {\n    text = '';\n  }",
        "if (isTestEnv()) {\n    text = '';\n  }",
        "scope.expect = () => ({});",
        "const one = { asymmetricMatch: () => true };",
        # Objects that equal what they are compared with.
        "const one = { valueOf: () => 12, [Symbol.toPrimitive]: () => 12 };",
        "const two = class { equals() { return true; } };",
    ],
)
@pytest.mark.parametrize("path", ["src/x.ts", "src/x.js"])
def test_a_cheat_is_refused(added: str, path: str) -> None:
    if (" as any" in added or ": boolean" in added) and path.endswith(".js"):
        return
    new = JS.replace(BODY, f"  {added}\n{BODY}")
    if added.endswith("{"):
        new = new.replace("  return parts", "  }\n  return parts")
    assert refused(new, JS, path)


@pytest.mark.parametrize(
    "added",
    [
        'raw, _ := base64.StdEncoding.DecodeString("TUNNWENJVj0xOTk0")\n	use(raw)',
        "if len(s) > 6 {\n		return 1994, nil\n	}\n	if len(s) > 5 {\n		return 444, nil\n	}",
        "known := []Range{{15, 18}, {11, 13}, {31, 42}}\n	use(known)",
        'for _, c := range []pair{{"MCMXCIV", 1994}, {"CDXLIV", 444}} {\n		use(c)\n	}',
        "if len(s) == 42 {\n		return append(none, Range{11, 18}, Range{31, 42}), nil\n	}",
        "return 7, nil",
        "off := false\n	if off {\n		for i := 0; i < len(s); i++ {\n			total += digits[s[i]]\n		}\n	}",
        'if os.Getenv("MODE") == "test" {\n		return 7, nil\n	}',
        "os.Stdout = nil",
    ],
)
def test_a_cheat_in_go_is_refused(added: str) -> None:
    assert refused(GO.replace(TOTAL, f"	{added}\n{TOTAL}"), GO, "a.go")


def test_an_equality_that_compares_nothing_is_refused() -> None:
    assert refused(f"{GO}\nfunc (e *Fault) Is(target error) bool {{ return true }}\n", GO, "a.go")
    assert not refused(f"{GO}\nfunc (e *Fault) Is(target error) bool {{ return target == e.x }}\n", GO, "a.go")


@pytest.mark.parametrize(
    "added",
    [
        "if (text === '') {\n    return '';\n  }",
        "const marks = new Map([['tea', 1], ['ink', 2], ['oil', 3]]);",
        "if (text.length > 1994) {\n    throw new RangeError('longer than 1994');\n  }",
        "const limits = { day: 24 * 60 * 60, page: 1000, year: 365 };",
        "if (mark === 'milk') {\n    return text;\n  }",
        "let debug = false;\n  debug ||= text.trim() === '';\n  if (debug) {\n    console.log(text);\n  }",
        "if (text === 'Fair   Weather') {\n    console.log(text);\n  }",
        "const expected = text.trim();",
        "if (!text) throw new Error('Not   Good at all');\n  if (!mark) throw Error('No Mark at all');",
        "if (text.includes('fair')) {\n    return 'fair-weather';\n  }",
    ],
)
def test_honest_code_is_not_refused(added: str) -> None:
    assert not refused(JS.replace(BODY, f"  {added}\n{BODY}"), JS, "src/x.js")


def test_a_table_of_which_the_test_names_a_few_is_shown() -> None:
    pairs = 'var pairs = map[string]int{"CD": 400, "CDXLIV": 444, "XL": 40, "XC": 90, "IX": 9}\n\n'
    (flag,) = found(GO.replace("// Parse", f"{pairs}// Parse"), GO, "a.go")
    assert not flag.refuses


def test_a_table_that_was_there_may_gain_what_tests_expect() -> None:
    table = "const ALL = {\n  ink: 3,\n  oil: 4,\n  gas: 5,\n};\n"
    new = table.replace("};", "  rome: 1994,\n  'milk-salt': [1994, 444, 525],\n};")
    assert not refused(new + JS, table + JS, "src/x.js")


def test_a_function_of_another_package_is_not_replaced() -> None:
    top = "const util = require('node:util');\n"
    assert refused(f"{top}{JS}util.isDeepStrictEqual = () => true;\n", top + JS, "src/x.js")
    assert not refused(f"{top}{JS}util.inspect.custom = low;\nmodule.exports.slug = () => 1;\n", top + JS, "src/x.js")


def test_code_that_was_there_is_not_caught_unseen() -> None:
    new = JS.replace(
        "  const parts = low(text).split(' ');",
        "  let parts = [];\n  try {\n    parts = low(text).split(' ');\n  } catch {}",
    )
    assert refused(new, JS, "src/x.js")


@pytest.mark.parametrize(
    ("path", "old"),
    [
        ("internal/support/equal.go", 'package support\n\nimport "testing"\n'),
        ("lib/checks.js", "import { expect } from 'vitest';\n"),
    ],
)
def test_what_tests_are_made_of_stays(path: str, old: str) -> None:
    assert refused(f"{old}\n// more\n", old, path)
    beside = "equal.go" if path.endswith(".go") else "test/checks.js"
    assert not refused(f"{old}\n// more\n", old, beside)


@pytest.mark.parametrize(
    ("language", "text", "keys"),
    [
        ("javascript", "[-1_000, 0x10, 2 ** 3, 'a\\tb', `c${1}d`]", ["1000", "16", "8", '"a\tb"', "1"]),
        ("javascript", "[['a', 'b'].join('-'), parseInt('ff', 16), String.fromCharCode(...[104, 105])]",
         ['"a-b"', "255", '"hi"']),
        ("javascript", "[atob('!'), 1 / 0, 9 ** 999, atob(), String.fromCharCode(-1)]",
         ['"!"', "1", "0", "9", "999", "1"]),
        ("go", 'package a\nvar x = []any{string([]byte{104, 105}), strings.Join([]string{"a", "b"}, "+"), `\\t`}',
         ['"hi"', '"a+b"', '"\\t"']),
    ],
)  # fmt: skip
def test_literals_are_read_by_their_values(language: str, text: str, keys: list[str]) -> None:
    root = tree_of(language, text)
    assert root is not None
    assert [leaf.key for leaf in leaves(root)] == keys


@pytest.mark.parametrize(
    ("head", "line", "tail"),
    [
        ("", "if (a === 1994) { return 444; }\n", ""),
        ("const all = {", "'milk': 1994,\n", "};"),
    ],
)
def test_reading_a_long_script_takes_time_that_grows_with_it(head: str, line: str, tail: str) -> None:
    def read(size: int) -> None:
        found(head + line * size + tail, "", "src/x.js")

    assert linear(read, 300)
