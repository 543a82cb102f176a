"""What a Node project's scripts run before the tests: built is what has to be, with the client that is there."""

import json
from typing import Any

import pytest

from sandbox.detect import detect
from sandbox.spec import File, Recipe

SCRIPTS = {
    "lint": "eslint .",
    "check": "eslint . && tsc --noEmit",
    "type-check": "vue-tsc --noEmit",
    "build": "tsc -p .",
    "deep": "pnpm build && pnpm codegen",
    "codegen": "node gen.js",
    "unit": "vitest run",
}


def recipe(script: str, **more: Any) -> Recipe:
    manifest = {"name": "x", "devDependencies": {}, "scripts": {"test": script, **SCRIPTS}, **more}
    files = {"package.json": json.dumps(manifest, indent=1), "a.test.js": ""}
    return detect({path: File(text.encode()) for path, text in files.items()})


@pytest.mark.parametrize(
    "script",
    [
        "pnpm lint && vitest run",
        "yarn run lint && pnpm exec vitest run",
        "npm run check && pnpm vitest run",
        "pnpm type-check && pnpm unit",
        "prettier --check . && tsc --noEmit && bunx vitest run",
        "yarn eslint . && yarn unit",
        "bun run check && bun run unit",
    ],
)
def test_what_only_judges_is_left_out_whoever_runs_it(script: str) -> None:
    found = recipe(script)
    assert (found.test_command, found.unmet) == (("vitest", "run"), ())


@pytest.mark.parametrize(
    ("script", "built"),
    [
        ("pnpm build && vitest run", "npm run build"),
        ("yarn build --force && vitest run", "npm run build -- --force"),
        ("bun run -s build && vitest run", "npm run build"),
        ("npm run deep && vitest run", "npm run build && npm run codegen"),
        ("tsc -p . && vitest run", "tsc -p ."),
    ],
)
def test_what_builds_is_run_by_npm(script: str, built: str) -> None:
    found = recipe(script)
    assert found.test_command[:3] == ("sh", "-c", f'{built} && exec "$@"')
    assert found.unmet == ()


@pytest.mark.parametrize(
    "words", ["pnpm install", "pnpm -r build", "bun build.ts", "yarn workspaces foreach run build"]
)
def test_what_npm_cannot_do_instead_is_left_out_and_said(words: str) -> None:
    found = recipe(f"{words} && vitest run")
    assert found.test_command == ("vitest", "run")
    assert found.unmet == (f"package.json:5 runs `{words}`; the sandbox has npm only, so it is left out.",)


def test_scripts_that_run_each_other_end() -> None:
    scripts = {"test": "pnpm a && vitest run", "a": "pnpm b && pnpm b", "b": "pnpm a && pnpm a"}
    assert recipe("", scripts=scripts).test_command[-2:] == ("vitest", "run")
