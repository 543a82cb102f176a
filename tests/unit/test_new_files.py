"""A file that a reply creates passes the gate's own look at places, and what the gate refuses cannot be created."""

import pytest
from fakes_workspace import BASE, ScriptedWorkspace

from bot.errors import EditError
from bot.repair.editing.edits import apply, mentioned_paths
from bot.repair.gate import refuse
from bot.repair.protection import BY_NAME, protect
from bot.repair.types import Baseline, FileChange, Patch

FILES = {"shop/prices.py": b"def gross(net):\n    return net\n", "lib/cart.js": b"let x = 1;\n"}


def made(path: str, code: str = "RATE = 19\n") -> str:
    return f"NEW FILE: {path}\n```\n{code}```\n"


@pytest.mark.parametrize("path", ["shop/rates.py", "shop/tax/rates.py", "lib/rates.js", "rates.py"])
def test_a_new_source_file_passes_the_gate(path: str) -> None:
    patch = apply(
        made(path, "let x;\n" if path.endswith("js") else "X = 1\n"), "stop", FILES, creatable=BY_NAME.is_source
    ).patch
    assert patch.paths == (path,)
    assert refuse(patch, {}, frozenset(FILES)) is None
    assert mentioned_paths(made(path), FILES) == (path,)


@pytest.mark.parametrize(
    "path",
    ["shop/test_rates.py", "conftest.py", "setup.py", "shop/rates.md", "package.json", ".git/x.py", "shop/.git/x.py"],
)
def test_what_the_gate_refuses_cannot_be_created(path: str) -> None:
    with pytest.raises(EditError):
        apply(made(path), "stop", FILES, creatable=BY_NAME.is_source)


def test_nothing_is_created_unless_it_is_said_where() -> None:
    with pytest.raises(EditError, match="may not be created"):
        apply(made("shop/rates.py"), "stop", FILES)


LINKED = ScriptedWorkspace(FILES, lambda _: {})
LINKED.symlinks = {"shop/link.py": "prices.py", "lib/old": "../shop", "out/deep/link.py": "x"}


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("shop/link.py", "is a symlink"),
        ("lib/old/rates.py", "below"),
        ("lib/old/tax/rates.py", "below"),
        ("out/deep", "is a directory"),
    ],
)
def test_no_file_is_new_where_a_symlink_stands_nor_below_it_nor_above(path: str, fault: str) -> None:
    protection = protect(LINKED, BASE, tuple(FILES), Baseline(1, (), (), (), (), 1.0))
    with pytest.raises(EditError, match="may not be created"):
        apply(made(path), "stop", FILES, known=FILES, creatable=protection.is_source)
    refusal = refuse(Patch((FileChange(path, b"X = 1\n"),)), {}, frozenset(FILES), protection)
    assert fault in (refusal or "")
