"""The deployment guide's blocks can be pasted in the page's order, and its settings are in the file it has you copy."""

import re
import shlex

import pytest
from documents import ROOT, blocks, pages

from bot.settings import Settings

GUIDE = "docs/guides/deployment.md"
COMMANDS = [
    command for block in blocks() if block.page == GUIDE and block.language == "sh" for command in block.commands
]
EXAMPLE = (ROOT / "deploy" / "env.example").read_text(encoding="utf-8")
BROUGHT = {"app.pem", "deploy/.env"}
"""What a reader has from elsewhere, as the page says, and what a block writes."""
NEEDED = re.compile(r"\b(?:[Ww]ants?|[Nn]eeds?|[Mm]ust|[Ss]ets?)\b[^.|]*?`(REGREEN_[A-Z_]*[A-Z])")
OPERATING = ("deployment", "observability", "pages", "run-it", "security", "troubleshooting")


def first(pattern: str) -> int:
    """Where a command is for the first time."""
    return next(number for number, command in enumerate(COMMANDS) if re.search(pattern, command))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"groupadd .* regreen$", r"useradd .* regreen$"),
        (r"useradd .* regreen$", r"-o regreen|-u regreen|enable-linger"),
        (r"install -d .* /etc/regreen$", r"/etc/regreen/|enable --now|docker-compose"),
        (r"groupadd .* regreen-engine$", r"enable --now regreen-engine"),
        (r"useradd .* regreen-boxes$", r"enable --now regreen-engine"),
        (r"user@\.service\.d", r"enable-linger"),
        (r"enable --now regreen-engine", r"docker save"),
        (r"install .*regreen-engine\.service", r"enable --now regreen-engine"),
        (r"pip.* -r requirements-build\.lock", r"pip.* wheel .*--no-build-isolation"),
        (r"install .*regreen-worker-(rootless|engine)\.conf", r"enable --now .*regreen-worker"),
    ],
)
def test_what_a_block_takes_an_earlier_one_has_made(before: str, after: str) -> None:
    assert first(before) < first(after)


@pytest.mark.parametrize("maker", ["useradd", "groupadd"])
def test_no_user_or_group_is_made_twice(maker: str) -> None:
    made = [command.split()[-1] for command in COMMANDS if f"sudo {maker} " in command]
    assert sorted(made) == sorted(set(made))


def test_a_command_that_asks_an_engine_or_reads_a_secret_does_it_as_root() -> None:
    calls = [command for command in COMMANDS if re.search(r"\bdocker(-compose)? ", command)]
    assert calls
    assert [call for call in calls if re.search(r"(?<!sudo )\bdocker(-compose)? ", call)] == []


def test_every_file_that_is_named_without_its_place_is_in_the_checkout() -> None:
    others = ("sudo apt-get ", "sudo systemctl ")
    given = [word for command in COMMANDS if not command.startswith(others) for word in shlex.split(command)]
    own = {word for word in given if re.fullmatch(r"\w[\w./-]*\.[a-z]{2,}", word)} - BROUGHT
    assert own
    assert {word for word in own if not (ROOT / word).exists()} == set()


def test_nothing_is_installed_that_no_lock_names() -> None:
    installs = [command for command in COMMANDS if re.search(r"\bpip\"? install\b", command)]
    assert len(installs) == 3
    assert all("--require-hashes" in one or "--no-index" in one for one in installs)


def needed() -> set[str]:
    """Settings that a guide for who runs Regreen says to set."""
    texts = [(ROOT / "docs" / "guides" / f"{name}.md").read_text(encoding="utf-8") for name in OPERATING]
    said = {name for text in texts for name in NEEDED.findall(" ".join(text.split()))}
    return said & {f"REGREEN_{name.upper()}" for name in Settings.model_fields}


def test_every_setting_that_a_guide_calls_needed_is_in_the_example() -> None:
    named = set(re.findall(r"^#?(REGREEN_[A-Z_]+)=", EXAMPLE, re.MULTILINE))
    assert {"REGREEN_OPERATOR_TOKEN", "REGREEN_PUBLIC_URL"} <= needed()
    assert needed() - named == set()


def test_prometheus_is_set_up_in_one_place() -> None:
    names = [re.findall(r"job_name: (\S+)", block.text) for page in pages() for block in page.blocks]
    jobs = [name for found in names for name in found]
    assert sorted(jobs) == ["regreen-server", "regreen-worker"]
