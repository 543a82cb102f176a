"""What the demo's terminal shows of a Markdown text: what its page shows, in plain characters."""

from bot.demo.digest import digest

BODY = """<!-- regreen:subject=octo/shop#1 -->
Fixes #1.

> [!NOTE]
> A draft.

### Cause and fix

Boundary: &lt; instead of &lt;=, in Span.\\_\\_post\\_init\\_\\_

### Tests before and after

| tests | before | after |
|---|---|---|
| failing before | 2 failing | 2 fixed |
| new |  | `a\\|b` |

| another | table |
|---|---|

<details><summary>Reflection log: 2 attempts</summary>

**Attempt 1: rejected: it broke a test that passed**

Proposed: nothing of note

```diff
-Attempt 9: not prose
```

Facts, put together without a model: tests/test\\_a.py::test\\_b: 1 &lt; 2 for @\u2060ines.

**Attempt 2: solved**

</details>
"""


def test_the_text_comes_down_to_its_first_line_its_table_and_its_attempts() -> None:
    found = digest(BODY)
    assert found.opening == "Fixes #1."
    assert found.table == (
        ("tests", "before", "after"),
        ("failing before", "2 failing", "2 fixed"),
        ("new", "", "a|b"),
    )
    assert found.log == (
        "Attempt 1: rejected: it broke a test that passed",
        "Facts, put together without a model: tests/test_a.py::test_b: 1 < 2 for @ines.",
        "Attempt 2: solved",
    )


def test_a_text_without_a_table_or_attempts_is_its_first_paragraph() -> None:
    found = digest("**No fix.** Stopped with `exhausted`:\nthe end.\n\nMore.")
    assert (found.opening, found.table, found.log) == ("No fix. Stopped with exhausted: the end.", (), ())
    assert digest("").opening == ""
