"""Lock files are installed from, and what a project needs that nobody has here is said."""

import pytest

from sandbox.detect import candidates, detect, needs
from sandbox.detect.python.locks import LIST, TOOL
from sandbox.detect.python.needs import excludes
from sandbox.detect.variables import kept
from sandbox.spec import File, Tree

BASE = {"test_a.py": "", "pyproject.toml": '[project]\nname = "p"\n[dependency-groups]\ntest = ["t"]\n'}


def tree(files: dict[str, str]) -> Tree:
    return {path: File(text.encode()) for path, text in {**BASE, **files}.items()}


@pytest.mark.parametrize(
    ("path", "more", "tool", "export"),
    [
        ("uv.lock", "", "uv", "export --frozen"),
        ("poetry.lock", '[tool.poetry.group.dev.dependencies]\na = "*"\n', "poetry", "--with test"),
        ("pdm.lock", "", "pdm", "-G test"),
        ("Pipfile.lock", "", "pipenv", "requirements --dev"),
    ],
)
def test_a_lock_is_read_by_its_own_tool_outside_the_environment(path: str, more: str, tool: str, export: str) -> None:
    first, *others = candidates(tree({path: "", "pyproject.toml": BASE["pyproject.toml"] + more}))
    told = [" ".join(step) for step in first.install]
    assert f"{TOOL}/bin/python -m pip install {tool}" in told[2]
    assert export in told[3]
    assert told[4] == f"python -m pip install --no-deps -r {LIST}"
    assert first.source.startswith(f"{path}:1; ")
    assert first.origins[1:5] == (f"{path}:1",) * 4
    assert first.confidence > others[0].confidence
    assert not any(LIST in word for step in others[0].install for word in step)


def test_a_lock_for_another_python_is_not_tried_and_the_reason_is_said() -> None:
    pyproject = BASE["pyproject.toml"].replace("[dep", 'requires-python = ">=3.13"\n[dep')
    found = detect(tree({"uv.lock": "", "pyproject.toml": pyproject}))
    assert not any(LIST in word for step in found.install for word in step)
    assert found.unmet == (
        (
            "pyproject.toml:3 asks for Python >=3.13; the sandbox's base image has 3.11. An operator may name a base "
            "image that has it."
        ),
    )


@pytest.mark.parametrize("wanted", [">=3.12", ">3.11", "<3.11", "==3.12.*", "~=3.12.1", ">=4", "<3", "!=3.11.*"])
def test_a_specifier_that_leaves_this_python_out_is_known(wanted: str) -> None:
    assert excludes(wanted)
    assert excludes(f">=3.8,{wanted}")


@pytest.mark.parametrize(
    "wanted", ["", ">=3.8", ">=3.11", "<4", "<3.12", "~=3.8", "==3.*", "!=3.9.*", "!=3.11.1", ">=3.8,<=3.11", "junk"]
)
def test_one_that_admits_it_or_cannot_be_read_leaves_it_in(wanted: str) -> None:
    assert not excludes(wanted)


def test_what_is_not_fetched_or_not_reached_is_said_in_a_sentence_each_without_credentials() -> None:
    found = detect(
        {
            **tree(
                {
                    ".gitmodules": '[submodule "x"]\n\tpath = vendor/x\n',
                    "model.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
                    "compose.yml": "services:\n  web: {build: .}\n  cache: {image: redis}\n",
                    "requirements.txt": "--index-url https://user:s3cret@packages.example/simple\na\n",
                }
            )
        }
    )
    text = " ".join(found.unmet)
    assert len(found.unmet) == 4
    for part in ("submodules (vendor/x)", "Git LFS (model.bin)", "services (cache (redis))", "packages.example"):
        assert part in text
    assert "requirements.txt:1 names a package index of its own (packages.example) with credentials" in text
    assert "s3cret" not in text


@pytest.mark.parametrize(
    "table",
    ['[[tool.uv.index]]\nurl = "https://x.example/s"\n', '[[tool.poetry.source]]\nname = "x"\nurl = "https://x.example"\n'],
)  # fmt: skip
def test_an_index_that_a_tool_names_is_said_with_its_line(table: str) -> None:
    (only,) = detect(tree({"pyproject.toml": BASE["pyproject.toml"] + table})).unmet
    assert only.startswith("pyproject.toml:5 names a package index of its own (x.example);")


def test_services_are_said_whatever_the_language_of_the_tests() -> None:
    workflow = "jobs:\n  a:\n    services: {db: {image: postgres}}\n    steps: [{run: go test}]\n"
    (only,) = needs.read(tree({".github/workflows/ci.yml": workflow}))
    assert only.startswith(".github/workflows/ci.yml:3 starts services (db (postgres));")


def test_variables_are_kept_unless_they_are_the_machines_or_may_be_secret() -> None:
    told = {"A": "1", "PATH": "x", "GITHUB_TOKEN": "x", "DB_PASSWORD": "x", "b-c": "x", "PYTHONPATH": "src:./lib:/abs"}
    assert kept(told.items()) == (("A", "1"), ("PYTHONPATH", "/repo/src:/repo/lib"))
    assert len(kept((f"V{number}", "x") for number in range(200))) == 50
