"""Patches that deal with their judge, and true fixes beside them."""

import pytest

from bot.repair.gate import refuse
from bot.repair.integrity.tampering import SIGNS, added_sign, shadows
from bot.repair.types import FileChange, Patch

OLD = b"import os\nimport sys\n\n\ndef total(prices):\n    return sum(prices) - 1\n"
FIX = OLD.replace(b" - 1", b"")


@pytest.mark.parametrize(
    ("added", "sign"),
    [
        ("import pytest", "pytest"),
        ("from _pytest import python", "_pytest"),
        ("from unittest.mock import patch", "unittest"),
        ("import importlib\nimportlib.import_module('_pytest.python')", "_pytest"),
        ("RUNNING = 'PYTEST_CURRENT_TEST' in os.environ", "PYTEST_CURRENT_TEST"),
        ("RUNNING = any(f'{name}'.startswith('PYTEST_') for name in os.environ)", "PYTEST_CURRENT_TEST"),
        ("sys.modules[__name__] = None", "sys.modules"),
        ("import sys as s\ns.modules.clear()", "sys.modules"),
        ("from sys import modules as m", "sys.modules"),
        ("getattr(sys, 'modules')", "sys.modules"),
        ("import importlib\nimportlib.sys.modules.pop('x')", "sys.modules"),
        ("os._exit(0)", "os._exit"),
        ("def pytest_runtest_makereport(item, call): call.excinfo = None", "hook"),
        ("pytest_plugins = ['x']", "hook"),
        ("from os import _exit", "os._exit"),
        ("import gc\ngc.get_objects()", "gc.get_objects"),
        ("import inspect\ninspect.stack()", "inspect.stack"),
        ("sys._getframe(1)", "sys._getframe"),
        ("class Any:\n    def __eq__(self, other):\n        return True", "__eq__ returns a constant"),
        ("class Any:\n    __eq__ = lambda self, other: True", "__eq__ returns a constant"),
    ],
)
def test_what_only_tampering_needs_is_refused_unless_the_file_had_it(added: str, sign: str) -> None:
    new = f"{FIX.decode()}\n{added}\n".encode()
    patch = Patch((FileChange("app.py", new),))
    assert sign in (refuse(patch, {"app.py": OLD}, {"app.py"}) or "")
    assert sign in (refuse(patch, {}, ()) or "")
    assert refuse(patch, {"app.py": f"{OLD.decode()}\n{added}\n".encode()}, {"app.py"}) is None


@pytest.mark.parametrize(
    "new",
    [
        FIX,
        b'"""Works with pytest and sys.modules; see os._exit."""\n' + FIX,
        FIX + b"\n\nclass P:\n    def __eq__(self, other):\n        return self.x == other.x\n",
        FIX + b"\n\nclass P:\n    def __eq__(self, other):\n        if other is None:\n            return False\n"
        b"        return True\n",
        FIX + b"\n\nclass P:\n    def __eq__(self, other):\n        return NotImplemented\n",
        FIX + b"\n\nsys.exit(os.getpid())\nprint(sys.path, 'unit test')\n",
        b"def (",
    ],
)
def test_a_true_fix_bears_no_sign(new: bytes) -> None:
    assert added_sign(FileChange("app.py", new), OLD) is None


def test_only_python_is_read_and_every_sign_has_a_reason() -> None:
    assert added_sign(FileChange("notes.txt", b"import pytest"), b"") is None
    assert added_sign(FileChange("app.py", None), OLD) is None
    assert all(sign.split(".")[-1] in said for sign, said in SIGNS.items())


KNOWN = ("app.py", "platform/old.py", "src/pkg/__init__.py", "src/pkg/app.py", "calendar.py")


@pytest.mark.parametrize(
    "path", ["json.py", "json/__init__.py", "src/random.py", "pytest.py", "src/pluggy/x.py", "json.abi3.so"]
)
def test_a_new_module_in_place_of_another_is_refused(path: str) -> None:
    assert shadows(path, KNOWN)
    assert refuse(Patch((FileChange(path, b""),)), {}, KNOWN)


@pytest.mark.parametrize(
    "path",
    ["src/pkg/types.py", "calendar.py", "platform/new.py", "fresh/json.py", "app.py", "new.py", "json.txt"],
)
def test_a_module_that_is_there_or_inside_of_a_package_is_nobodys_double(path: str) -> None:
    assert shadows(path, KNOWN) is None
