from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.logs import FileLogs

LOGS = FileLogs(Path("data/runs"))


@given(st.text(st.characters(codec=None), max_size=400))
def test_any_identity_names_one_directory_below_the_runs(identity: str) -> None:
    where = LOGS.directory(identity)
    assert where.parent == Path("data/runs")
    assert len(where.name.encode()) <= 255
    assert not where.name.startswith(".") or len(where.name) > 2


def test_two_identities_never_share_a_directory() -> None:
    assert LOGS.directory("o/r:check-a/b") != LOGS.directory("o/r:check-a_b")


def test_the_name_says_whose_run_it_is() -> None:
    assert LOGS.directory("o/r:issue-7:d1").name.startswith("o_r_issue-7_d1-")
