"""A pull request's text after another commit: what Regreen wrote is brought up to date, what people wrote stays."""

from bot.pipeline.followups.revised import revised

TABLE = "| tests | before | after |\n|---|---|---|\n| passing before | 3 passing | 3 passing |\n\nIt ran 3 times.\n"
BODY = (
    "<!-- regreen:subject=issue-7 -->\nFixes #7.\n\n### Tests before and after\n\n| tests | before | after |\n"
    "|---|---|---|\n| old | 1 | 2 |\n\nIt ran 5 times.\n\nFixed:\n\n- `a`\n\n### What it took\n\nlittle\n"
)


def test_the_matrix_is_replaced_in_place_and_each_follow_up_gets_a_line() -> None:
    once = revised(BODY, f"As of aaa:\n\n{TABLE}", "- aaa: one", "aaa")
    twice = revised(once, f"As of bbb:\n\n{TABLE}", "- bbb: two", "bbb")
    assert "| old | 1 | 2 |" not in once
    assert twice.count("### Tests before and after") == 1
    assert twice.count("As of") == 1
    assert "As of bbb:" in twice
    assert twice.count("| passing before |") == 1
    assert twice.count("It ran") == 1
    assert "\n\nFixed:\n\n- `a`\n\n### What it took\n\nlittle\n" in twice
    assert twice.endswith("### Follow-ups\n\n- aaa: one\n- bbb: two\n")
    assert twice.startswith("<!-- regreen:subject=issue-7 -->\nFixes #7.\n")


def test_the_same_follow_up_again_changes_nothing() -> None:
    once = revised(BODY, TABLE, "- aaa: one", "aaa")
    assert revised(once, TABLE, "- aaa: one", "aaa") == once


def test_what_people_wrote_in_place_of_the_matrix_stays() -> None:
    edited = BODY.replace("| tests | before | after |\n|---|---|---|\n| old | 1 | 2 |\n", "See CI.\n")
    new = revised(edited, f"As of aaa:\n\n{TABLE}", "- aaa: one", "aaa")
    assert "See CI." in new
    assert "| passing before |" in new


def test_a_text_without_a_matrix_gets_one_at_its_end() -> None:
    new = revised("Mine.", TABLE, "- aaa: one", "aaa")
    assert new.startswith("Mine.\n\n### Tests before and after\n\n| tests |")
    assert new.endswith("### Follow-ups\n\n- aaa: one\n")


def test_a_german_matrix_is_found() -> None:
    german = BODY.replace("### Tests before and after", "### Tests vorher und nachher")
    new = revised(german, TABLE, "- aaa: one", "aaa")
    assert new.count("### Tests") == 1
    assert "| old |" not in new


def test_it_fits_whatever_happened() -> None:
    assert len(revised(BODY + "x" * 70_000, TABLE, "- aaa: one", "aaa")) <= 65_535
