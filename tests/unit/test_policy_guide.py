"""The policy guide's examples are policy files, and the reference has every key."""

import re
from pathlib import Path

from bot import policy
from sandbox.detect import candidates
from sandbox.spec import File

DOCS = Path(__file__).parents[2] / "docs"
GUIDE, REFERENCE = DOCS / "guides" / "policy.md", DOCS / "reference" / "policy.md"
EXAMPLES = re.findall(r"^```yaml policy\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_every_example_is_understood() -> None:
    assert len(EXAMPLES) == 2
    for example in EXAMPLES:
        policy.parse(example.encode())


def test_the_example_of_another_runner_is_set_up_as_it_says() -> None:
    tree = {"requirements.txt": File(b"nose2\n"), "test_a.py": File(b"import unittest\n")}
    (recipe,) = candidates(tree, policy.parse(EXAMPLES[1].encode()).given)
    assert (recipe.ecosystem, recipe.junit) == ("junit", "nose2-junit.xml")
    assert recipe.install[0] == ("python3", "-m", "venv", "/env")
    assert "nose2" in recipe.test_command


def test_every_key_has_a_line() -> None:
    named = {key.partition(".")[0] for key in re.findall(r"^\| `([a-z_.]+)` \|", REFERENCE.read_text(), re.MULTILINE)}
    assert named == set(policy.RepoPolicy.model_fields)
