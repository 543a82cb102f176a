"""What the documentation names is there: pages, headings, settings, targets of make, commands and their options."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main
from documents import ROOT, SHELL, Block, Page, blocks, pages

from bot import policy
from bot.cli import app
from bot.settings import Settings

PLACES = ("Makefile", ".ci", "deploy", "bot", "tests")
"""Where a variable that is no setting may be read."""
ELSEWHERE = frozenset({"http", "https", "mailto"})
SHORTENED = re.compile(r"[…]|\.\.\.")
FILES = re.compile(r"`((?:bot|sandbox|tests|deploy|docs)/[\w.*/{},-]+?)/?`")
MODULES = re.compile(r"`((?:bot|sandbox)(?:\.\w+)+)`")
MADE = frozenset({"deploy/.env", "sandbox.md"})
"""What an operator makes, and a page that is named like a module."""
PAGES = [pytest.param(page, id=page.name) for page in pages()]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_pages_and_headings_that_are_there(page: Page) -> None:
    named = {other.name: other for other in pages()}
    lost = []
    for link in page.links:
        if link.partition(":")[0] in ELSEWHERE:
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / page.name).parent / path if path else ROOT / page.name
        inside = target.resolve().is_relative_to(ROOT) and target.exists()
        other = named.get(str(target.resolve().relative_to(ROOT))) if inside else None
        if not inside or (anchor and (other is None or anchor not in other.anchors)):
            lost.append(link)
    assert not lost


@pytest.mark.parametrize("page", PAGES)
def test_variables_are_settings_or_read_by_the_tools(page: Page) -> None:
    text = (ROOT / page.name).read_text(encoding="utf-8")
    named = set(re.findall(r"\bREGREEN_[A-Z0-9_]*[A-Z0-9]\b", text))
    settings = {f"REGREEN_{name.upper()}" for name in Settings.model_fields}
    unknown = {name for name in named - settings if not _read_somewhere(name)}
    assert not unknown


@pytest.mark.parametrize("page", PAGES)
def test_targets_of_make_exist(page: Page) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    said = [*page.code, *(command for block in page.blocks for command in block.commands)]
    lines = [line for line in said if line.startswith("make ")]
    wanted = {word for line in lines for word in shlex.split(line)[1:] if re.fullmatch(r"[a-z-]+", word)}
    assert wanted <= targets


@pytest.mark.parametrize("page", PAGES)
def test_files_and_modules_that_are_named_are_in_the_checkout(page: Page) -> None:
    text = (ROOT / page.name).read_text(encoding="utf-8")
    lost = {name for name in FILES.findall(text) if not all(list(ROOT.glob(one)) for one in _alternatives(name))}
    lost |= {name for name in MODULES.findall(text) if not _holds(name)}
    assert lost <= MADE


def _alternatives(name: str) -> list[str]:
    before, opened, rest = name.partition("{")
    inside, _, after = rest.partition("}")
    return [f"{before}{one}{after}" for one in inside.split(",")] if opened else [name]


def _holds(name: str) -> bool:
    """Whether it is a module, or something that is named in one."""
    module, _, attribute = name.rpartition(".")
    for dotted, wanted in ((name, ""), (module, attribute), (module.rpartition(".")[0], attribute)):
        path = ROOT / dotted.replace(".", "/")
        for source in (path.with_suffix(".py"), path / "__init__.py"):
            if source.is_file():
                return re.search(rf"\b{wanted}\b", source.read_text(encoding="utf-8")) is not None
    return False


def regreen_lines() -> list[tuple[str, str]]:
    """(page, line) of every call of the command line, in blocks and in the text."""
    found = []
    for page in pages():
        said = [*page.code, *(command for block in page.blocks for command in block.commands)]
        found += [(page.name, line) for line in said if re.match(r"(\.venv/bin/)?regreen( |$)", line)]
    return sorted(set(found))


@pytest.mark.parametrize(("page", "line"), regreen_lines())
def test_commands_and_their_options_exist(page: str, line: str) -> None:
    words = shlex.split(SHORTENED.sub("", line.partition(" | ")[0]).replace("[", "").replace("]", ""))[1:]
    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        name = words.pop(0).split("|", maxsplit=1)[0]
        assert name in command.commands, f"there is no command {name}"
        command = command.commands[name]
    group = hasattr(command, "commands") and not words and line != "regreen"
    assert not group or page == "CHANGELOG.md", "by itself it only lists its commands"
    options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    asked = {word.partition("=")[0] for word in words if word.startswith("--")}
    assert asked <= options | {"--help", "--version", "--install-completion", "--show-completion"}


@pytest.mark.parametrize("block", [block for block in blocks() if block.language in {"yaml", "yml"}], ids=str)
def test_policy_files_have_no_fault(block: Block) -> None:
    if block.said != "policy":
        pytest.skip(f"{block} is another kind of file")
    policy.parse(block.text.encode())


@pytest.mark.parametrize("block", blocks(), ids=str)
def test_every_block_says_what_it_is(block: Block) -> None:
    assert block.language, "name the language after the fence: sh, yaml, text …"
    if block.language in SHELL:
        assert re.match(
            r"(run|starts)( (runs|app|github|compose|machine))?( engine)?$|settings$|by-hand: .{10,}", block.said
        ), "say after `sh`: run or starts, where, and engine if it takes one; settings; or `by-hand: ` with the reason"


def _read_somewhere(name: str) -> bool:
    files = [path for place in PLACES for path in _files(ROOT / place)]
    return any(name in path.read_text(encoding="utf-8", errors="replace") for path in files)


def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    kept = {".py", ".sh", ".yaml", ".service", ".example", ""}
    return [
        path
        for path in place.rglob("*")
        if path.is_file() and path.suffix in kept and "docs" not in path.relative_to(ROOT).parts
    ]
