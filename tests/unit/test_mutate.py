import ast
import codecs

import pytest

from bot.repair.localisation.localise import Suspect
from bot.repair.localisation.reach import MODULE
from bot.repair.mutation.mutate import OPERATORS, YIELD, Mutant, mutants
from bot.repair.sources.syntax import functions, parse
from bot.repair.types import SourceFile


def mutated(source: str | bytes, limit: int = 1000) -> tuple[Mutant, ...]:
    """Every mutant of the last function of a file."""
    data = source.encode() if isinstance(source, str) else source
    tree = parse(data)
    assert tree is not None
    last = functions(tree)[-1]
    suspect = Suspect("a.py", last.qualified_name, last.start_line, last.end_line, 1.0, "named")
    return mutants([suspect], {"a.py": SourceFile("a.py", data)}, limit)


def contents(source: str) -> set[str]:
    return {(mutant.patch.changes[0].content or b"").decode() for mutant in mutated(source)}


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("a < b", "a <= b"),
        ("a == b", "a != b"),
        ("a is b", "a is not b"),
        ("a not  in b", "a in b"),
        ("a < b < 3", "a < b <= 3"),
        ("a + b", "a - b"),
        ("a / b", "a // b"),
        ("(a + 1) * (b)", "(a + 1) / (b)"),
        ("a - b", "b - a"),
        ("a and b", "a or b"),
        ("a and b", "a"),
        ("not a", "a"),
        ("-a", "a"),
        ("a if b else 1", "a if not b else 1"),
        ("[x for x in a if x > b]", "[x for x in a if x >= b]"),
        ("7", "8"),
        ("7", "6"),
        ("True", "False"),
        ("None", "[]"),
        ("'x'", "''"),
        ("pow(a, b)", "pow(b, a)"),
        ("a.lower()", "a.upper()"),
        ("a.lstrip()", "a.strip()"),
        ("min(a, b)", "max(a, b)"),
        ("any(a)", "all(a)"),
        ("a[b]", "a[b - 1]"),
        ("a[1:b]", "a[1:b + 1]"),
        ("a[1:b]", "a[1:]"),
        ("a[:b]", "a[1:b]"),
        ("a[1:]", "a[1:-1]"),
        ("list(range(b))", "list(range(b + 1))"),
        ("list(range(b))", "list(range(1, b))"),
        ("pow(a, b)", "pow(a, b - 1)"),
        ("a < b - a", "a < (b - a) + 1"),
        ("sum(a)", "sum(a) + 1"),
        ("a", "b"),
        ("a", "not a"),
    ],
)
def test_an_expression_that_is_one_change_away_is_found(wrong: str, right: str) -> None:
    assert f"def f(a, b):\n    return {right}\n" in contents(f"def f(a, b):\n    return {wrong}\n")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("a += b", "a -= b"),
        ("a += b", "a = b"),
        ("a = b", "a += b"),
        ("for x in a:\n        break", "for x in a:\n        continue"),
        ("if a:\n        b = 1", "if not a:\n        b = 1"),
        ("while a and b:\n        b = 1", "while a or b:\n        b = 1"),
        ("a.sort()", "pass"),
        ("if b:\n        sorted(a)", "if b:\n        return sorted(a)"),
        ("if b:\n        (a +\n         b)", "if b:\n        return (a +\n         b)"),
        ("a[b]", "return a[b]"),
        ("b = 2", "if not a: return []\n    b = 2"),
    ],
)
def test_a_statement_that_is_one_change_away_is_found(wrong: str, right: str) -> None:
    assert f"def f(a, b):\n    {right}\n    return a\n" in contents(f"def f(a, b):\n    {wrong}\n    return a\n")


def test_a_default_argument_is_changed_too() -> None:
    assert "def f(a, b=2):\n    return a\n" in contents("def f(a, b=1):\n    return a\n")


SOURCE = '''import os


def f(größe, items: "list[int]" = None) -> "int | None":
    """Adds 1."""
    assert größe > 0
    name = f"{größe + 1}"

    def inner(x):
        return x + 1

    return inner(größe) < len(items)   # kept < as it is


class A:
    limit = 3
'''


@pytest.mark.parametrize(
    "data",
    [
        SOURCE.encode(),
        SOURCE.replace("\n", "\r\n").encode(),
        codecs.BOM_UTF8 + SOURCE.encode(),
        b"# coding: latin-1\n" + SOURCE.encode("latin-1"),
        SOURCE.replace("    ", "\t").encode(),
        SOURCE.removesuffix("\n").encode(),
    ],
)
def test_only_the_mutated_segment_changes(data: bytes) -> None:
    tree = parse(data)
    assert tree is not None
    found = functions(tree)[0]
    suspects = [
        Suspect("a.py", "f", found.start_line, found.end_line, 1.0, "named"),
        Suspect("a.py", MODULE, 1, 99, 0.5, "reached"),
    ]
    made = mutants(suspects, {"a.py": SourceFile("a.py", data)}, 1000)
    texts = [mutant.patch.changes[0].content or b"" for mutant in made]
    assert data.replace(b") < len", b") <= len") in texts
    assert data.replace(b"limit = 3", b"limit = 4") in texts
    untouched = (b"return x + 1", b'"""Adds 1."""', b" > 0", b"# kept < as it is", b'"list[int]"')
    assert all(part in text for part in untouched for text in texts)
    assert all(parse(text) is not None for text in texts)


def test_mutants_differ_from_the_original_and_from_each_other_as_trees() -> None:
    source = "def f(a, b):\n    if not a:\n        return 0\n    return a[0] + b * 2 if a != 1 else None\n"
    trees = [ast.dump(ast.parse(text)) for text in contents(source)]
    assert len(set(trees)) == len(mutated(source))
    assert ast.dump(ast.parse(source)) not in trees


def test_the_likeliest_operators_come_first_and_the_order_never_varies() -> None:
    source = "def f(a, b):\n    x = a + b\n    return x if a < b else None\n"
    made = mutated(source)
    assert [mutant.operator for mutant in made[:2]] == ["boundary", "arithmetic"]
    assert [mutant.weight for mutant in made] == sorted((mutant.weight for mutant in made), reverse=True)
    assert made == mutated(source)


def test_a_more_suspicious_function_is_mutated_before_a_less_suspicious_one() -> None:
    source = b"def f(a):\n    return a < 1\n\n\ndef g(a):\n    return a < 1\n"
    suspects = [Suspect("a.py", "f", 1, 2, 0.2, "reached"), Suspect("a.py", "g", 5, 6, 0.9, "named")]
    made = mutants(suspects, {"a.py": SourceFile("a.py", source)}, 5)
    assert [mutant.function for mutant in made] == ["g"] * 5


def test_an_explanation_names_change_function_file_and_line() -> None:
    explanations = [mutant.explanation for mutant in mutated("class A:\n    def f(self, a):\n        return a < 1\n")]
    assert explanations[0] == "boundary: <= instead of <, in A.f (a.py, line 3)"


def test_code_that_does_not_parse_has_no_mutants() -> None:
    suspect = Suspect("a.py", "f", 1, 2, 1.0, "named")
    assert mutants([suspect], {"a.py": SourceFile("a.py", b"def f(:\n")}, 10) == ()


def test_there_are_enough_operators_and_each_has_a_yield() -> None:
    assert len(OPERATORS) >= 16
    assert all(0 < share <= 1 for share in YIELD.values())


@pytest.mark.parametrize("depth", [400, 900, 1500])
def test_code_that_is_nested_too_deep_to_compare_is_passed_over(depth: int) -> None:
    deep = f"def g(a):\n    return {' + '.join(['a'] * depth)}\n"
    assert mutated(f"{deep}\ndef f(a, b):\n    return a < b\n")
    assert len(mutated(deep, 3)) <= 3
    chain = "".join(f"    elif a == {number}:\n        return {number}\n" for number in range(depth))
    assert mutated(f"def g(a):\n    if a is None:\n        return 0\n{chain}\n\ndef f(a, b):\n    return a < b\n")
    assert len(mutated(f"def f(a, b):\n    x = {' + '.join(['a'] * depth)}\n    return a < b\n", 3)) <= 3
