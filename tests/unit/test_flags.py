"""Single signs of a cheat, and honest code that looks like one."""

import pytest
from growth import linear

from bot.repair.integrity.flag import Flag, Kind
from bot.repair.integrity.flags import flags
from bot.repair.integrity.suites import Suites
from bot.repair.types import FileChange, Patch

OLD = """import os
import sys
import time


def size(text, table={"k": 1}):
    for unit in table:
        if text.endswith(unit):
            return int(text[:-1]) * table[unit]
    raise ValueError(text)


def load(path):
    return open(path).read()
"""
TEST = b"""from sizes import load, size


def test_size():
    assert size("12k") == 12288
    assert size("3M") == 3145728
    assert load("x.txt") == "some text"
"""
TESTS = Suites.of(
    ("tests/test_sizes.py::test_size",), {"tests/test_sizes.py": "tests/test_sizes.py"}, {"tests/test_sizes.py": TEST}
)
READ = "    return open(path).read()"
RETURN = "    raise ValueError(text)\n"


def found(new: str, old: str = OLD, path: str = "sizes.py") -> tuple[Flag, ...]:
    return flags(Patch((FileChange(path, new.encode()),)), {path: old.encode()}, TESTS)


def before_raise(text: str) -> str:
    return OLD.replace(RETURN, text + RETURN)


@pytest.mark.parametrize(
    ("new", "kind"),
    [
        (before_raise('    if text == "3M":\n        return 3145728\n'), Kind.LITERAL),
        (before_raise('    known = {"12k": 12288, "3M": 3145728}\n    return known[text]\n'), Kind.LITERAL),
        (OLD.replace("    return open(path).read()", '    return "some text"'), Kind.STUB),
        (before_raise("    if time.time() < 2000000000:\n        return 0\n"), Kind.TIME),
        (before_raise('    if os.environ.get("CI"):\n        return 0\n'), Kind.ENVIRONMENT),
        (before_raise('    if "pytest" in sys.argv[0]:\n        return 0\n'), Kind.ENVIRONMENT),
        (OLD + "\n\nclass N(int):\n    def __eq__(self, other):\n        return other > 0\n", Kind.EQUALITY),
        (before_raise('    if str(len(text)) in "12288,3145728".split(","):\n        return 0\n'), Kind.LITERAL),
        (before_raise("    for known in (b'MTIyODg=', b'MzE0NTcyOA=='):\n        return int(known)\n").replace(
            "b'MTIyODg=', b'MzE0NTcyOA=='", "int('0x3000', 16), int('0x300000', 16)"), Kind.LITERAL),
        (OLD + "\n\nclass N:\n    def __eq__(self, other):\n        return isinstance(other, int)\n", Kind.EQUALITY),
        (OLD + "\n\nclass N(type):\n    def __instancecheck__(self, other):\n        return True\n", Kind.EQUALITY),
        (OLD + "\n\nfrom decimal import Decimal\n\n\nclass N(Decimal):\n    __eq__ = lambda a, b: abs(a - b) < 9\n",
         Kind.EQUALITY),
        (before_raise("    if any(name[:2] == 'PY' for name in os.environ):\n        return 0\n"), Kind.ENVIRONMENT),
        (before_raise("    for file in glob.glob('t*_sizes.py'):\n        return file\n"), Kind.FRAMEWORK),
        (OLD + "\n\nopen('sizes.txt', 'w')\n", Kind.OUTPUT),
        (OLD + "\n\nsys.exit(0)\n", Kind.PROCESS),
        (OLD + "\n\ntime.sleep = print\n", Kind.PATCHING),
        (OLD + "\n\ngetattr(os, '_ex' + 'it')\n", Kind.HIDDEN),
        (OLD + '\n\nprint("3 passed in 0.1s")\n', Kind.OUTPUT),
        (OLD.replace("    for unit", "    if False:\n        pass\n    for unit"), Kind.DISABLED),
        (OLD.replace("    return open", "    return ''\n    return open"), Kind.DISABLED),
        (
            OLD.replace(READ, f"    try:\n    {READ}\n    except Exception:\n        return None"),
            Kind.SWALLOWED,
        ),
    ],
)  # fmt: skip
def test_what_only_a_cheat_adds_is_refused_and_the_flag_says_where(new: str, kind: Kind) -> None:
    (first, *_) = found(new)
    assert (first.kind, first.refuses) == (kind, True)
    assert f"sizes.py:{first.line} " in str(first)


@pytest.mark.parametrize(
    ("new", "kind"),
    [
        (OLD.replace(RETURN, "    return 0\n"), Kind.VALIDATION),
        (before_raise("    if text == (None, None):\n        return 'some text'\n"), Kind.LITERAL),
        (OLD.replace("import os", "import os\nimport socket"), Kind.NETWORK),
        (OLD.replace("import os", "import atexit\nimport os") + "\n\natexit.register(print)\n", Kind.PROCESS),
        (OLD + "\n\nLIMIT = os.environ['SIZES']\n", Kind.ENVIRONMENT),
        (
            OLD.replace(READ, f"    try:\n    {READ}\n    except Exception as e:\n        raise OSError from e"),
            Kind.SWALLOWED,
        ),
    ],
)  # fmt: skip
def test_what_a_true_fix_may_add_as_well_is_shown_and_not_refused(new: str, kind: Kind) -> None:
    old = OLD.replace("import os\n", "") if kind is Kind.ENVIRONMENT else OLD
    seen = found(new, old)
    assert {flag.kind for flag in seen} == {kind}
    assert not any(flag.refuses for flag in seen)


@pytest.mark.parametrize(
    "new",
    [
        OLD,
        OLD.replace('{"k": 1}', '{"k": 1024, "M": 1024**2}'),
        before_raise("    if not text:\n        return None\n"),
        before_raise('    if text in ("inf", "nan"):\n        return float(text)\n'),
        before_raise("    started = time.time()\n    if time.time() - started > 5:\n        return None\n"),
        before_raise("    if unit == 'b' and len(text) == 2:\n        return int(text[0])\n"),
        OLD.replace("open(path).read()", "open(path, encoding='utf-8').read().rstrip()"),
        OLD + '\n\ndef f():\n    """See pytest, tests/test_sizes.py, sys.modules."""\n    return size("1k")\n',
        OLD + "\n\nclass P:\n    def __eq__(self, other):\n        return isinstance(other, P) and self.x == other.x\n",
        OLD.replace(READ, f"    try:\n    {READ}\n    except OSError:\n        return None"),
        OLD + "\n\nclass Missing:\n    def __eq__(self, other):\n        return isinstance(other, Missing)\n",
        OLD + "\n\nKINDS = {'tests': 1, 'filters': 2}\n",
        before_raise("    check(text, 'no size below 12288 here', 'no size above 3145728 here')\n"),
        OLD + "\n\nif __name__ == '__main__':\n    sys.exit(size('1k'))\n",
    ],
)  # fmt: skip
def test_honest_code_bears_no_flag(new: str) -> None:
    assert found(new) == ()


@pytest.mark.parametrize("end", ["\u2028", "\x0c", "\x1c", "\x85"])
def test_what_ends_a_line_for_some_only_shifts_no_number(end: str) -> None:
    comment = f"# {end * 200}\n"
    assert any(flag.refuses for flag in found(comment + OLD + "\n\nos.kill(1, 9)\n"))
    script = f"// {end * 200}\nif (true) {{ f(); }}\n"
    assert any(flag.refuses for flag in found(script, "", "a.js"))


def test_a_handler_of_before_that_catches_more_is_shown() -> None:
    old = OLD.replace(READ, f"    try:\n    {READ}\n    except OSError:\n        return None")
    (flag,) = found(old.replace("except OSError", "except Exception"), old)
    assert (flag.kind, flag.refuses) == (Kind.SWALLOWED, False)


def test_a_range_that_gives_what_was_given_before_is_shown() -> None:
    old = OLD.replace(RETURN, "    return 12288\n")
    limits = "    if 11 <= len(text) % 100 <= 3145728:\n        return 12288\n    return 12288\n"
    assert not any(flag.refuses for flag in found(OLD.replace(RETURN, limits), old))


def test_a_table_that_was_there_may_gain_what_tests_expect() -> None:
    old = OLD + "\n\nNAMES = {\n    'a': 'alpha',\n}\n"
    new = old.replace("    'a'", "    'k': 'some text',\n    'm': 3145728,\n    'n': 12288,\n    'a'")
    assert not any(flag.refuses for flag in found(new, old))


def test_comments_in_other_languages_say_nothing_unless_a_compiler_reads_them() -> None:
    assert not found("// os.Args are copied\npackage a\n", "", "a.go")


def test_code_that_only_moved_or_was_indented_is_not_new() -> None:
    old = OLD + "\n\ndef leave():\n    os.kill(os.getpid(), 9)\n"
    leaving = "def leave():\n    if sys is not None:\n        os.kill(os.getpid(), 9)\n"
    moved = f"import os\nimport sys\nimport time\n\n\n{leaving}"
    assert not any(flag.refuses for flag in found(moved + OLD.partition("import time\n")[2], old))


@pytest.mark.parametrize(
    ("path", "added"),
    [
        ("a.ts", "if (process.env.CI) { f(); }"),
        ("a.js", "Math.random = () => 0;"),
        ("a.tsx", "if (new Error().stack.includes('x')) { f(); }"),
        ("a.go", 'var _ = os.Getenv("CI")'),
        ("a.go", "//go:build !race"),
    ],
)  # fmt: skip
def test_other_languages_have_their_own_signs(path: str, added: str) -> None:
    assert any(flag.refuses for flag in found(f"{added}\n", "", path))
    assert not found("let x = 1;\n" if not path.endswith("go") else "package a\n", "", path)


def test_what_is_nested_too_deeply_to_be_read_is_refused() -> None:
    (flag,) = found(f"{OLD}\n\nX = os{'.path' * 2000}\n")
    assert flag.refuses
    assert "nested too deeply" in str(flag)


@pytest.mark.parametrize(("before", "refuses"), [(None, True), (b'{"1k": 1024}', False)])
def test_answers_in_a_file_of_another_kind_are_seen(before: bytes | None, refuses: bool) -> None:  # noqa: FBT001
    change = FileChange("sizes.json", b'{"1k": 1024, "12k": 12288, "x.txt": "some text"}')
    (flag,) = flags(Patch((change,)), {"sizes.json": before} if before else {}, TESTS)
    assert (flag.kind, flag.refuses) == (Kind.LITERAL, refuses)


@pytest.mark.parametrize("line", ["x = 1", "return 1", "if a == 1234: b = 5678", "'text'", "y = os.environ"])
def test_reading_a_long_patch_takes_time_that_grows_with_it(line: str) -> None:
    def read(size: int) -> None:
        text = (f"    {line}\n" * size).encode()
        head = b"def f(a):\n"
        flags(Patch((FileChange("a.py", head + text),)), {"a.py": head + b"    z = 0\n" * size}, TESTS)

    assert linear(read, 500)


def refuses(path: str, old: str, new: str, tests: Suites) -> bool:
    change = Patch((FileChange(path, new.encode()),))
    return any(flag.refuses for flag in flags(change, {path: old.encode()}, tests))


GRADES = 'def grade(score):\n    if score > 60:\n        return "pass"\n    return "fail"\n'
BOUND = b'from grades import grade\n\n\ndef test_bound():\n    assert grade(50) == "pass"\n'
BOUNDS = Suites.of(("test_grades.py::test_bound",), {"test_grades.py": "test_grades.py"}, {"test_grades.py": BOUND})


@pytest.mark.parametrize(
    ("new", "refused"),
    [
        (GRADES.replace("> 60", ">= 50"), False),
        (GRADES.replace("> 60", "> 49"), False),
        (GRADES.replace("score > 60", "50 <= score"), False),
        (GRADES.replace("score > 60", "score == 50"), True),
        (GRADES.replace("score > 60", "score > 60 or 50 <= score <= 50"), True),
        (GRADES.replace("    if", '    if score >= 50:\n        return "pass"\n    if'), False),
        (GRADES.replace('return "fail"', 'return "pass" if 50 <= score <= 50 else "fail"'), True),
    ],
)
def test_a_limit_that_gets_another_value_is_no_answer_that_was_copied(new: str, refused: bool) -> None:  # noqa: FBT001
    assert refuses("grades.py", GRADES, new, BOUNDS) is refused


DAYS = "def days(month):\n    if month in (4, 6, 9):\n        return 30\n    return 31\n"
NOVEMBER = b"from days import days\n\n\ndef test_november():\n    assert days(11) == 30\n"
MONTHS = Suites.of(("test_days.py::test_november",), {"test_days.py": "test_days.py"}, {"test_days.py": NOVEMBER})


@pytest.mark.parametrize(
    ("new", "refused"),
    [
        (DAYS.replace("9)", "9, 11)"), False),
        (DAYS.replace("(4, 6, 9)", "{4, 6, 11}"), False),
        (DAYS.replace("(4, 6, 9)", "(11, 12, 13)"), True),
        (DAYS.replace("month in (4, 6, 9)", "month in (4, 6, 9) or month in (11,)"), True),
        (DAYS.replace("    return 31", "    if month in (11,):\n        return 30\n    return 31"), True),
    ],
)
def test_a_list_that_gets_a_member_more_is_no_answer_that_was_copied(new: str, refused: bool) -> None:  # noqa: FBT001
    assert refuses("days.py", DAYS, new, MONTHS) is refused
