"""gitignore patterns, and that none of them can make one wait."""

import pytest
from growth import linear
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from bot.repair.sources.globs import Globs

_SEGMENT = st.sampled_from(["a", "b", "*", "**", "?", "a*", "*b", "ab", "[ab]", "[!a]b", "*.py", r"\*"])
_PATTERN = st.tuples(st.sampled_from(["", "/"]), st.lists(_SEGMENT, min_size=1, max_size=4).map("/".join))
_PATH = st.lists(st.sampled_from(["a", "b", "ab", "ba", "a.py", "*"]), min_size=1, max_size=5).map("/".join)


@given(st.lists(_PATTERN.map("".join), max_size=4), st.sampled_from(["", "/"]), _PATH)
def test_patterns_mean_what_the_library_says(lines: list[str], end: str, path: str) -> None:
    patterns = [f"{line}{end}" for line in lines]
    assert Globs.of(patterns).cover(path) == GitIgnoreSpec.from_lines(patterns).match_file(path)


def test_the_last_pattern_decides() -> None:
    assert not Globs.of(("*.py", "!a.py")).cover("x/a.py")
    assert Globs.of(("!a.py", "*.py")).cover("x/a.py")
    assert not Globs.of(("# a.py", "", "/")).cover("a.py")


@pytest.mark.parametrize(
    ("pattern", "segment"),
    [("*a*a*a*a*a*b", "a"), ("*a*a*a/**/*a*a*b", "a" * 8 + "/"), ("**/a/**/a/**/a/**/b", "a/")],
)
def test_four_times_the_path_is_about_four_times_the_work(pattern: str, segment: str) -> None:
    globs = Globs.of([pattern])
    assert linear(lambda size: globs.cover(segment * size), 5000)
