"""Where people's words are made, no sentence stands but in the catalogues: it would be in one language only."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PIPELINE = Path(__file__).parents[2] / "bot" / "pipeline"
SAYING = sorted(
    path
    for place in ("reports", "red", "followups", "admission", "conclude.py")
    for path in ([PIPELINE / place] if place.endswith(".py") else (PIPELINE / place).glob("*.py"))
)
PROSE = re.compile(r"[A-Za-z][a-z]+,? [a-z]{2,}")
UNSAID = {"msg", "_NAMED", "_BASE", "_APART"}
"""Names of messages for who writes the code, and of parts of patterns."""
OTHERS = {
    # what a check's log and a label say is one repository's, whatever the language
    "reports/labels.py": {"Regreen is working on this", "Regreen made something", "Regreen came to no fix"},
    # what a model is told
    "followups/threads.py": {"What ", " asks for of pull request #", "line ", " (who may not write here)"},
    # evidence, and causes of errors, which are English wherever they come from
    "red/choice.py": {"passed in ", " runs of the suite", "; repeated alone, failed in "},
    "red/elsewhere.py": {"no run of the tests on ", " can be believed"},
    # a commit's message, as git itself would write it
    "red/outlets.py": {"Merge "},
    # a command
    "reports/review.py": {"\n\n```\n/regreen approve "},
    # a permission as GitHub names it
    "admission/repository.py": {"contents: write"},
}


def sentences(path: Path) -> Iterator[str]:
    """Texts of at least two words that are no docstring, no pattern and no message for who writes the code."""
    tree = ast.parse(path.read_text())
    skipped: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for one in body if isinstance(body, list) else []:
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
                skipped.add(id(one.value))
        is_pattern = isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.")
        if is_pattern or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in UNSAID):
            skipped |= {id(one) for one in ast.walk(node)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in skipped)
    yield from (node.value for node in texts if isinstance(node.value, str) and PROSE.search(node.value))


@pytest.mark.parametrize("path", SAYING, ids=lambda path: path.relative_to(PIPELINE).as_posix())
def test_no_sentence_stands_outside_of_the_catalogues(path: Path) -> None:
    known = tuple(OTHERS.get(path.relative_to(PIPELINE).as_posix(), ()))
    assert [said for said in sentences(path) if not said.startswith(known)] == []


def test_a_sentence_would_be_found(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        '''"""Of two words."""\nimport re\nA = re.compile("of words")\n'''
        """def f(n):\n    "Does nothing else."\n    return f"No fix: {n} were tried", "event_name"\n"""
    )
    assert list(sentences(path)) == ["No fix: ", " were tried"]
