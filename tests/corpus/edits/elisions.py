"""Replies that leave code out and say so: refused where something would be lost, read where nothing is."""

from corpus.edits.case import Case, block, edit, swap
from corpus.edits.places import CART, LOOP, PATH

FILES = {PATH: CART}
WORDS = (
    "# ... rest unchanged", "# ...existing code...", "# ... existing code ...", "# rest of the function remains the same",
    "# (rest of the code unchanged)", "...", "# Existing code here", "# ... (previous code)", "# remaining code as before",
    "# same as before", "# [rest of function unchanged]", "# --- unchanged ---", "# the loop stays the same as before",
    "# ... omitted for brevity ...", "pass  # ... existing code ...",
)  # fmt: skip
HONEST = (
    "# Keep the rest of the prices.",
    "# the same as in worth()",
    "# existing rows only",
    "# skip the remaining ones",
)
SCRIPT = b"function total(prices) {\n  let sum = 0;\n  for (const price of prices) sum += price;\n  return sum - 1;\n}\n\nfunction other() {\n  return 1;\n}\n"
SCRIPT_WORDS = (
    "// ... existing code ...",
    "// ...existing code...",
    "/* ... rest unchanged ... */",
    "// rest of function",
)
PROTOCOL = b"from typing import Protocol\n\n\nclass Named(Protocol):\n    def name(self) -> str: ...\n\n    def size(self) -> int:\n        ...\n\n\ndef f(x):\n    return x + 1\n"


def refused(name: str, reply: str) -> Case:
    return Case(name, FILES, reply, refused="leaves code out")


def lands(name: str, reply: str, *swaps: tuple[str, str], data: bytes = CART) -> Case:
    after = data
    for old, new in swaps:
        after = swap(after, old, new)
    return Case(name, {PATH: data}, reply, {PATH: after})


CASES = (
    *(refused(f"a function with {words!r}", block(f"{PATH} :: total", f"def total(prices):\n    {words}\n    return found"))
      for words in WORDS),
    *(refused(f"an edit with {words!r}", edit(PATH, f"def total(prices):\n{LOOP}", f"def total(prices):\n    {words}"))
      for words in WORDS[:4]),
    *(lands(f"an honest comment: {words!r}", edit(PATH, "    return found - 1", f"    {words}\n    return found"),
            ("    return found - 1", f"    {words}\n    return found")) for words in HONEST),
    *(Case(f"a script's function with {words!r}", {"a.js": SCRIPT}, block("a.js :: total", f"function total(prices) {{\n  {words}\n  return sum;\n}}", "js"),
           refused="leaves code out") for words in SCRIPT_WORDS),
    refused("a whole file that ends in dots", block(PATH, CART.decode().partition("class Cart")[0] + "# ... rest of the file unchanged ...\n")
            .replace("return found - 1", "# ... existing code ...\n    return found")),
    *(refused(f"a function that ends in {words!r}", block(f"{PATH} :: total", f"def total(prices):\n    if not prices:\n        return 0\n    {words}"))
      for words in (*WORDS, "# your existing code goes here", "# --- snip ---", "# etc.", "# unchanged code below")),
    refused("a function with dots directly below it", block(f"{PATH} :: total", "def total(prices):\n    if not prices:\n        return 0\n# ... existing code ...")),
    lands("dots behind the function's last return", block(f"{PATH} :: total", f"def total(prices):\n{LOOP}\n    return found\n    # ... existing code ..."), ("found - 1", "found")),
    lands("dots around a whole function", block(PATH, f"# ... existing code ...\n\ndef total(prices):\n{LOOP}\n    return found\n\n# ... rest of the file ..."),
          ("found - 1", "found")),
    lands("dots around a whole method in its class", block(PATH, "class Basket:\n    # ... other methods ...\n\n    def count(self):\n        return 7\n\n    # ... rest unchanged ..."),
          ("        return 0\n\n    def total", "        return 7\n\n    def total")),
    lands("another method with dots beside a whole one", block(PATH, "class Basket:\n    def total(self):\n        ...\n\n    def count(self):\n        return 7"),
          ("        return 0\n\n    def total", "        return 7\n\n    def total")),
    lands("dots that the file holds itself", edit(PATH, "def f(x):\n    return x + 1", "def f(x):\n    return x"), ("x + 1", "x"), data=PROTOCOL),
    lands("a stub that the reply adds", edit(PATH, "    def size(self) -> int:\n        ...", "    def size(self) -> int:\n        ...\n\n    def rank(self) -> int: ..."),
          ("    def size(self) -> int:\n        ...", "    def size(self) -> int:\n        ...\n\n    def rank(self) -> int: ..."), data=PROTOCOL),
)  # fmt: skip
