"""Comments and dots that stand for code which a model left out: nothing is ever filled in for them."""

import re
from collections.abc import Iterable, Sequence

from bot.errors import EditError
from bot.repair.editing.indentation import indent_of

_STUB = r"(?:pass|\.\.\.|return(?: \.\.\.| None)?;?|raise NotImplementedError(?:\(\))?)"
COMMENT = re.compile(rf"^\s*(?:{_STUB}\s+)?(?:#|//|--|/\*|<!--|\{{/\*)\s*(?P<text>.*)$")
_CODE_WORD = r"(?:code|functions?|methods?|class(?:es)?|files?|module|body|implementation|logic|lines|imports|tests)"
_ELISION = re.compile(
    r"^\W*(?:\.\.\.|…)"
    rf"|\b(?:rest|remainder) of (?:the |this |your )?(?:\w+ )?{_CODE_WORD}\b"
    r"|^\W*(?:\w+ ){0,4}(?:unchanged|omitted|as before)(?: for brevity)?\W*$"
    rf"|\b(?:{_CODE_WORD[3:-1]}|loop|block|part) (?:stays?|remains?|is|are) (?:the )?(?:same|unchanged)\b"
    r"|其余|其他代码|省略|保持不变|変更なし|без изменений|остальной код|unverändert|inchangée?s?\b|reste du code"
    r"|sin cambios|resto del código|sem alterações|resto do código|senza modifiche",
    re.IGNORECASE,
)
_KEPT = re.compile(r"\b(?:rest|existing|remaining|unchanged|same)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_CODE = {"code", "function", "functions", "method", "methods", "implementation", "logic", "body", "imports"}
_LEFT_OUT = {"unchanged", "omitted", "snip", "snipped", "etc", "brevity"}
_WHOLE = {"rest", "remainder", "remaining", "everything", "other"}
_OTHERS = {"existing", "previous", "original", "same", "more", "your"}
_STAYS = {"same", "stay", "stays", "remain", "remains", "as", "before", "here", "of", "it", "fill", "goes", "continues"}
_KEEPS = {"keep", "kept", "leave", "left", "lines"}
_CHANGES = {"change", "changes", "changed", "modifications"}
_WHERE = {"above", "after", "below", "before", "here"}
_AROUND = {
    "a", "above", "after", "all", "and", "any", "are", "be", "below", "class", "classes", "copy", "else", "exactly",
    "file", "files", "for", "from", "go", "in", "insert", "is", "keep", "kept", "leave", "left", "lines", "module",
    "my", "needed", "no", "paste", "some", "tests", "the", "they", "this", "to", "todo", "truncated", "was", "were",
    "with", "without",
}  # fmt: skip
_PLACEHOLDER = _CODE | _LEFT_OUT | _WHOLE | _OTHERS | _STAYS | _CHANGES | _AROUND
_IDLE = re.compile(r"""^\s*(?:pass|(\"{3}|'{3}|["']).*\1)\s*$""")
_MOST_OF_A_STUB = 2
_BRACES = frozenset({"}", "};", "});", "},"})


def check_elision(path: str, old: Iterable[str], new: Iterable[str]) -> None:
    """Raise `EditError` when new lines stand for code that was left out, and the old ones do not hold them."""
    present = {line.strip() for line in old}
    for line in new:
        comment = COMMENT.match(line)
        elided = line.strip() in {"...", "…"} or (comment is not None and _is_elision(comment["text"]))
        if elided and line.strip() not in present:
            raise EditError(
                f"The new text of {path} leaves code out: {line.strip()[:80]!r}",
                "Write every line that is to stay; nothing is filled in.",
            )


def check_last(path: str, old: Sequence[str], new: Sequence[str]) -> None:
    """Raise `EditError` when a function's last line is gone, and what ends it now does nothing: a comment, a string.

    Whatever its words are, it stands for the lines behind it.
    """
    last, ending = (next((line for line in reversed(text) if _is_content(line)), "") for text in (old, new))
    texts = {line.strip() for line in new}
    depths = {len(indent_of(line)) for line in new if line.strip()}
    # What a branch ends in may well do nothing, as in `except OSError: pass`.
    inside = len(indent_of(ending)) == min(depths - {len(indent_of(new[0]))}, default=0)
    idle = COMMENT.match(ending) or (_IDLE.match(ending) and sum(map(_is_content, new)) > _MOST_OF_A_STUB)
    if idle and inside and last.strip() not in texts and not COMMENT.match(last):
        raise EditError(
            f"A function of {path} ends now in what does nothing: {ending.strip()[:80]!r}",
            "Write every line that is to stay; nothing is filled in.",
        )


def _is_content(line: str) -> bool:
    return bool(line.strip()) and line.strip() not in _BRACES


def _is_elision(comment: str) -> bool:
    """Whether a comment stands for code; the dots after a word such as `rest` may only be at the very end."""
    words = list(_WORD.finditer(comment))
    tail = comment[max((word.end() for word in words), default=0) :]
    dotted = ("..." in tail or "…" in tail) and _KEPT.search(comment)
    return bool(_ELISION.search(comment) or dotted or _is_placeholder({word[0].lower() for word in words}))


def _is_placeholder(words: set[str]) -> bool:
    """Whether a comment is made of the words of placeholders alone, as in `your existing code goes here`."""
    return words <= _PLACEHOLDER and bool(
        words & _LEFT_OUT
        or (words & _CODE and words & (_WHOLE | _OTHERS | _STAYS))
        or (words & _WHOLE and words & (_STAYS | _KEEPS))
        or ("no" in words and words & _CHANGES and words & _WHERE)
        or {"as", "is"} <= words
        or ({"same", "as"} <= words and words & {"before", "original"})
    )
