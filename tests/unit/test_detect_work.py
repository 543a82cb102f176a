"""What reading a repository may cost: a few bytes must not multiply, whatever file they stand in."""

import json
from collections.abc import Callable

import pytest

from sandbox.detect import candidates, shell, work
from sandbox.detect.makefile import MAKE
from sandbox.detect.python import legacy, needs
from sandbox.errors import DetectionError
from sandbox.spec import File, Recipe, Tree

TESTED = {"test_a.py": "def test_a(): pass\n", "pyproject.toml": "[project]\nname='x'\nversion='1'\n"}


def tree(**files: str) -> Tree:
    return {path: File(text.encode()) for path, text in {**TESTED, **files}.items()}


def workflow(script: str) -> dict[str, str]:
    lines = "".join(f"        {line}\n" for line in script.splitlines())
    return {".github/workflows/ci.yml": f"jobs:\n  t:\n    steps:\n    - run: |\n{lines}"}


def spent(files: dict[str, str], asked: Callable[[Tree], object]) -> int:
    read = tree(**files)
    with work.bounded(read) as counted:
        asked(read)
    return work.MAX_WORK - counted.left


def bounded(files: dict[str, str]) -> tuple[Recipe, ...]:
    try:
        return candidates(tree(**files))
    except DetectionError as error:
        assert "more work" in error.cause  # noqa: PT017 - either way is right
        return ()


DOUBLING = "A=xxxxxxxxxx\n" + "A=$A$A\n" * 60


@pytest.mark.parametrize(
    "files",
    [
        workflow(f"{DOUBLING}pytest $A"),
        {"package.json": json.dumps({"scripts": {"test": DOUBLING.replace("\n", "; ") + "node --test $A"}})},
        {"Makefile": "A=" + "$(B)" * 200 + "\nB=" + "$(C)" * 200 + "\nC=" + "x" * 900 + "\ntest:\n\tpytest $(A)\n"},
        {"tox.ini": "[testenv]\ncommands = pytest " + "{posargs:{posargs:" * 30 + "x" * 300 + "}}" * 30 + "\n"},
        {
            ".github/workflows/ci.yml": "jobs:\n  t:\n    strategy: {matrix: {a: ["
            + "x" * 3000
            + "]}}\n    env:\n"
            + "".join(f"      V{n}: {'${{matrix.a}}' * 200}\n" for n in range(20))
            + "    steps: [{run: pytest}]\n"
        },
    ],
)
def test_no_text_grows_beyond_what_a_command_may_hold(files: dict[str, str]) -> None:
    for recipe in bounded(files):
        texts = [*recipe.test_command, *(value for _, value in recipe.environment)]
        assert max(map(len, texts)) <= work.MAX_TEXT


def test_a_variable_that_doubles_is_not_known_any_more() -> None:
    (only,) = shell.commands(f"{DOUBLING}echo $A", shell.Place("x"))
    assert (only.words[0], set(only.words[1])) == ("echo", {shell.UNKNOWN})


@pytest.mark.parametrize(
    ("command", "path", "content"),
    [
        ("tox", "tox.ini", "[testenv]\ncommands=echo\n" + "[s{}]\nx=1\n" * 900),
        ("nox", "noxfile.py", "import nox\n" + "x = 1\n" * 900),
        ("make test", "Makefile", "test:\n\techo\n" + "x = 1\n" * 900),
        ("hatch run x", "pyproject.toml", TESTED["pyproject.toml"] + "[tool.hatch.envs.default]\n" + "# 1\n" * 900),
    ],
)
def test_a_file_is_parsed_once_however_often_it_is_used(command: str, path: str, content: str) -> None:
    def costs(times: int) -> int:
        return spent({path: content, **workflow(f"{command}\n" * times)}, candidates_inside)

    assert costs(90) - costs(1) < 90 * 300, "each time costs a line, not the file"


def candidates_inside(read: Tree) -> None:
    from sandbox.detect import python  # noqa: PLC0415 - the ecosystem alone, inside of a budget that is looked at
    from sandbox.spec import Given  # noqa: PLC0415 - likewise

    python.recipes(read, Given())


def test_positional_arguments_that_are_nested_end_with_the_work() -> None:
    lists = ["b=[" + ("session.posargs," * 20 + "\n") * 10 + "]", "a=[" + "b," * 200 + "]"]
    session = "@nox.session\ndef tests(session):\n  session.run(\n" + ("a," * 200 + "\n") * 4 + ")\n"
    with pytest.raises(DetectionError, match="more work"):
        candidates(tree(**{"noxfile.py": "\n".join(["import nox", *lists, session])}))


def test_the_targets_of_one_line_of_make_share_its_commands() -> None:
    def costs(names: int) -> int:
        head = " ".join(f"a{n}" for n in range(names))
        return spent({"Makefile": f"test {head}:\n" + "\techo\n" * 200}, lambda read: MAKE.commands(read, ["test"]))

    assert costs(200) < 1.5 * costs(2)
    made = MAKE._made("Makefile", "a b c:\n" + "\techo\n" * 9)
    assert len({id(rule) for rules in made.rules.values() for rule in rules}) == 1


def test_blank_lines_are_read_once_where_an_index_is_looked_for() -> None:
    # A pattern that looks at the same blank lines from each of them would not end.
    assert list(needs.read(tree(**{"requirements.txt": "\n" * 100_000}))) == []


def test_what_is_used_up_is_no_file_that_cannot_be_read() -> None:
    assert not issubclass(work.OverworkError, (DetectionError, ValueError))
    with work.bounded({}), pytest.raises(work.OverworkError):
        work.spend(work.MAX_WORK + 1)


def test_a_parser_that_breaks_is_an_error_of_the_repository() -> None:
    assert legacy.ini_text("[options]\nzip_safe\n  x\n") == {}
    assert candidates(tree(**{"setup.cfg": "[options]\nzip_safe\n  x\n"}))

    class Broken(dict[str, File]):
        def __contains__(self, path: object) -> bool:
            raise MemoryError

    with pytest.raises(DetectionError, match="MemoryError"):
        candidates(Broken(tree()))
