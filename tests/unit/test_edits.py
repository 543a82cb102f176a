"""How replies become patches: which rung, which place, which words."""

import pytest

from bot.errors import EditError
from bot.repair.editing.edits import Applied, Rung, apply, mentioned_paths

CART = b'''"""A cart."""

from decimal import Decimal

LIMIT = 3


def total(prices):
    return sum(prices) - 1


class Cart:
    def __init__(self, prices):
        self.prices = prices

    @property
    def total(self):
        """The sum."""
        if self.prices:
            return total(self.prices)
        return 1

    def count(self):
        def inner(items):
            return len(items) + 1

        return inner(self.prices)


class Other:
    def count(self):
        return 0
'''
FILES = {"shop/cart.py": CART, "shop/other.py": b"VALUE = 1\n"}


def edit(search: str, new: str, path: str = "shop/cart.py") -> str:
    return f"{path}\n<<<<<<< SEARCH\n{search}\n=======\n{new}\n>>>>>>> REPLACE\n"


def content(applied: Applied, path: str = "shop/cart.py") -> str:
    return next(change.content or b"" for change in applied.patch.changes if change.path == path).decode()


def test_a_unique_search_is_replaced_and_the_words_before_it_are_the_explanation() -> None:
    reply = "CAUSE: one too few\nPREDICTION: green\n\n" + edit("    return sum(prices) - 1", "    return sum(prices)")
    applied = apply(reply, "stop", FILES)
    assert content(applied) == CART.decode().replace("sum(prices) - 1", "sum(prices)")
    assert applied.rung is Rung.SEARCH_REPLACE
    assert applied.explanation == "CAUSE: one too few\nPREDICTION: green"


@pytest.mark.parametrize(
    "heading",
    [
        "shop/cart.py",
        "**shop/cart.py**",
        "`shop/cart.py`:",
        "### File: shop/cart.py",
        "./shop/cart.py",
        "# shop/cart.py",
    ],
)
def test_a_path_is_read_through_its_decorations(heading: str) -> None:
    reply = f"{heading}\n```python\n<<<<<<< SEARCH\n        return 1\n=======\n        return 0\n>>>>>>> REPLACE\n```\n"
    assert "return 0" in content(apply(reply, "stop", FILES))


def test_a_path_inside_the_fence_or_on_its_info_line_is_read() -> None:
    body = "<<<<<<< SEARCH\n        return 1\n=======\n        return 0\n>>>>>>> REPLACE\n```\n"
    for opening in ("```python\nshop/cart.py\n", "```python shop/cart.py\n", "```python:shop/cart.py\n"):
        assert "return 0" in content(apply(opening + body, "stop", FILES))


def test_several_edits_apply_in_order_and_later_ones_inherit_the_path() -> None:
    reply = edit("        return 1", "        return 0") + edit("LIMIT = 3", "LIMIT = 4").partition("\n")[2]
    assert "LIMIT = 4" in (text := content(apply(reply, "stop", FILES)))
    assert "return 0\n\n    def count" in text


def test_one_edit_that_does_not_apply_refuses_the_whole_reply() -> None:
    with pytest.raises(EditError, match="do not occur"):
        apply(edit("        return 1", "        return 0") + edit("nowhere", "x"), "stop", FILES)


def test_a_search_at_another_depth_still_lands_at_the_files_own_depth() -> None:
    applied = apply(
        edit("if self.prices:\n    return total(self.prices)", "if not self.prices:\n    return 0"), "", FILES
    )
    assert applied.rung is Rung.RELAXED
    assert "        if not self.prices:\n            return 0\n        return 1" in content(applied)


def test_line_numbers_copied_from_the_prompt_are_no_part_of_the_code() -> None:
    assert "return 0\n\n    def" in content(apply(edit("  21|         return 1", "  21|         return 0"), "", FILES))


def test_a_divider_inside_of_the_quoted_text_is_read_the_one_way_that_matches() -> None:
    files = {"a.md": b"Changes\n=======\nold\n"}
    applied = apply(edit("Changes\n=======\nold", "Changes\n=======\nnew", "a.md"), "stop", files)
    assert content(applied, "a.md") == "Changes\n=======\nnew\n"


def test_a_function_replaces_its_namesake_and_keeps_decorators_and_depth() -> None:
    reply = 'shop/cart.py :: Cart.total\n```python\ndef total(self):\n    """The sum."""\n    return 7\n```'
    applied = apply(reply, "stop", FILES)
    assert applied.rung is Rung.FUNCTION
    assert '    @property\n    def total(self):\n        """The sum."""\n        return 7\n\n    def count' in content(
        applied
    )
    assert "def total(prices):\n    return sum(prices) - 1" in content(applied)


def test_a_method_inside_its_class_needs_no_other_name() -> None:
    reply = "shop/cart.py\n```python\nclass Other:\n    def count(self):\n        return 5\n```"
    assert content(apply(reply, "stop", FILES)).endswith("class Other:\n    def count(self):\n        return 5\n")


def test_a_nested_function_is_found_by_its_qualified_name() -> None:
    reply = "shop/cart.py :: Cart.count.<locals>.inner\n```python\ndef inner(items):\n    return len(items)\n```"
    assert "        def inner(items):\n            return len(items)\n\n        return" in content(
        apply(reply, "", FILES)
    )


def test_an_async_function_is_replaced_with_new_decorators_when_it_brings_some() -> None:
    files = {"a.py": b"from marks import new, old\n@old\nasync def go():\n    return 1\n"}
    applied = apply("a.py\n```python\n@new\nasync def go():\n    return 2\n```", "stop", files)
    assert content(applied, "a.py") == "from marks import new, old\n@new\nasync def go():\n    return 2\n"


def test_a_function_without_a_path_goes_to_the_one_file_that_defines_it() -> None:
    reply = "Here:\n```python\nfrom decimal import Decimal\n\ndef __init__(self, prices):\n    self.prices = []\n```"
    assert "self.prices = []" in content(apply(reply, "stop", FILES))


def test_the_present_code_quoted_before_the_fix_is_passed_over() -> None:
    old = "```python\ndef total(prices):\n    return sum(prices) - 1\n```\n"
    new = "shop/cart.py\n```python\ndef total(prices):\n    return sum(prices)\n```\n"
    text = content(apply(f"Wrong:\n{old}Right:\n{new}", "stop", FILES))
    assert text == CART.decode().replace("sum(prices) - 1", "sum(prices)")


def test_a_bare_name_means_the_method_when_it_takes_self() -> None:
    applied = apply("shop/cart.py\n```python\ndef total(self):\n    return 7\n```", "stop", FILES)
    assert "    @property\n    def total(self):\n        return 7\n" in content(applied)


def test_a_whole_small_file_is_the_last_rung() -> None:
    applied = apply("shop/other.py\n```python\nVALUE = 2\n```", "stop", FILES)
    assert (content(applied, "shop/other.py"), applied.rung) == ("VALUE = 2\n", Rung.FILE)


def test_an_empty_file_is_filled_by_a_block_without_a_path() -> None:
    reply = "The sum.\n\n```python\ndef add(a, b):\n    return a + b\n```"
    applied = apply(reply, "stop", {"solution.py": b""}, default_path="solution.py")
    assert content(applied, "solution.py") == "def add(a, b):\n    return a + b\n"
    assert applied.explanation == "The sum."


def test_bare_functions_without_a_fence_are_code() -> None:
    applied = apply("def add(a, b):\n    return a + b\n", "stop", {"s.py": b""}, default_path="s.py")
    assert content(applied, "s.py") == "def add(a, b):\n    return a + b\n"


def test_what_a_model_thinks_aloud_is_neither_edit_nor_explanation() -> None:
    reply = "<think>```python\nVALUE = 9\n```</think>Cause.\n" + edit("VALUE = 1", "VALUE = 2", "shop/other.py")
    assert apply(reply, "stop", FILES).explanation == "Cause."


def test_the_paths_of_a_reply_are_known_before_it_is_applied() -> None:
    assert mentioned_paths(edit("a", "b") + edit("a", "b", "x.py"), ()) == ("shop/cart.py", "x.py")
    assert mentioned_paths("<<<<<<< SEARCH\nx", ()) == ()
