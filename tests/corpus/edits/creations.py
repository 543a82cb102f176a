"""New files, where the reply asks for one in so many words and the place is allowed; and places that never are."""

from corpus.edits.case import Case, block, edit, swap

FILES = {"shop/prices.py": b"def gross(net):\n    return net\n", "shop/cart.py": b"RATE = 1\n"}
CODE = '"""Rates."""\n\nRATE = 19\n'
NEW = CODE.encode()
MAKE = edit("shop/rates.py", "", CODE.rstrip("\n"))
USE = edit(
    "shop/prices.py",
    "def gross(net):\n    return net",
    "from shop.rates import RATE\n\n\ndef gross(net):\n    return net + RATE",
)
USED = swap(
    FILES["shop/prices.py"],
    "def gross(net):\n    return net",
    "from shop.rates import RATE\n\n\ndef gross(net):\n    return net + RATE",
)


def lands(name: str, reply: str, **_: object) -> Case:
    return Case(name, FILES, reply, {"shop/rates.py": NEW})


def refused(name: str, path: str, reason: str, **kept: tuple[str, ...]) -> Case:
    return Case(name, FILES, edit(path, "", CODE), refused=reason, **kept)


CASES = (
    lands("a new file, by an edit of nothing", MAKE),
    lands("a new file, by its heading", block("NEW FILE: shop/rates.py", CODE)),
    lands("a new file, by words after its path", block("shop/rates.py (new file)", CODE)),
    lands("a new file, by its heading in bold", block("**New file: `shop/rates.py`**", CODE)),
    Case("a new file and the edit that needs it", FILES, MAKE + USE, {"shop/rates.py": NEW, "shop/prices.py": USED}),
    Case("a new file in a new directory of the package", FILES, block("NEW FILE: shop/tax/rates.py", CODE), {"shop/tax/rates.py": NEW}),
    Case("a new script", {"src/a.ts": b"export const a = 1;\n"}, block("NEW FILE: src/b.ts", "export const b = 2;", "ts"), {"src/b.ts": b"export const b = 2;\n"}),
    Case("a block under a path that is nowhere", FILES, block("shop/rates.py", CODE), refused="no regular file.*NEW FILE"),
    refused("a new file in a directory that is nowhere", "path/of/the/file.py", "directory"),
    refused("a new test", "tests/test_rates.py", "may not be created"),
    refused("a new conftest.py", "conftest.py", "may not be created"),
    refused("a new workflow", ".github/workflows/ci.yml", "may not be created"),
    refused("a new file that is no source", "shop/rates.txt", "may not be created"),
    refused("a new file that differs from one in case only", "shop/Prices.py", "nothing but the writing"),
    refused("a new file outside of the tree", "../rates.py", "outside the tree"),
    refused("a new file at an absolute path", "/etc/rates.py", "outside the tree|directory"),
    refused("a new file below a file", "shop/prices.py/rates.py", "below|is a file"),
    refused("a new file in the place of a directory", "shop", "no regular file|may not be created|names no file"),
    refused("a new file in the place of a symlink", "shop/link.py", "may not be created", links=("shop/link.py",)),
    refused("a new file among generated ones", "shop/build/rates.py", "generated"),
    refused("a new file in the place of one that was not read", "shop/hidden.py", "not readable", unread=("shop/hidden.py",)),
    Case("a new file in the place of one that is there", FILES, block("NEW FILE: shop/prices.py", CODE), refused="is there already|leaves out"),
    Case("a new file in the place of one that is there, by an edit of nothing", FILES, edit("shop/prices.py", "", CODE), refused="SEARCH part"),
    Case("a new file that is no Python", FILES, block("NEW FILE: shop/rates.py", "RATE = (\n"), refused="does not parse"),
    Case("a new file with names that are nowhere", FILES, block("NEW FILE: shop/rates.py", "RATE = Decimal(19)\n"), refused="Decimal"),
    Case("a new file that leaves code out", FILES, block("NEW FILE: shop/rates.py", "RATE = 1\n# ... existing code ...\n"), refused="leaves code out"),
    Case("a file that is renamed", FILES, block("shop/prices.py -> shop/price.py", FILES["shop/prices.py"].decode()), refused="renam|moved"),
    Case("a file that is renamed, in words", FILES, block("Rename shop/prices.py to shop/price.py", FILES["shop/prices.py"].decode()), refused="renam|moved|as it is"),
    Case("a file that is deleted", FILES, "Delete the file:\n\n```bash\nrm shop/cart.py\n```\n", refused="only words"),
)  # fmt: skip
