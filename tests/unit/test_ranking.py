from bot.repair.localisation.localise import Suspect
from bot.repair.localisation.ranking import Rank, accuracy, ranks
from bot.repair.types import FileChange, Patch

BEFORE = b"""LIMIT = 1


def a(x):
    return x


class C:
    def b(self):
        def inner():
            return 1

        return inner() + LIMIT
"""
SUSPECTS = [Suspect("m.py", name, 1, 1, 1.0, "reached") for name in ("C.b", "a", "<module>")]


def of(old: bytes, new: bytes) -> list[tuple[str, int]]:
    patch = Patch((FileChange("m.py", BEFORE.replace(old, new, 1)),))
    return [(found.qualified_name, found.rank) for found in ranks(patch, {"m.py": BEFORE}, SUSPECTS)]


def test_the_innermost_edited_function_is_ranked() -> None:
    assert of(b"return x", b"return -x") == [("a", 2)]
    assert of(b"inner() + LIMIT", b"inner()") == [("C.b", 1)]
    assert of(b"return 1", b"return 2") == [("C.b.inner", 0)]
    assert of(b"LIMIT = 1", b"LIMIT = 2") == [("<module>", 3)]


def test_lines_that_are_added_count_to_the_function_before_them() -> None:
    assert of(b"    return x\n", b"    return x\n    return 3\n") == [("a", 2)]


def test_the_best_rank_comes_first_and_what_no_suspect_is_last() -> None:
    both = BEFORE.replace(b"return x", b"return 0").replace(b"return 1", b"return 0").replace(b"+ LIMIT", b"")
    found = ranks(Patch((FileChange("m.py", both),)), {"m.py": BEFORE}, SUSPECTS)
    assert [(one.qualified_name, one.rank) for one in found] == [("C.b", 1), ("a", 2), ("C.b.inner", 0)]
    assert found[0] == Rank("m.py", "C.b", 1, 3)


def test_functions_of_other_languages_are_ranked_and_new_files_are_not() -> None:
    old = b"function f() {\n  return 1;\n}\n"
    suspects = [Suspect("a.js", "f", 1, 3, 1.0, "reached")]
    patch = Patch((FileChange("a.js", old.replace(b"1", b"2")), FileChange("new.js", b"x\n")))
    assert ranks(patch, {"a.js": old}, suspects) == (Rank("a.js", "f", 1, 1),)


def test_files_of_many_equal_lines_are_compared_in_no_time() -> None:
    old = b"\n" * 400_000 + BEFORE
    new = b"\n" * 300_000 + b"x\n" + b"\n" * 90_000 + BEFORE.replace(b"return x", b"return 0")
    found = ranks(Patch((FileChange("m.py", new),)), {"m.py": old}, SUSPECTS)
    assert {one.qualified_name for one in found} == {"<module>", "a"}


def test_accuracy_is_the_share_of_ranks_within_each_k_and_misses_count() -> None:
    assert accuracy([1, 2, 5, 0]) == {1: 0.25, 3: 0.5, 5: 0.75, 10: 0.75}
    assert accuracy([]) == {1: 0.0, 3: 0.0, 5: 0.0, 10: 0.0}
