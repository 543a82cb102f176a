"""How the loop's benchmark makes repositories of what it is given."""

from pathlib import Path

import pytest
from bench.loop import directory, quixbugs
from bench.loop.tasks import chosen
from bench.subjects import InvalidMeasurementError


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def checkout(root: Path) -> Path:
    """The shape of a checkout of QuixBugs, with two programs."""
    shared = {"conftest.py": "", "python_testcases/load_testdata.py": "", "python_testcases/node.py": ""}
    write(root, **shared, **{"json_testcases/gcd.json": "[[17, 0], 17]\n"})
    for name in ("gcd", "detect_cycle"):
        write(
            root,
            **{
                f"python_programs/{name}.py": f"def {name}(): faulty\n",
                f"correct_python_programs/{name}.py": f"def {name}(): right\n",
                f"python_testcases/test_{name}.py": "def test(): pass\n",
            },
        )
    return root


def test_a_program_is_a_repository_with_its_own_tests_and_nothing_that_gives_it_away(tmp_path: Path) -> None:
    cycle, gcd = quixbugs.tasks(checkout(tmp_path))
    assert (cycle.name, gcd.name) == ("detect_cycle", "gcd")
    assert {"python_programs/gcd.py", "json_testcases/gcd.json", "pytest.ini", "requirements.txt"} <= gcd.tree.keys()
    assert not [path for path in gcd.tree if "correct" in path or "detect_cycle" in path]
    assert "json_testcases/gcd.json" not in cycle.tree
    assert "python_programs/gcd.py" not in gcd.full
    assert gcd.fixed == {"python_programs/gcd.py": b"def gcd(): right\n"}
    assert gcd.commit != cycle.commit


def test_what_is_no_checkout_is_no_measurement(tmp_path: Path) -> None:
    with pytest.raises(InvalidMeasurementError, match="no checkout"):
        quixbugs.tasks(tmp_path)
    (checkout(tmp_path) / "conftest.py").unlink()
    with pytest.raises(InvalidMeasurementError, match=r"lacks conftest\.py"):
        quixbugs.tasks(tmp_path)


def test_a_directory_of_tasks_says_what_it_does_not_leave_to_be_found_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        **{
            "one/repo/calc.py": "x = 1\n",
            "one/repo/tests/test_calc.py": "def test_a(): pass\n",
            "one/full/tests/test_calc.py": "def test_a(): pass\n\n\ndef test_b(): pass\n",
            "one/task.toml": 'title = "It is wrong"\ntargets = ["tests/test_calc.py::test_a"]\n',
            "two/repo/calc.py": "x = 2\n",
            "two/repo/conftest.py": "",
            "three.txt": "no task",
        },
    )
    one, two = directory.tasks(tmp_path)
    assert (one.title, one.targets) == ("It is wrong", ("tests/test_calc.py::test_a",))
    assert b"test_b" in one.full["tests/test_calc.py"].data
    assert b"test_b" not in one.tree["tests/test_calc.py"].data
    assert (set(two.full), two.targets) == ({"conftest.py"}, ())


def test_a_task_that_says_what_nobody_reads_is_no_measurement(tmp_path: Path) -> None:
    write(tmp_path, **{"one/repo/calc.py": "", "one/task.toml": "target = []\n"})
    with pytest.raises(InvalidMeasurementError, match=r"task\.toml"):
        directory.tasks(tmp_path)


def test_tasks_are_chosen_by_name_or_number(tmp_path: Path) -> None:
    tasks = quixbugs.tasks(checkout(tmp_path))
    assert chosen(tasks, "") == tasks
    assert chosen(tasks, "1") == tasks[:1]
    assert [task.name for task in chosen(tasks, "gcd, detect_cycle")] == ["gcd", "detect_cycle"]
    with pytest.raises(InvalidMeasurementError, match="no task lcm"):
        chosen(tasks, "gcd,lcm")
