import json
from typing import Any

import pytest

from sandbox.detect import candidates, detect
from sandbox.errors import DetectionError
from sandbox.spec import File, Given, Recipe, Tree

TEST = b"import test from 'node:test';\ntest('a', () => {});\n"


def tree(script: str | None = None, wanted: dict[str, str] | None = None, **files: Any) -> Tree:
    manifest: dict[str, Any] = {"name": "small", "devDependencies": wanted or {}}
    if script is not None:
        manifest["scripts"] = {"test": script, "build": "tsc", "lint": "eslint .", "unit": "jest --coverage"}
    found = {"package.json": File(json.dumps(manifest, indent=2).encode()), "test/a.test.js": File(TEST)}
    return found | {path: File(data) for path, data in files.items()}


@pytest.mark.parametrize(
    ("script", "kind", "command"),
    [
        ("node --test", "node-test", ("node", "--test")),
        ("node --import tsx --test test/*.ts", "node-test", ("node", "--import", "tsx", "--test", "test/*.ts")),
        ("jest", "jest", ("jest",)),
        ("NODE_OPTIONS=--experimental-vm-modules npx jest --ci", "jest", ("jest", "--ci")),
        ("node --experimental-vm-modules node_modules/jest/bin/jest.js", "jest",
         ("node", "--experimental-vm-modules", "node_modules/jest/bin/jest.js")),
        ("node_modules/.bin/vitest run", "vitest", ("vitest", "run")),
        ("npm run lint && npm run unit", "jest", ("jest", "--coverage")),
        ("eslint . && nyc --reporter=text mocha 'test/**/*.js'", "mocha", ("mocha", "test/**/*.js")),
        ("npm run build && mocha -r ts-node/register", "mocha",
         ("sh", "-c", 'npm run build && exec "$@"', "sh", "mocha", "-r", "ts-node/register")),
        ("cross-env TZ=UTC vitest", "vitest", ("vitest",)),
    ],
)  # fmt: skip
def test_the_script_names_the_runner(script: str, kind: str, command: tuple[str, ...]) -> None:
    found = detect(tree(script))
    assert (found.ecosystem, found.test_command, found.toolchain) == (kind, command, "node")
    assert found.source.startswith("package.json:") or "package.json:" in found.source


def test_variables_that_a_script_sets_are_the_recipes() -> None:
    assert detect(tree("cross-env TZ=UTC A=b vitest")).environment == (("TZ", "UTC"), ("A", "b"))
    assert detect(tree("NODE_ENV=test jest")).environment == (("NODE_ENV", "test"),)


def test_a_lock_file_is_installed_as_it_is_and_kept_below_the_environment() -> None:
    locked = detect(tree("jest", {"jest": "^29"}, **{"package-lock.json": b"{}"}))
    copy, install, prune = locked.install
    assert "npm ci " in install[2]
    assert all("/env/node" in step[2] for step in (copy, install, prune))
    assert locked.inputs == ("package-lock.json", "package.json")
    assert locked.confidence > detect(tree("jest", {"jest": "^29"})).confidence
    assert "npm install " in detect(tree("jest", {"jest": "^29"})).install[1][2]
    assert len(locked.origins) == len(locked.install) + 1


def test_nothing_to_install_installs_nothing() -> None:
    found = detect(tree("node --test"))
    assert (found.install, found.confidence) == ((), 0.95)


@pytest.mark.parametrize("lock", ["yarn.lock", "pnpm-lock.yaml"])
def test_a_lock_file_of_another_client_is_said_not_to_be_used(lock: str) -> None:
    found = detect(tree("jest", {"jest": "^29"}, **{lock: b""}))
    assert "npm install" in found.install[1][2]
    assert found.unmet[0].startswith(f"{lock}:1 is not used")
    assert lock in found.inputs


def test_what_npm_cannot_install_is_said() -> None:
    wanted = {"jest": "^29", "a": "workspace:*", "b": "github:x/b"}
    said = " ".join(detect(tree("jest", wanted)).unmet)
    assert "`workspace:`" in said
    assert "b: packages from git repositories" in said


def test_without_a_script_the_dependencies_and_then_the_tests_name_the_runner() -> None:
    assert detect(tree(wanted={"vitest": "^1"})).test_command == ("vitest", "run")
    assert detect(tree()).test_command == ("node", "--test")


@pytest.mark.parametrize("script", ["ava", "cypress run"])
def test_a_runner_whose_results_cannot_be_read_is_no_recipe(script: str) -> None:
    with pytest.raises(DetectionError, match="JUnit XML"):
        detect(tree(script))


@pytest.mark.parametrize(
    ("script", "wanted", "said"),
    [
        ("c8 ava --verbose", {}, " runs the tests with ava: "),
        ("uvu -r tsm test", {}, " runs the tests with uvu: "),
        ("bun test", {}, " runs the tests with bun test: "),
        ("node scripts/run.js", {"tape": "^5"}, "names the test runner tape: "),
        ("node scripts/run.js", {}, "runs the tests with `node scripts/run.js`: "),
    ],
)
def test_a_runner_that_is_found_is_named_with_how_to_say_it(script: str, wanted: dict[str, str], said: str) -> None:
    with pytest.raises(DetectionError) as caught:
        detect(tree(script, wanted))
    assert caught.value.cause.startswith("package.json:")
    assert said in caught.value.cause
    for part in ("`test_command`", "`junit`", ".github/regreen.yml", "JUnit XML"):
        assert part in caught.value.remedy


@pytest.mark.parametrize("data", [b"{", b"[]", b"[" * 100_000, b'{"scripts": ' + b"[" * 60_000])
def test_a_manifest_that_cannot_be_read_is_an_error_of_ours(data: bytes) -> None:
    with pytest.raises(DetectionError):
        detect({"package.json": File(data)})


def test_scripts_that_call_each_other_end() -> None:
    scripts = {"test": "npm run a", "a": "npm run b", "b": "npm run a"}
    manifest = File(json.dumps({"scripts": scripts}).encode())
    with pytest.raises(DetectionError):
        detect({"package.json": manifest})


def test_python_with_tests_goes_first_and_node_is_the_next_candidate() -> None:
    both = {**tree("jest"), "pyproject.toml": File(b'[project]\nname = "x"\n'), "test_a.py": File(b"")}
    kinds = [recipe.ecosystem for recipe in candidates(both)]
    assert kinds[0] == "python"
    assert "jest" in kinds
    del both["test_a.py"]
    assert detect(both).ecosystem == "jest"


def test_a_given_command_of_node_decides() -> None:
    both = {**tree("jest"), "pyproject.toml": File(b'[project]\nname = "x"\n'), "test_a.py": File(b"")}
    found = detect(both, Given(test_command=("npm", "test"), setup=(("npm", "ci"),), source=".github/regreen.yml:3"))
    assert (found.ecosystem, found.test_command, found.source) == ("jest", ("jest",), ".github/regreen.yml:3")
    assert found.install[0] == ("npm", "ci")
    assert "/env/node" in found.install[-1][2]


def junit(files: Tree, **given: Any) -> Recipe:
    return detect(files, Given(junit="out/*.xml", source="policy", **given))


def test_junit_takes_the_set_up_of_the_tree_and_the_given_command() -> None:
    found = junit(tree("ava", {"ava": "^5", "jest": "^29"}), test_command=("npx", "ava"))
    assert (found.ecosystem, found.junit, found.test_command) == ("junit", "out/*.xml", ("npx", "ava"))
    assert (found.toolchain, len(found.install)) == ("node", 3)
    bare = junit({"run.sh": File(b"")}, test_command=("sh", "run.sh"), setup=(("true",),))
    assert (bare.ecosystem, bare.install, bare.toolchain) == ("junit", (("true",),), "python")


def test_junit_without_a_command_or_outside_of_the_tree_is_refused() -> None:
    with pytest.raises(DetectionError, match="not the command"):
        junit({})
    with pytest.raises(DetectionError, match="outside"):
        detect({}, Given(test_command=("true",), junit="../*.xml"))


def test_a_module_of_go_is_known_by_its_manifest() -> None:
    files = {"go.mod": File(b"module x\n\ngo 1.19\n"), "a/a_test.go": File(b""), "b/go.mod": File(b"module y\n")}
    found = detect(files)
    assert (found.ecosystem, found.toolchain, found.test_command) == ("go", "go", ("go", "test", "./..."))
    assert len(found.install) == 1
    assert found.unmet == ("b/go.mod:1 begins a module of its own, whose tests are not run.",)


def test_modules_that_go_requires_are_downloaded_unless_vendored() -> None:
    manifest = File(
        b"module x\n\ngo 1.19\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.2.0 // indirect\n)\n"
    )
    files = {"go.mod": manifest, "go.sum": File(b"x"), "a_test.go": File(b"")}
    found = detect(files)
    assert found.install[0] == ("go", "mod", "download")
    assert "requires 2 modules" in found.unmet[0]
    vendored = detect({**files, "vendor/modules.txt": File(b"")})
    assert (len(vendored.install), vendored.unmet) == (1, ())


def test_a_manifest_of_blank_lines_takes_no_time() -> None:
    assert detect({"go.mod": File(b"\n" * 130_000), "a_test.go": File(b"")}).ecosystem == "go"
