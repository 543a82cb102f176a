from fakes import patch

from bot.repair.integrity.fingerprint import changed_lines, tree_hash, unchanged
from bot.repair.types import FileChange, Patch


def test_layout_and_comments_are_the_same_code() -> None:
    assert tree_hash(patch(a="x = 1  # one\n")) == tree_hash(patch(a="\nx=1\n"))


def test_another_value_path_or_deletion_is_other_code() -> None:
    others = (patch(a="x = 1"), patch(a="x = 2"), patch(b="x = 1"), Patch((FileChange("a.py", None),)), Patch())

    assert len({tree_hash(other) for other in others}) == len(others)


def test_code_that_does_not_parse_counts_by_its_bytes() -> None:
    assert tree_hash(patch(a="def (")) != tree_hash(patch(a="def  ("))
    assert tree_hash(patch(a="x = 1\0")) == tree_hash(patch(a="x = 1\0"))


def test_deep_nesting_does_not_break_the_hash() -> None:
    assert tree_hash(patch(a="(" * 5000 + ")" * 5000))


def test_a_file_that_is_no_python_counts_by_its_bytes() -> None:
    one, two = (Patch((FileChange("a.txt", text),)) for text in (b"x = 1", b"x=1"))

    assert tree_hash(one) != tree_hash(two)


def test_a_patch_that_only_moves_comments_changes_nothing() -> None:
    assert unchanged(patch(a="x = 1  # new"), {"a.py": b"x = 1"})
    assert not unchanged(patch(a="x = 2"), {"a.py": b"x = 1"})
    assert not unchanged(patch(a=""), {})
    assert not unchanged(Patch((FileChange("a.py", None),)), {"a.py": b""})


def test_changed_lines_are_those_added_and_removed() -> None:
    assert changed_lines(patch(a="1\n2\n4\n", b="new\n"), {"a.py": b"1\n2\n3\n"}) == 3
    assert changed_lines(Patch((FileChange("a.py", None),)), {"a.py": b"1\n2\n"}) == 2


def test_lines_of_a_long_file_are_counted_whatever_their_order() -> None:
    before = b"".join(b"%d\n" % number for number in range(6000))

    assert changed_lines(patch(a=f"{before.decode()}new\n"), {"a.py": before}) == 1
    assert changed_lines(patch(a="x\n" * 6000), {"a.py": before}) == 12_000
