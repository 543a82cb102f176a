"""Replies as models really write them: headings, fences, thoughts, leftovers, numbers, entities."""

from corpus.edits.case import Case, block, edit, swap
from corpus.edits.encodings import EDIT, FUNCTION, NEW, OLD, PATH, TEXT, plain

BASE = plain()
OTHER = "shop/labels.py"
FILES = {PATH: BASE, OTHER: b'SIGN = "$"\n\n\ndef sign(x):\n    return SIGN + x\n'}
FIXED = swap(BASE, OLD, NEW)
BODY = EDIT.partition("\n")[2]
SCREEN = FUNCTION.replace("CAUSE: it is wrong.\nPREDICTION: it will be right.\n\n", "")
CODE = SCREEN.partition("\n")[2].removeprefix("```python\n").removesuffix("```\n")
DECOY = EDIT.replace(NEW, "0")
ESCAPED = b'import html\n\n\ndef cell(x):\n    if x < 1:\n        return "&lt;none&gt;"\n    return f"<td>{x}</td>"\n'
FENCED = 'def usage():\n    """Say how.\n\n    ```python\n    usage()\n    ```\n    """\n    return 1\n\n\ndef other():\n    return 1\n'
QUOTES = plain(TEXT.replace("Prices of the shop.", "It\u2019s the shop\u2019s prices."))


def lands(name: str, reply: str, default_path: str = "") -> Case:
    return Case(name, FILES, reply, {PATH: FIXED}, default_path=default_path)


def refused(name: str, reply: str, reason: str, finish_reason: str = "stop") -> Case:
    return Case(name, FILES, reply, refused=reason, finish_reason=finish_reason)


def numbered(text: str, first: int, form: str) -> str:
    return "\n".join(form.format(at, line) for at, line in enumerate(text.split("\n"), first))


def entities(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


HEADINGS = (
    f"**File: `{PATH}`**", f"### `{PATH}`", f"1. {PATH}:", f"In `{PATH}`:", f"{PATH} (lines 5-8)", f"a/{PATH}",
    f"/repo/{PATH}", PATH.replace("/", "\\"), f"- **{PATH}**", f"Update `{PATH}` as follows:", f"[{PATH}]({PATH})",
    f"FIX: {PATH}", f"`{PATH}` :: `gross`", f"# {PATH}",
)  # fmt: skip
FUNCTION_LINES = f'def gross(net, rate=RATE):\n    if rate < 0:\n        raise ValueError("rate")\n    return {NEW}'
TABLE = b'TABLE = """\n1 | a\n2 | b\n"""\n'
CASES = (
    lands("an answer that is quoted as a whole", "\n".join(f"> {line}" for line in EDIT.split("\n"))),
    *(lands(f"line numbers as in {form!r}", edit(PATH, numbered(f"    return {OLD}", 9, form), numbered(f"    return {NEW}", 9, form)))
      for form in ("{}: {}", "{}\t{}", "L{}: {}")),
    lands("blanks of a page in both parts", edit(PATH, f"    return {OLD}".replace("return ", "return\u00a0"), f"    return {NEW}".replace("return ", "return\u00a0"))),
    Case("lines that begin with numbers themselves", {PATH: TABLE}, edit(PATH, "2 | b", "2 | b\n3 | c"), {PATH: swap(TABLE, "2 | b", "2 | b\n3 | c")}),
    refused("an edit, and a diff of another file", f"{EDIT}\n```diff\n--- a/{OTHER}\n+++ b/{OTHER}\n@@ -1 +1 @@\n-SIGN = 1\n+SIGN = 2\n```\n", "unified diff"),
    lands("an edit, and a diff that shows the same", f"{EDIT}\n```diff\n--- a/{PATH}\n+++ b/{PATH}\n@@ -9 +9 @@\n-    return {OLD}\n+    return {NEW}\n```\n"),
    *(lands(f"an edit under {heading!r}", f"{heading}\n{BODY}") for heading in HEADINGS),
    lands("a function under a heading of the list", f"1. **{PATH}**:\n\n   ```python\n"
          + "\n".join(f"   {line}" for line in FUNCTION_LINES.split("\n")) + "\n   ```\n"),
    lands("the path on the fence", f"```python {PATH}\n{BODY}```\n"),
    lands("the path on the fence, by a key", f'```python title="{PATH}"\n{CODE}```\n'),
    lands("the path on the fence, after a colon", f"```python:{PATH}\n{CODE}```\n"),
    lands("the path in a comment on the first line", f"```python\n# {PATH}\n{CODE}```\n"),
    lands("the path and a label in a comment on the first line", f"```python\n# File: {PATH}\n\n{CODE}```\n"),
    lands("no path, and one file that defines the function", f"The fix:\n\n```python\n{CODE}```\n"),
    lands("no fence and no path", CODE),
    lands("several edits inside of one fence", f"{PATH}\n```python\n{BODY}\n" + edit("", "RATE = 3", "RATE = 3  # percent")
          .lstrip("\n").replace("RATE = 3  # percent", "RATE = 3") + "```\n"),
    Case("two files in one reply, as edits", FILES, f"{EDIT}\nAnd then:\n\n{edit(OTHER, '    return SIGN + x', '    return x + SIGN')}",
         {PATH: FIXED, OTHER: swap(FILES[OTHER], "SIGN + x", "x + SIGN")}),
    Case("two files in one reply, as blocks", FILES, SCREEN + block(OTHER, "def sign(x):\n    return x + SIGN"),
         {PATH: FIXED, OTHER: swap(FILES[OTHER], "SIGN + x", "x + SIGN")}),
    Case("two files in one reply, one edit and one block", FILES, EDIT + block(OTHER, "def sign(x):\n    return x + SIGN"),
         {PATH: FIXED, OTHER: swap(FILES[OTHER], "SIGN + x", "x + SIGN")}),
    refused("two files in one reply, of which one does not apply", f"{EDIT}\n{edit(OTHER, 'nothing', 'x')}", "do not occur in shop/labels.py"),
    lands("CRLF in the reply, an edit", EDIT.replace("\n", "\r\n")),
    lands("CRLF in the reply, a function", FUNCTION.replace("\n", "\r\n")),
    lands("CR alone in the reply, a function", FUNCTION.replace("\n", "\r")),
    Case("a stray CR in the middle of the reply", FILES, FUNCTION.replace("PREDICTION", "\rPREDICTION").replace("        raise", "\r        raise"), {PATH: swap(FIXED, "rate < 0:\n", "rate < 0:\n\n")}),
    refused("half a character in the new lines", edit(PATH, f"    return {OLD}", f'    return "\ud800" + {NEW}'), "does not exist in utf-8"),
    refused("half a character in a function", block(f"{PATH} :: gross", f'def gross(net, rate=RATE):\n    return "\ud800", {NEW}'), "does not exist in utf-8|does not parse"),
    refused("half a character in a new file", block("NEW FILE: shop/x.js", 'const a = "\ud800";', "js"), "does not exist in utf-8"),
    lands("thoughts before the answer", f"<think>\nPerhaps:\n{DECOY}\nNo.\n</think>\n\n{EDIT}"),
    lands("thoughts whose opening the server has eaten", f"Perhaps:\n{DECOY}\nNo.\n</think>\n\n{EDIT}"),
    lands("thoughts under another name", f"<thinking>\nPerhaps:\n{DECOY}\n</thinking>\n{EDIT}"),
    refused("thoughts that never end", f"<think>\nPerhaps:\n{DECOY}", "only words|thought"),
    lands("a chat template's leftovers after an edit", f"{EDIT}<|im_end|>\n"),
    lands("a chat template's leftovers in a block without an end", f"{PATH}\n```python\n{CODE}<|im_end|>"),
    lands("a block without an end that is complete", f"{PATH} :: gross\n```python\n{CODE}"),
    refused("a block without an end that is not complete", f"{PATH} :: gross\n```python\n{CODE.rpartition('return')[0].rpartition('raise')[0]}", "does not parse|ends inside"),
    refused("a reply that the limit cut off, though it would apply", FUNCTION, "cut off", "length"),
    refused("an edit without an end", EDIT.partition(">>>>>>>")[0], "no closing"),
    refused("an edit without a divider", EDIT.replace("=======\n", ""), "no ======="),
    refused("an edit that ends before its new lines", EDIT.partition("=======")[0], "no closing"),
    *(lands(f"line numbers like {form.format(7, 'x')!r}, an edit", edit(
        PATH, numbered(f'        raise ValueError("rate")\n    return {OLD}', 7, form),
        numbered(f'        raise ValueError("rate")\n    return {NEW}', 7, form))) for form in ("{:>4}| {}", "{}|{}", "{:>4} | {}")),
    lands("line numbers in the old lines only", edit(PATH, numbered(f"    return {OLD}", 8, "{:>4}| {}"), f"    return {NEW}")),
    lands("line numbers in a function", block(f"{PATH} :: gross", numbered(CODE.strip("\n"), 5, "{:>4}| {}"))),
    lands("entities, the whole reply", entities(EDIT)),
    lands("entities, a function", f"{PATH}\n```python\n{entities(CODE)}```\n"),
    Case("entities in one line of an edit", FILES, edit(PATH, "    if rate &lt; 0:", "    if rate &lt;= 0:"),
         {PATH: swap(BASE, "rate < 0", "rate <= 0")}),
    Case("entities that the file really holds", {PATH: ESCAPED}, edit(PATH, '        return "&lt;none&gt;"', '        return "&lt;null&gt;"'),
         {PATH: swap(ESCAPED, "none", "null")}),
    Case("entities that only the new lines hold", {PATH: ESCAPED}, edit(PATH, '    return f"<td>{x}</td>"', '    return f"&lt;td&gt;{x}"'),
         {PATH: swap(ESCAPED, 'f"<td>{x}</td>"', 'f"&lt;td&gt;{x}"')}),
    Case("a fence inside of a docstring, an edit", {PATH: plain(FENCED)}, edit(PATH, "    ```python\n    usage()\n    ```", "    ```python\n    usage(1)\n    ```"),
         {PATH: swap(plain(FENCED), "    usage()\n", "    usage(1)\n")}),
    Case("a fence inside of a docstring, a function between four backticks", {PATH: plain(FENCED)},
         f"{PATH} :: usage\n````python\n{FENCED.partition(chr(10) * 3)[0].replace('return 1', 'return 2')}\n````\n",
         {PATH: plain(FENCED.replace("return 1", "return 2", 1))}),
    Case("a fence inside of a docstring, a function between three", {PATH: plain(FENCED)},
         f"{PATH} :: usage\n```python\n{FENCED.partition(chr(10) * 3)[0].replace('return 1', 'return 2')}\n```\n",
         {PATH: plain(FENCED.replace("return 1", "return 2", 1))}),
    lands("fences of tildes", f"{PATH} :: gross\n~~~python\n{CODE}~~~\n"),
    lands("everything inside of a fence of markdown", f"```markdown\n{FUNCTION}```\n"),
    lands("a quotation of the present code, then the fix", block(PATH, CODE.replace(NEW, OLD)) + SCREEN),
    lands("a draft, then a better one", f"{block(PATH, CODE.replace(NEW, '0'))}\nWait, that is wrong. Better:\n\n{SCREEN}"),
    lands("a test and a command after the fix", f"{SCREEN}\nThen run it:\n\n```python\nprint(gross(100, 19))\n```\n\n```bash\npytest\n```\n"),
    lands("words after the edit", f"{EDIT}\nThis divides by 100, so that `rate` is in percent.\n"),
    lands("markers of five", EDIT.replace("<<<<<<<", "<<<<<").replace(">>>>>>>", ">>>>>").replace("=======", "=====")),
    lands("markers in small letters", EDIT.replace("SEARCH", "search").replace("REPLACE", "replace")),
    lands("markers ORIGINAL and UPDATED", EDIT.replace("SEARCH", "ORIGINAL").replace("REPLACE", "UPDATED")),
    lands("blanks behind the markers", EDIT.replace("SEARCH", "SEARCH  ").replace("=======", "======= ")),
    lands("the first lines have lost their indentation", edit(
        PATH, f'if rate < 0:\n        raise ValueError("rate")\n    return {OLD}', f'if rate < 0:\n        raise ValueError("rate")\n    return {NEW}')),
    lands("one line without its indentation", edit(PATH, f"return {OLD}", f"return {NEW}")),
    lands("blank lines around the lines", edit(PATH, f"\n    return {OLD}\n", f"\n    return {NEW}\n")),
    lands("a path that is made up, and one file that was shown", f"path/of/the/file.py\n{BODY}", PATH),
    refused("a path that is made up, and several files", f"path/of/the/file.py\n{BODY}", "no regular file.*Edit one of"),
    lands("a heading, words, then the block", f"{PATH}\n\nHere is the function:\n\n```python\n{CODE}```\n"),
    lands("the whole file under the heading of its function", block(f"{PATH} :: gross", TEXT.replace(OLD, NEW))),
    lands("the same edit twice", EDIT + EDIT),
    lands("an edit that changes nothing before one that does", edit(PATH, "RATE = 3", "RATE = 3") + EDIT),
    lands("the format's own example, then the function (a reply of Qwen2.5-Coder 1.5B)", f"CAUSE: percent.\n\nFix:\n```\n{PATH}\n<<<<<<< SEARCH\n"
          "the present lines, copied exactly, enough of them to occur only once in the file\n=======\nthe new lines\n>>>>>>> REPLACE\n"
          f"{CODE}```\n"),
    lands("the path on the first line of the block", f"The fix:\n```\n{PATH}\n{CODE}```\n"),
    lands("tilde fences around an edit", f"{PATH}\n~~~\n{BODY}~~~\n"),
    lands("an edit inside of a quotation's fence with a language nobody knows", f"```search-replace\n{PATH}\n{BODY}```\n"),
    lands("the path between the fence and the marker, with a blank line", f"```python\n{PATH}\n\n{BODY}```\n"),
    lands("a fence that opens again before each part", f"{PATH}\n```python\n<<<<<<< SEARCH\n    return {OLD}\n=======\n    return {NEW}\n>>>>>>> REPLACE\n```\n```\n"),
    lands("words in bold around the parts", f"**CAUSE:** percent\n\n**PREDICTION:** 119\n\n**Fix:**\n\n{EDIT}"),
    lands("the whole class of answers twice: an edit, then the same as a function", EDIT + SCREEN),
    lands("the function as a method of no class", block(f"{PATH} :: gross", "\n".join(f"    {line}" for line in FUNCTION_LINES.split("\n")))),
    lands("the signature's name in backticks in the heading", f"`{PATH}` :: `gross()`\n```python\n{CODE}```\n"),
    lands("the function's name behind one colon", f"{PATH}:gross\n```python\n{CODE}```\n"),
    lands("the function's name behind a hash", f"{PATH}#gross\n```python\n{CODE}```\n"),
    lands("the line behind the path", f"{PATH}:5\n```python\n{CODE}```\n"),
    lands("the path with a line in an edit's heading", f"{PATH}:8\n{BODY}"),
    lands("prompts of Python around the lines", block(f"{PATH} :: gross", "\n".join(f">>> {line}" if at == 0 else f"... {line}" for at, line in enumerate(FUNCTION_LINES.split("\n"))))),
    refused("conflict markers of git as an edit", f"{PATH}\n<<<<<<< HEAD\n    return {OLD}\n=======\n    return {NEW}\n>>>>>>> fix\n", "only words|SEARCH"),
    refused("nothing but the new line", f"{PATH}\n```python\n    return {NEW}\n```\n", "does not parse|leaves out"),
    refused("an edit whose old and new lines are swapped", edit(PATH, f"    return {NEW}", f"    return {OLD}"), "do not occur"),
    refused("tool calls", '<tool_call>{"name": "edit", "arguments": {"path": "shop/prices.py", "old": "x", "new": "y"}}</tool_call>', "only words"),
    refused("a unified diff", f"```diff\n--- a/{PATH}\n+++ b/{PATH}\n@@ -8 +8 @@\n-    return {OLD}\n+    return {NEW}\n```", "unified diff"),
    refused("a unified diff without a fence", f"--- a/{PATH}\n+++ b/{PATH}\n@@ -8,1 +8,1 @@\n-    return {OLD}\n+    return {NEW}\n", "unified diff"),
    refused("code inside of JSON", f'{{"path": "{PATH}", "search": "return {OLD}", "replace": "return {NEW}"}}', "only words"),
    refused("words", "The rate is in percent, so divide it by 100 in `gross`.", "only words"),
    refused("an apology", "I'm sorry, but I can't help with that.", "only words"),
    refused("nothing", " \n", "empty"),
    refused("old lines that leave a line out", edit(PATH, f"def gross(net, rate=RATE):\n    return {OLD}", "x"), "do not occur.*nearest lines"),
    refused("old lines with an ellipsis", edit(PATH, f"def gross(net, rate=RATE):\n    ...\n    return {OLD}", f"def gross(net, rate=RATE):\n    ...\n    return {NEW}"), "do not occur|leaves code out"),
    Case("straight quotes for curly ones", {PATH: QUOTES}, edit(PATH, '"""It\'s the shop\'s prices."""', '"""Prices."""'), refused="do not occur"),
    lands("blanks of a page in the new lines", edit(PATH, f"    return {OLD}", f"\u00a0\u00a0\u00a0\u00a0return {NEW}")),
)  # fmt: skip
