"""What a run leaves for the next, and what a patch leaves for the interpreter."""

from collections.abc import Callable

import pytest
from attacks_inside import Attack, came_through, told
from attacks_suites import FIXED, TREE, accepted

from bot.adapters.workspace import DockerWorkspace
from sandbox.spec import File, Tree, Verdict

pytestmark = pytest.mark.engine

SHADOWS = ("tar", "mkdir", "sh", "env", "cp", "chmod", "rm", "kill", "printf", "xargs", "cat", "python3")
PLANTS = (
    "sitecustomize.py", "usercustomize.py", "evil.pth", "src/evil.pth", "conftest.py", "pytest.py",
    "_pytest/__init__.py", "pluggy/__init__.py", "json.py", "os.py", "evil.dist-info/entry_points.txt",
    "evil.egg-info/entry_points.txt", "pytest.ini", "tests/sitecustomize.py",
)  # fmt: skip


@pytest.mark.attack(21, "planted start-up files")
def test_nothing_that_a_run_planted_is_there_in_the_next(attack: Attack, canary: str) -> None:
    planted = attack("plant", "plant", canary)
    assert came_through(planted).keys() == {"ran here"}
    looked = attack("plant", "look", canary)
    assert (looked.verdict, looked.exit_code) == (Verdict.EXITED, 0)
    assert len(told(looked)) == 5
    assert came_through(looked) == {}


@pytest.mark.attack(21, "planted start-up files")
def test_commands_of_the_tree_do_not_run_in_the_first_process(attack: Attack) -> None:
    fake = File(b'#!/bin/sh\necho $0 >>/tmp/ran\nexec /usr/bin/${0##*/} "$@"\n', 0o100755)
    libraries = {"lib/x.so": File(b"no library"), "sitecustomize.py": File(b"open('/tmp/ran', 'a').write('site')\n")}
    tree: Tree = {**{f"bin/{name}": fake for name in SHADOWS}, **libraries}
    variables = {"PATH": "/repo/bin:/usr/bin:/bin", "LD_PRELOAD": "/repo/lib/x.so", "ENV": "/repo/bin/env",
                 "TAR_OPTIONS": "--to-command=/repo/bin/sh", "PYTHONPATH": "/repo"}  # fmt: skip
    result = attack("quiet", tree=tree, environment=tuple(variables.items()))
    assert (result.verdict, result.exit_code) == (Verdict.EXITED, 0)
    assert b"tar" not in result.output


@pytest.mark.attack(21, "planted start-up files")
def test_a_patch_that_plants_one_is_refused(workspace: Callable[[Tree], DockerWorkspace]) -> None:
    planted = {path: {"calc.py": FIXED, path: b"x = 1\n"} for path in PLANTS}
    assert accepted(workspace(TREE), planted) == set()
