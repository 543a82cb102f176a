"""Test runners of Node's that are known by name only: their results are read as JUnit XML, or not at all."""

import re

from sandbox.detect.node.manifest import read
from sandbox.detect.node.runners import NO_TEST
from sandbox.spec import Given, Tree

RUNNERS: tuple[str, ...] = (
    "ava",
    "uvu",
    "tape",
    "tap",
    "karma",
    "jasmine",
    "cypress",
    "playwright",
    "testcafe",
    "qunit",
)
RUNNERS += (
    "web-test-runner",
    "wtr",
    "lab",
    "zora",
    "poku",
    "japa",
    "nightwatch",
    "wdio",
    "bun test",
    "deno test",
    "borp",
)

_PACKAGES = {"@playwright/test": "playwright", "@web/test-runner": "web-test-runner", "@hapi/lab": "lab"}
_RUNS = re.compile(rf"(?<![\w@./-])(?:node_modules/\.bin/)?({'|'.join(RUNNERS)})(?![\w/-])")
_MAX_SHOWN = 80


def unread(tree: Tree, given: Given) -> str:
    """Which runner a project's tests ask for, and where, as the beginning of a sentence; empty where there is none."""
    told = [(" ".join(given.test_command), given.command_origin)] if given.test_command else []
    manifest = read(tree)
    names = [name for name in manifest.scripts if name == "test" or name.startswith("test:")]
    told += [(manifest.scripts[name], manifest.line("scripts", name)) for name in names]
    for line, where in told:
        if found := _RUNS.search(line):
            return f"{where} runs the tests with {found[1]}"
    for package in manifest.wanted:
        if (name := _PACKAGES.get(package, package)) in RUNNERS:
            return f"{manifest.line(package)} names the test runner {name}"
    told = [one for one in told if NO_TEST not in one[0]]
    return f"{told[0][1]} runs the tests with `{told[0][0][:_MAX_SHOWN]}`" if told else ""
