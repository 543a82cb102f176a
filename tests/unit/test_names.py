"""Names that nothing defines: what is told, and what cannot be told."""

import sysconfig
from pathlib import Path

import pytest

from bot.repair.editing.names import free, undefined


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x = y\n", {"y"}),
        ("def f():\n    return g() + h\n\n\ndef g():\n    return 1\n", {"h"}),
        ("def f(a: T) -> U:\n    b: V = a\n    return b\n", {"T", "U"}),
        ("from __future__ import annotations\ndef f(a: T) -> U: ...\nx: V = 1\n", set()),
        ("class A(B, metaclass=C):\n    d = e\n    f = d\n", {"B", "C", "e"}),
        ("@deco\ndef f(x=default): ...\n", {"deco", "default"}),
        ("def f():\n    global made\n    made = 1\n\n\nprint(made)\n", set()),
        ("try:\n    import a\nexcept ImportError as error:\n    a = error\nprint(a)\n", set()),
        ("with open(n) as (p, q):\n    print(p, q)\n", {"n"}),
        ("for i, (j, k) in l:\n    print(i, j, k)\n", {"l"}),
        ("[x for y in z for x in y if (w := x)]\nprint(w)\n", {"z"}),
        ("match a:\n    case {'b': b, **rest} | [b, *rest]:\n        print(b, rest)\n", {"a"}),
        ("from a import *\nprint(b)\n", set()),
        ("globals()['b'] = 1\nprint(b)\n", set()),
        ("def f(:\n", set()),
        ("print(__file__, __name__, len, ValueError, _('text'))\n", set()),
        ("class A:\n    def f(self):\n        return __class__, super().f\n", set()),
        ("import a.b.c\nimport d.e as f\nprint(a, f)\nprint(d)\n", {"d"}),
        ("lambda x, *y, z=w, **v: (x, y, z, v)\n", {"w"}),
        ("del a\n", set()),
    ],
)
def test_names_that_are_read_and_bound_nowhere(text: str, names: set[str]) -> None:
    assert undefined(text) == names


def test_what_is_free_in_a_function_is_what_it_needs_of_its_module() -> None:
    assert free("def f(x):\n    y = RATE * x\n    return helper(y, len(x))\n") == {"RATE", "helper"}


def test_of_real_modules_no_name_is_said_to_be_undefined() -> None:
    names = (
        "argparse",
        "ast",
        "configparser",
        "dataclasses",
        "datetime",
        "functools",
        "inspect",
        "json/decoder",
        "typing",
    )
    home = Path(sysconfig.get_path("stdlib"))
    assert {name: undefined((home / f"{name}.py").read_text()) for name in names} == dict.fromkeys(names, frozenset())


def test_a_file_of_thousands_of_functions_is_not_looked_into() -> None:
    assert undefined("".join(f"def f{at}(x):\n    return y\n" for at in range(2000))) == frozenset()
