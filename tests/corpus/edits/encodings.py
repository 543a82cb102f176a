"""Files whose bytes are awkward: endings, marks, encodings, blanks. What nobody edited has to come back as it was."""

import codecs

from corpus.edits.case import Case, block, edit, swap

PATH = "shop/prices.py"
TEXT = '''\
"""Prices of the shop."""

RATE = 3


def gross(net, rate=RATE):
    if rate < 0:
        raise ValueError("rate")
    return net + net * rate


def label(net):
    return f"{net} EUR"
'''
OLD, NEW = "net + net * rate", "net + net * rate / 100"
EDIT = edit(PATH, f"    return {OLD}", f"    return {NEW}")
FUNCTION = block(
    f"{PATH} :: gross",
    f'def gross(net, rate=RATE):\n    if rate < 0:\n        raise ValueError("rate")\n    return {NEW}',
)
THREE_LINES = edit(
    PATH,
    f'    if rate < 0:\n        raise ValueError("rate")\n    return {OLD}',
    f'    if rate <= 0:\n        raise ValueError("rate")\n    return {NEW}',
)


def lands(name: str, data: bytes, reply: str = EDIT, *, encoding: str = "utf-8", path: str = PATH) -> Case:
    return Case(name, {path: data}, reply, {path: swap(data, f"{OLD}", NEW, encoding)})


def plain(text: str = TEXT) -> bytes:
    return text.encode()


CRLF = plain(TEXT.replace("\n", "\r\n"))
CR = plain(TEXT.replace("\n", "\r"))
MIXED = plain(TEXT.replace("\n", "\r\n", 7))
TABS = plain(TEXT.replace("    ", "\t"))
BOM = codecs.BOM_UTF8 + plain()
OPEN_END = plain(TEXT.removesuffix("\n"))
LATIN_1 = b"# -*- coding: latin-1 -*-\n" + TEXT.replace("shop", "caf\xe9").encode("latin-1")
WINDOWS = b"# coding: cp1252\n" + TEXT.replace("EUR", "\u20ac").encode("cp1252")
SHIFT_JIS = b"# vim: set fileencoding=shift_jis :\n" + TEXT.replace("shop", "\u5e97\u306e").encode("shift_jis")
FORM_FEED = plain(
    TEXT.replace("\n\n\ndef label", "\n\x0c\n\ndef label").replace("\n\n\ndef gross", "\n\x0c\ndef gross")
)
BLANKS = plain(TEXT.replace("rate < 0:\n", "rate < 0:   \n").replace('("rate")\n', '("rate")\n    \n'))
SEPARATORS = plain(TEXT.replace("Prices", "a\u2028b\x85c\x0bd"))
LONG = plain(TEXT + "\n\n" + "\n\n".join(f"def f{at}(x):\n    return x + {at}\n" for at in range(1000)))
LONG_CRLF = LONG.replace(b"\n", b"\r\n")
WIDE = plain(TEXT + f'TABLE = "{"x" * 20_000}"\n')
SHARP = (
    "class Prices\n{\n    int Gross(int net, int rate)\n    {\n        return net + net * rate;\n    }\n}\n"
).replace("\n", "\r\n")
SHARP_EDIT = edit("Prices.cs", f"        return {OLD};", f"        return {NEW};")
SCRIPT_LATIN = b"// caf\xe9\nfunction gross(net, rate) {\n  return net + net * rate;\n}\n"
SCRIPT_EDIT = edit("prices.js", f"  return {OLD};", f"  return {NEW};")

STRING = b'class Text:\n    def text(self):\n        return """\none\n  two\n""" + "x"\n'
UNEVEN = b"def f(x):\n    g(x)  \n   \n    h(x)\n\t\n    g(x)\n    return x\n"
EIGHT = b"class A:\n    def f(self):\n\tif self.a:\n\t    return 1\n\treturn 2\n"
CASES = (
    lands("a mark that the reply quotes", codecs.BOM_UTF8 + plain(), edit(PATH, f"\ufeff    return {OLD}", f"\ufeff    return {NEW}")),
    Case("lines of a string beside one that changes, from a reply at the margin", {PATH: STRING},
         block(f"{PATH} :: Text.text", 'def text(self):\n    return """\none\n  two\n""" + "y"'), {PATH: swap(STRING, '"x"', '"y"')}),
    Case("blanks at the ends of lines, each line's own", {PATH: UNEVEN},
         edit(PATH, "    g(x)\n\n    h(x)\n\n    g(x)\n    return x", "    g(x)\n\n    h(x)\n\n    g(x)\n    return -x"), {PATH: swap(UNEVEN, "return x", "return -x")}),
    Case("tabs of eight between blanks", {PATH: EIGHT}, edit(PATH, "        if self.a:\n            return 1", "        if self.a:\n            return 3"),
         {PATH: swap(EIGHT, "return 1", "return 3")}),
    lands("CRLF, an edit", CRLF),
    lands("CRLF, a whole function", CRLF, FUNCTION),
    lands("CR alone ends lines, an edit", CR),
    lands("CR alone ends lines, a whole function", CR, FUNCTION),
    lands("mixed endings, an edit", MIXED),
    lands("mixed endings, a whole function", MIXED, FUNCTION),
    Case(
        "mixed endings, an edit over the border of two kinds",
        {PATH: MIXED},
        THREE_LINES,
        {PATH: swap(swap(MIXED, "rate < 0", "rate <= 0"), OLD, NEW)},
    ),
    lands("tabs in the file, blanks in the edit", TABS),
    lands("tabs in the file, blanks in the function", TABS, FUNCTION),
    lands("two blanks a level in the file, four in the function", plain(TEXT.replace("    ", "  ")), FUNCTION),
    lands("two blanks a level in the file, four in the edit", plain(TEXT.replace("    ", "  ")), EDIT),
    lands("a BOM, an edit", BOM),
    lands("a BOM, a whole function", BOM, FUNCTION),
    Case("a BOM, the first line is edited", {PATH: BOM}, edit(PATH, '"""Prices of the shop."""', '"""Prices."""'),
         {PATH: swap(BOM, "Prices of the shop", "Prices")}),
    lands("a BOM and CRLF, a whole function", codecs.BOM_UTF8 + CRLF, FUNCTION),
    lands("a BOM and CRLF, a whole file", codecs.BOM_UTF8 + CRLF, block(PATH, TEXT.replace(OLD, NEW))),
    lands("Latin-1 with a coding line, an edit", LATIN_1),
    lands("Latin-1 with a coding line, a whole function", LATIN_1, FUNCTION),
    Case("Latin-1, an umlaut is added in the file's own encoding", {PATH: LATIN_1},
         edit(PATH, 'raise ValueError("rate")', 'raise ValueError("Größe")'),
         {PATH: swap(LATIN_1, b'Error("rate")', 'Error("Größe")'.encode("latin-1"))}),
    Case("Latin-1, a character that it lacks", {PATH: LATIN_1},
         edit(PATH, 'raise ValueError("rate")', 'raise ValueError("\u20ac")'), refused="does not exist in iso-8859-1"),
    Case("Latin-1, the whole file without its coding line", {PATH: LATIN_1},
         block(PATH, TEXT.replace("shop", "caf\xe9").replace(OLD, NEW)), refused="encoding"),
    Case("Latin-1, an edit that takes its coding line away", {PATH: LATIN_1},
         edit(PATH, LATIN_1.decode("latin-1").split("\n")[0], ""), refused="encoding"),
    lands("cp1252 with a coding line", WINDOWS, FUNCTION),
    lands("Shift JIS with a coding line", SHIFT_JIS),
    Case("UTF-16 with a BOM, no Python", {"Prices.cs": SHARP.encode("utf-16")}, SHARP_EDIT,
         {"Prices.cs": SHARP.replace(OLD, NEW).encode("utf-16")}),
    Case("UTF-16 big endian with a BOM, no Python",
         {"Prices.cs": codecs.BOM_UTF16_BE + SHARP.encode("utf-16-be")}, SHARP_EDIT,
         {"Prices.cs": codecs.BOM_UTF16_BE + SHARP.replace(OLD, NEW).encode("utf-16-be")}),
    Case("UTF-16 that calls itself Python", {PATH: TEXT.encode("utf-16")}, EDIT, refused="UTF-16|binary|decode"),
    Case("Python in Latin-1 that does not say so", {PATH: LATIN_1.partition(b"\n")[2]}, EDIT, refused="decoded"),
    Case("Python in an encoding that nobody knows", {PATH: b"# coding: klingon\n" + plain()}, EDIT, refused="decoded"),
    lands("a script in Latin-1, which no coding line can tell", SCRIPT_LATIN, SCRIPT_EDIT, path="prices.js"),
    lands("no final newline, an edit above", OPEN_END),
    Case("no final newline, the last line is edited", {PATH: OPEN_END},
         edit(PATH, '    return f"{net} EUR"', '    return f"{net:.2f} EUR"'), {PATH: swap(OPEN_END, "{net}", "{net:.2f}")}),
    Case("no final newline, the last function is given whole", {PATH: OPEN_END},
         block(PATH, 'def label(net):\n    return f"{net:.2f} EUR"\n'), {PATH: swap(OPEN_END, "{net}", "{net:.2f}")}),
    lands("no final newline, the whole file is given", OPEN_END, block(PATH, TEXT.replace(OLD, NEW))),
    lands("form feeds between functions, an edit", FORM_FEED),
    lands("form feeds between functions, a whole function", FORM_FEED, FUNCTION),
    lands("blanks at ends of lines that the edit does not quote", BLANKS),
    Case("blanks at ends of lines that the edit quotes without them", {PATH: BLANKS}, edit(
        PATH, f'    if rate < 0:\n        raise ValueError("rate")\n\n    return {OLD}',
        f'    if rate < 0:\n        raise ValueError("rate")\n\n    return {NEW}'), {PATH: swap(BLANKS, OLD, NEW)}),
    lands("other line separators inside of a string", SEPARATORS),
    lands("5,000 lines, an edit", LONG + b"\n" * 2000),
    lands("4,000 lines with CRLF, a whole function", LONG_CRLF, FUNCTION),
    Case("4,000 lines, the 778th of 1,000 functions", {PATH: LONG}, block(f"{PATH} :: f777", "def f777(x):\n    return x"),
         {PATH: swap(LONG, "return x + 777\n", "return x\n")}),
    lands("a line of 20,000 characters beside the edit", WIDE),
    Case("an empty file", {PATH: b"", "a.py": b"X = 1\n"}, edit(PATH, "", "RATE = 3"), {PATH: b"RATE = 3\n"}),
    Case("a file of blank lines", {PATH: b"\n\n"}, block(PATH, "RATE = 3"), {PATH: b"RATE = 3\n"}),
    lands("blank lines at the end of the file stay", plain(TEXT + "\n\n"), FUNCTION),
)  # fmt: skip
