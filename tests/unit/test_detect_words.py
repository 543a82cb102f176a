"""Which of a repository's words reach a command: no options of its own, no variable that loads or redirects."""

import json

import pytest

from sandbox.detect import detect
from sandbox.detect.python.declared import is_name, is_requirement
from sandbox.detect.shell import UNKNOWN
from sandbox.detect.variables import kept
from sandbox.spec import File, Recipe

HOSTILE = ["--index-url=http://evil/", "-r/etc/passwd", "-e.", "./x", "/etc/x", "git+https://evil/x", "a\nb", "", "a b"]


def recipe(**files: str) -> Recipe:
    return detect({"test_a.py": File(b""), **{path: File(text.encode()) for path, text in files.items()}})


def ran(script: str) -> tuple[str, ...]:
    lines = "".join(f"        {line}\n" for line in script.splitlines())
    found = recipe(**{".github/workflows/ci.yml": f"jobs:\n  t:\n    steps:\n    - run: |\n{lines}"})
    assert not any(UNKNOWN in word for word in found.test_command)
    return found.test_command[3:]


def node(script: str) -> Recipe:
    return detect({"package.json": File(json.dumps({"scripts": {"test": script}}).encode()), "a.test.js": File(b"")})


@pytest.mark.parametrize(
    "word", ["a", "a.b_c-d", "a[b,c]>=1,<2", "a (>=1)", "a==1.*; python_version > '3'", "a @ https://h/x.zip"]
)
def test_a_requirement_is_what_the_specification_says(word: str) -> None:
    assert is_requirement(word)


@pytest.mark.parametrize("word", [*HOSTILE, "a" * 2000])
def test_what_is_no_requirement_is_no_name_either(word: str) -> None:
    assert not is_requirement(word)
    assert not is_name(word)


@pytest.mark.parametrize(
    "text",
    [
        "[tool.poetry.group.test.dependencies]\ngood = '*'\n" + "".join(f"{json.dumps(w)} = '*'\n" for w in HOSTILE),
        f"[dependency-groups]\ntest = {json.dumps(['good', *HOSTILE])}\n",
        f"[tool.hatch.envs.test]\ndependencies = {json.dumps(['good', *HOSTILE])}\n",
        f"[tool.pdm.dev-dependencies]\ntest = {json.dumps(['good', *HOSTILE])}\n",
    ],
)
def test_only_requirements_reach_pip_whichever_table_names_them(text: str) -> None:
    assert recipe(**{"pyproject.toml": f"[tool.a]\n{text}"}).install[-1][4:] == ("good", "pytest")


def test_names_of_extras_and_groups_are_no_options() -> None:
    extras = '[project]\nname = "p"\n[project.optional-dependencies]\ntest = []\n"test] --x" = []\n'
    assert recipe(**{"pyproject.toml": extras}).install[1][-1] == ".[test]"
    groups = '[project]\nname = "p"\n[dependency-groups]\n"--index=http://evil/test" = ["x"]\n'
    found = recipe(**{"pyproject.toml": groups, "uv.lock": ""})
    assert not any("evil" in word for step in found.install for word in step)


@pytest.mark.parametrize(
    "option",
    ["--version", "-V", "--collect-only", "--co", "--help", "-h", "-vh", "--fixtures", "--markers", "--setup-plan"],
)
def test_a_command_that_runs_no_tests_is_no_suite(option: str) -> None:
    assert ran(f"python -m pytest {option}\npytest -k one") == ("-k", "one")


@pytest.mark.parametrize(
    "words", ["--pdb", "--trace", "--pastebin=all", "--pdbcls=a:b", "-c ../x.ini", "--rootdir=/etc"]
)
def test_what_waits_sends_or_leaves_the_tree_is_dropped(words: str) -> None:
    assert ran(f"pytest {words} -k one") == ("-k", "one")


@pytest.mark.parametrize(
    "script", ["jest --listTests; jest --ci", "vitest list; jest --ci", "mocha --dry-run; jest --ci"]
)
def test_a_runner_of_node_that_only_lists_is_no_suite(script: str) -> None:
    assert node(script).ecosystem == "jest"


def test_what_stands_before_tests_keeps_its_redirections_or_is_not_run() -> None:
    assert node("touch x > y && node --test").test_command[:3] == ("sh", "-c", 'touch x >y && exec "$@"')
    assert node("a 2>&1 >> 'b c' && node --test").test_command[2].startswith("a 2>&1 >>'b c' && ")
    piped = node("make a | tee b && node --test")
    assert piped.test_command == ("node", "--test")
    assert "make together with another command" in piped.unmet[0]


LOADING = ["NO_PROXY", "ALL_PROXY", "https_proxy", "npm_config_registry", "BASH_ENV", "ENV", "IFS", "GCONV_PATH"]
LOADING += [
    "GIT_SSH_COMMAND",
    "LD_PRELOAD",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PIP_INDEX_URL",
    "UV_INDEX",
]
LOADING += ["PYTEST_PLUGINS", "PYTEST_ADDOPTS", "NODE_PATH", "CI", "USER", "HOME", "TEMP", "GOFLAGS", "PATH"]


@pytest.mark.parametrize("name", LOADING)
def test_variables_that_load_or_redirect_are_dropped_for_every_language(name: str) -> None:
    assert kept([(name, "x")]) == ()
    assert node(f"{name}=x A=1 jest").environment == (("A", "1"),)


@pytest.mark.parametrize(
    "name", ["CITY", "HOMEPAGE", "TEMPLATE_DIR", "USERS", "ENVIRONMENT", "PYTHONUTF8", "TZ", "NODE_ENV"]
)
def test_variables_that_are_only_named_alike_stay(name: str) -> None:
    assert kept([(name, "x")]) == ((name, "x"),)


@pytest.mark.parametrize(
    ("name", "value", "stays"),
    [
        ("DSN", "postgres://user:pw@h/db", False),
        ("DSN", "postgres://h/db", True),
        ("NODE_OPTIONS", "--experimental-vm-modules --max-old-space-size=4096", True),
        ("NODE_OPTIONS", "--experimental-vm-modules --require ./x", False),
        ("NODE_OPTIONS", "--import=./x", False),
        ("PYTHONWARNINGS", "error", True),
        ("PYTHONWARNINGS", "error::evil.Warning", False),
    ],
)
def test_values_decide_where_a_name_does_not(name: str, value: str, *, stays: bool) -> None:
    assert kept([(name, value)]) == (((name, value),) if stays else ())


def test_a_search_path_leads_nowhere_else() -> None:
    assert kept([("PYTHONPATH", "src:/env/../regreen:/opt:../x:.")]) == (("PYTHONPATH", "/repo/src:/repo"),)
    assert kept([("PYTHONPATH", "/opt")]) == ()
