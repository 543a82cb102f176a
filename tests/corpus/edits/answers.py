"""Answers that end early, think aloud, change their mind, leave code out in new words, or name what they do not hold."""

from corpus.edits.case import Case, block, edit, swap

PATH = "shop/cart.py"
CART = b"""class Cart:
    def __init__(self, items):
        self.items = list(items)

    def total(self):
        return sum(self.items)


class Order:
    def __init__(self, cart, rate):
        self.cart = cart
        self.rate = rate

    def total(self):
        return self.cart.total() * self.rate

    @property
    def size(self):
        return 1

    @size.setter
    def size(self, size):
        self.rate = size


class Line:
    @property
    def size(self):
        return 2


def mean(carts):
    found = total(carts)
    return found / len(carts)


def total(carts):
    return sum(cart.total() for cart in carts)
"""
FILES = {PATH: CART}
OLD, NEW = "    return found / len(carts)", "    return found / max(1, len(carts))"
EDIT, FIXED = edit(PATH, OLD, NEW), swap(CART, OLD, NEW)
DRAFT = edit(PATH, "def total(carts):", "def total(carts=()):")
HEAD = "def mean(carts):\n    found = total(carts)\n"
MEAN = f"{PATH} :: mean\n```python\n{HEAD}{NEW}\n```\n"
TAGS = b"def wrap(text):\n    return text\n\n\nA = 1\nB = 2\n"
SCRIPT = b"function long(x) {\n  const a = x;\n  return a;\n}\n"
GO = b"//go:build linux\n\npackage a\n\nvar n = 1\n\nfunc (a *A) Run() int {\n\treturn 1\n}\n\nfunc (b B) Run() int {\n\treturn 2\n}\n"
TABS = b"class A:\n\tdef f(self):\n\t\treturn 1\n"


def lands(name: str, reply: str, lands: bytes = FIXED) -> Case:
    return Case(name, FILES, reply, {PATH: lands})


def refused(name: str, reply: str, reason: str) -> Case:
    return Case(name, FILES, reply, refused=reason)


def elided(line: str) -> Case:
    return refused(
        f"a function that ends in {line.strip()}", block(f"{PATH} :: mean", f"{HEAD}{line}"), "leaves code out|ends now"
    )


CASES = (
    *(refused(f"a function that the reply's end cuts after {cut!r}", MEAN[: MEAN.index(cut) + len(cut)], "ends inside of a code block|does not parse")
      for cut in ("found = total(carts)\n", "return found", "return found / max(1, len(carts))")),
    refused("a new file that the reply's end cuts", "NEW FILE: shop/new.py\n```python\ndef f():\n    return 1\n", "ends inside of a code block"),
    refused("a class without a body", block(f"{PATH} :: Order", "class Order:"), "nothing that the block holds"),
    refused("a function without a body", block(f"{PATH} :: mean", "def mean(carts):"), "parse"),
    Case("a script's function that ends with its brace, without a fence's end", {"a.js": SCRIPT},
         "a.js :: long\n```js\nfunction long(x) {\n  return x;\n}\n", {"a.js": b"function long(x) {\n  return x;\n}\n"}),
    *(lands(f"thoughts in {opening}", f"{opening}\n{DRAFT}\n{closing}\n{EDIT}") for opening, closing in (
        ("[THINK]", "[/THINK]"), ("\u25c1think\u25b7", "\u25c1/think\u25b7"), ("<scratchpad>", "</scratchpad>"),
        ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
        ("<|START_THINKING|>", "<|END_THINKING|>"))),
    lands("thoughts that hold a fence without an end", f"<think>\n```python\n{HEAD}</think>\n{EDIT}"),
    lands("words on a tag", f"The <think> tag is not stripped.\n{EDIT}"),
    Case("a function that writes tags of thoughts", {PATH: TAGS},
         block(f"{PATH} :: wrap", 'def wrap(text):\n    return f"<think>{text}</think>"'),
         {PATH: swap(TAGS, "return text", 'return f"<think>{text}</think>"')}),
    Case("a tag's end on a line of an edit, and another edit", {PATH: TAGS},
         edit(PATH, "A = 1", 'A = """\n</think>\n"""') + edit(PATH, "B = 2", "B = 3"),
         {PATH: swap(swap(TAGS, "A = 1", 'A = """\n</think>\n"""'), "B = 2", "B = 3")}),
    refused("an edit that is taken back", f"{DRAFT}\nWait, that is wrong. Instead:\n\n{EDIT}", "takes back"),
    refused("edits to choose from", f"{EDIT}\nAlternatively:\n\n{DRAFT}", "a choice"),
    refused("a function in two ways", MEAN + MEAN.replace("max(1, ", "max(2, "), "in two ways"),
    refused("a function in two ways, the second without a heading", f"{MEAN}\nOr:\n```python\n{HEAD}    return 0\n```\n", "in two ways"),
    refused("an edit, and another function of its file", EDIT + block(f"{PATH} :: total", "def total(carts):\n    return 0"), "neither old nor new"),
    lands("an edit, and what its function has become", f"{EDIT}\nNow it reads:\n\n{MEAN}"),
    *map(elided, ("    # keep the rest", "    # remaining lines as they were", "    # no changes below", "    # \u5176\u4f59\u4ee3\u7801\u4fdd\u6301\u4e0d\u53d8",
                  "    # and so on", '    """rest unchanged"""', "    return ...  # unchanged", "    raise NotImplementedError  # rest as before")),
    *(Case(f"a function that ends in a branch with {line}", {PATH: TAGS},
           block(f"{PATH} :: wrap", f"def wrap(text):\n    try:\n        text.close()\n    except OSError:\n        {line}"),
           {PATH: swap(TAGS, "    return text", f"    try:\n        text.close()\n    except OSError:\n        {line}")})
      for line in ("pass", "pass  # closed already")),
    Case("a script's function that ends in a branch with a comment", {"a.js": SCRIPT},
         block("a.js :: long", "function long(x) {\n  try {\n    x();\n  } catch {\n    // closed already\n  }\n}", "js"),
         {"a.js": b"function long(x) {\n  try {\n    x();\n  } catch {\n    // closed already\n  }\n}\n"}),
    Case("a script's function that ends in a comment", {"a.js": SCRIPT},
         block("a.js :: long", "function long(x) {\n  const a = x + 1;\n  // and so on\n}", "js"), refused="ends now"),
    refused("a heading that names another class than the block", block(f"{PATH} :: Cart.total", "class Order:\n    def total(self):\n        return 0"), "heading names Cart.total"),
    Case("a heading that names another receiver than the block", {"a.go": GO},
         block("a.go :: A.Run", "func (b B) Run() int {\n\treturn 3\n}", "go"), refused="heading names A.Run"),
    lands("a property's two functions under one heading", block(
        f"{PATH} :: Order.size", "@property\ndef size(self):\n    return self.rate\n\n@size.setter\ndef size(self, size):\n    self.rate = size + 1"),
        swap(swap(CART, "return 1\n", "return self.rate\n"), "self.rate = size\n", "self.rate = size + 1\n")),
    refused("a method whose new lines stand at the margin", edit(PATH, "    def total(self):\n        return sum(self.items)", "def total(self):\n    return 0"), "outside of its class|does not parse"),
    Case("a whole file without its build constraint", {"a.go": GO},
         block("a.go", GO.decode().partition("\n\n")[2].replace("n = 1", "n = 2"), "go"), refused="lacks its line"),
    Case("a new string that stands left of the code, in a file with tabs", {PATH: TABS},
         block(f"{PATH} :: A.f", 'def f(self):\n    return """\n    four\n"""'),
         {PATH: swap(TABS, "return 1", 'return """\n    four\n"""')}),
    Case("the same by an edit in blanks", {PATH: TABS}, edit(PATH, "        return 1", '        return """\n    four\n"""'),
         {PATH: swap(TABS, "return 1", 'return """\n    four\n"""')}),
    *(lands(f"a heading {form}", MEAN.replace(f"{PATH} :: mean", form)) for form in (
        f"[{PATH}]({PATH}) :: mean", f"{PATH}:31 :: mean", f"// {PATH} :: mean", f"=== {PATH} ===")),
    Case("a path with Markdown's escapes", {"a/__init__.py": b"A = 1\n"}, edit("a/\\_\\_init\\_\\_.py", "A = 1", "A = 2"), {"a/__init__.py": b"A = 2\n"}),
)  # fmt: skip
