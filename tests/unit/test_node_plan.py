import json

import pytest

from sandbox.errors import DetectionError
from sandbox.results import ecosystems
from sandbox.spec import Recipe

NONCE = "ab12"


def command(kind: str, *words: str, node_ids: tuple[str, ...] = ()) -> list[str]:
    """What runs behind the links to the packages, without our own options."""
    plan = ecosystems.plan(Recipe(kind, (), words, "test"), node_ids, NONCE)
    assert plan.command[:3] == ("python3", "-I", "/regreen/ab12/node_run.py")
    assert json.loads(plan.tree["ab12/selection.json"].data) == (list(node_ids) or None)
    assert any("/regreen/ab12/" in word for word in plan.command[4:])
    own = ("--test-reporter", "--ci", "--coverage", "--bail", "--no-bail", "--watchman", "--reporter")
    return [word for word in plan.command[4:] if not word.startswith(own)]


def test_our_reporter_goes_right_after_the_program() -> None:
    plan = ecosystems.plan(Recipe("jest", (), ("sh", "-c", 'tsc && exec "$@"', "sh", "jest", "-i"), "t"), (), NONCE)
    words = plan.command[4:]
    assert words[4:6] == ("jest", "--ci")
    assert words[-2:] == ("--reporters=/regreen/ab12/jest_reporter.cjs", "-i")


@pytest.mark.parametrize(
    ("kind", "words", "kept"),
    [
        ("jest", ("jest", "--coverage", "--watchAll=false", "--bail", "src"), ["jest", "src"]),
        ("jest", ("node", "node_modules/jest/bin/jest.js", "--json"), ["node", "node_modules/jest/bin/jest.js"]),
        ("vitest", ("vitest", "run", "--coverage.all", "--pool", "forks"), ["vitest", "run", "--pool", "forks"]),
        ("vitest", ("vitest", "watch"), ["vitest", "run"]),
        ("mocha", ("mocha", "-r", "tsx", "--reporter", "dot", "-b", "t/*.js"), ["mocha", "-r", "tsx", "t/*.js"]),
        ("node-test", ("node", "--import", "tsx", "--test", "a.ts"), ["node", "--import", "tsx", "--test", "a.ts"]),
    ],
)  # fmt: skip
def test_what_would_stop_early_watch_or_report_elsewhere_is_left_out(
    kind: str, words: tuple[str, ...], kept: list[str]
) -> None:
    assert command(kind, *words) == kept


@pytest.mark.parametrize(
    ("kind", "words", "expected"),
    [
        ("jest", ("jest", "-c", "j.js", "src"), ["jest", "-c", "j.js", "--runTestsByPath", "a.js", "b.js"]),
        ("vitest", ("vitest", "run", "src"), ["vitest", "run", "a.js", "b.js"]),
        ("mocha", ("mocha", "-r", "x", "test/*.js"), ["mocha", "-r", "x", "a.js", "b.js"]),
        ("node-test", ("node", "--test", "test/"), ["node", "--test", "a.js", "b.js"]),
    ],
)
def test_a_selection_takes_the_place_of_the_commands_own_files(
    kind: str, words: tuple[str, ...], expected: list[str]
) -> None:
    assert command(kind, *words, node_ids=("a.js::x > y", "a.js::z", "b.js::x")) == expected


def test_a_command_that_does_not_start_the_runner_is_refused() -> None:
    with pytest.raises(DetectionError, match="does not start jest"):
        ecosystems.plan(Recipe("jest", (), ("npm", "test"), "test"), (), NONCE)
    with pytest.raises(DetectionError, match="does not start unittest"):
        ecosystems.plan(Recipe("unittest", (), ("python", "x.py"), "test"), (), NONCE)
    with pytest.raises(DetectionError, match="No way"):
        ecosystems.plan(Recipe("cobol", (), ("x",), "test"), (), NONCE)
