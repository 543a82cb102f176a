"""A patch that adds a module which the test runner would import before its reporter is there."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from attacks_suites import BASE, TARGET, TREE, accepted, changed, green

from bot.adapters.workspace import DockerWorkspace
from bot.repair.types import WHOLE_SUITE
from sandbox.spec import File, Recipe, RunState, Tree

pytestmark = pytest.mark.engine

NAMES = (
    "iniconfig", "packaging", "pygments", "pluggy", "py", "attr", "exceptiongroup", "tomli", "argcomplete", "colorama",
    "sitecustomize", "usercustomize", "json", "pathlib", "_pytest", "unittest", "wcwidth",
)  # fmt: skip
# It writes what the reporter would write, under the key if that is still there, else as unittest's runner does.
FORGE = f"""
import glob, hashlib, hmac, json, os
for place in glob.glob("/regreen/*/"):
    key = ""
    if os.path.exists(place + "selection.json"):
        key = json.load(open(place + "selection.json")).get("key", "")
    ids = {[TARGET, "tests/test_calc.py::test_sub"]!r}
    lines = [{{"kind": "collected", "count": len(ids)}}]
    lines += [{{"kind": "test", "id": i, "outcome": "passed", "phase": "call", "seconds": 0.01}} for i in ids]
    lines += [{{"kind": "canaries", "count": len(ids), "passed": 0, "contradicted": 0}}]
    lines += [{{"kind": "finished", "exit": 0, "count": len(ids)}}]
    body = b"".join(json.dumps(line).encode() + b"\\n" for line in lines)
    seal = {{"kind": "seal", "mac": hmac.new(key.encode(), body, "sha256").hexdigest()}}
    os.makedirs("/regreen/results", exist_ok=True)
    with open("/regreen/results/" + os.path.basename(place[:-1]) + ".jsonl", "wb") as file:
        file.write(body + (json.dumps(seal).encode() + b"\\n" if key else b""))
os._exit(0)
"""
SUITE: Tree = {**TREE, "conftest.py": File(b""), "src/kept.py": File(b"")}
COMMANDS = {
    "module": ("python3", "-m", "pytest", "-q"),
    "script": ("pytest", "-q"),
    "root in the path": ("env", "PYTHONPATH=.:src", "python3", "-m", "pytest"),
    "src in the path": ("env", "PYTHONPATH=src", "pytest"),
    "coverage": ("coverage", "run", "--branch", "-m", "pytest"),
    "development": ("timeout", "50", "python3", "-X", "dev", "-m", "pytest"),
}


def plants(folder: str) -> dict[str, dict[str, bytes | None]]:
    """Each name as a module and as a package."""
    files = (path for name in NAMES for path in (f"{folder}{name}.py", f"{folder}{name}/__init__.py"))
    return {path: {path: FORGE.encode()} for path in files}


@pytest.mark.attack(22, "forged results")
@pytest.mark.parametrize("kind", COMMANDS)
def test_what_the_runner_is_made_of_is_not_found_in_the_tree(
    workspace: Callable[[Tree], DockerWorkspace], kind: str
) -> None:
    base = replace(BASE, recipe=Recipe("python", (), COMMANDS[kind], "test"))
    folder = "src/" if "src" in kind else ""
    whole = {path: FORGE.encode() for path in (f"{folder}{name}.py" for name in NAMES[:3])}
    patches = (changed({}), changed(whole), changed({f"{folder}sitecustomize.py": FORGE.encode()}))
    clean, planted, customized = workspace(SUITE).evaluate(base, patches, WHOLE_SUITE)
    assert clean.state is planted.state is RunState.COMPLETE
    assert [result.node_id for result in planted.red] == [TARGET] == [result.node_id for result in clean.red]
    assert not green(customized)


@pytest.mark.attack(22, "forged results")
def test_the_keys_file_is_gone_before_a_module_of_the_tree_is_imported(
    workspace: Callable[[Tree], DockerWorkspace],
) -> None:
    paths = ("iniconfig.py", "pygments/__init__.py", "argcomplete.py", "json.py", "usercustomize.py")
    patches = tuple(changed(plants("")[path]) for path in paths)
    found = workspace(SUITE).evaluate(BASE, patches, WHOLE_SUITE)
    assert {path for path, run in zip(paths, found, strict=True) if green(run)} == set()


@pytest.mark.attack(22, "forged results")
def test_unittest_does_not_find_what_it_needs_in_the_tree(workspace: Callable[[Tree], DockerWorkspace]) -> None:
    command = ("env", "PYTHONPATH=.", "python3", "-m", "unittest", "discover", "-s", "tests", "-t", "tests")
    base = replace(BASE, recipe=Recipe("unittest", (), command, "test"))
    suite = (
        b"import calc, unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(calc.add(1, 2), 3)"
    )
    whole = {path: FORGE.encode() for path in ("json.py", "re.py", "unittest.py", "sitecustomize.py", "traceback.py")}
    (run,) = workspace({**TREE, "tests/test_calc.py": File(suite)}).evaluate(base, (changed(whole),), WHOLE_SUITE)
    assert (run.state, len(run.red)) == (RunState.COMPLETE, 1)


@pytest.mark.attack(22, "forged results")
@pytest.mark.parametrize("folder", ["", "src/", "tests/"])
def test_a_patch_that_plants_such_a_module_is_refused(
    workspace: Callable[[Tree], DockerWorkspace], folder: str
) -> None:
    assert accepted(workspace(SUITE), plants(folder)) == set()


@pytest.mark.attack(22, "forged results")
def test_a_new_module_of_another_name_is_not(workspace: Callable[[Tree], DockerWorkspace]) -> None:
    fine = {path: {path: b"x = 1\n"} for path in ("calculus.py", "calc_parts/__init__.py", "src/calculus.py")}
    assert accepted(workspace(SUITE), fine) == set(fine)
