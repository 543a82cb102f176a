"""What no fix may touch: what tests are made of, what configures or replaces them, CI, and the dependencies.

One value, built once for each run, answers for the gate, for the suspects and for what a model may edit.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from bot.repair.ports import Workspace
from bot.repair.sources.doctests import is_example
from bot.repair.sources.globs import Globs
from bot.repair.sources.imports import Modules
from bot.repair.sources.languages import PYTHON, SOURCES
from bot.repair.sources.links import reached, resolve
from bot.repair.types import Base, Baseline, SourceFile

TESTS = Globs.of((
    "test_*.py", "*_test.py", "tests.py", "conftest.py", "conftest/",
    "test/", "tests/", "testing/", "*_tests/",
    "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "tox.toml", "setup.cfg", "pyproject.toml",
    "noxfile.py", "makefile", "gnumakefile", ".coveragerc", ".pre-commit-config.yaml", ".gitattributes", ".gitmodules",
    "justfile", "taskfile.y*ml", "gruntfile.*", "gulpfile.*", "rakefile", ".env", ".env.*", ".husky/",
    "/.github/", "/.circleci/", "/.buildkite/", "/.woodpecker/", "/.gitlab/", "/.azure-pipelines/", "/.semaphore/",
    ".gitlab-ci.y*ml", ".travis.y*ml", ".drone.y*ml", ".woodpecker.y*ml", "azure-pipelines*.y*ml",
    "appveyor.y*ml", ".appveyor.y*ml", "cloudbuild.y*ml", ".cirrus.y*ml", ".codecov.y*ml", "codecov.y*ml",
    "bitbucket-pipelines.y*ml", "jenkinsfile*",
    "sitecustomize.py", "sitecustomize/", "usercustomize.py", "usercustomize/", "*.pth",
    "pytest.py", "pytest/", "_pytest/", "pluggy*", "*.dist-info/", "*.egg-info/",
    "*.test.*", "*.spec.*", "*-test.?s", "*_test.?s", "*spec.?s", "*.test-d.ts", "test.?s", "test.?js",
    "__tests__/", "__mocks__/", "__snapshots__/", "__fixtures__/", "*.snap", "*.golden", "cypress/", "e2e/",
    "/fixtures/", "/golden/", "/snapshots/",
    "jest.config.*", "jest.setup.*", "jest-setup.*", "jest.global*", "setuptests.*", "setup-tests.*", "test-setup.*",
    "test_helper.*", "test-helper*.*", "ava.config.*", ".taprc", ".swcrc", "bunfig.toml", "deno.json*",
    "web-test-runner.*",
    "vitest.*", "vite.config.*",
    ".mocharc*", "babel.config.*", ".babelrc*", "tsconfig*.json", "karma.conf.*", "playwright.config.*", ".nycrc*",
    "node_modules/", "*_test.go", "testdata/", "vendor/",
))  # fmt: skip
"""Tests, what configures or replaces them, and CI; matched against a path in small letters."""
DEPENDENCIES = Globs.of((
    "requirements*.txt", "requirements*.in", "**/requirements/*.txt", "constraints*.txt", "setup.py", "pipfile",
    "*.lock", "pylock*.toml", "environment.yml", "environment.yaml", "package.json", "package-lock.json",
    "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "bun.lockb", ".npmrc", ".yarnrc*",
    "go.mod", "go.sum", "go.work", "go.work.sum",
))  # fmt: skip
"""Manifests and lock files, likewise in small letters."""
MAX_READ = 200

_OF_TESTS = "is protected: tests, their configuration and CI stay as they are"
_OF_DEPENDENCIES = "is protected: dependencies stay as they are, the environment was built from them"
_OF_POLICY = "is protected: the repository's policy says so"
_OF_LINKS = "is a symlink, or below one: a fix changes regular files, where they are"


@dataclass(frozen=True, slots=True)
class Protection:
    """`files` hold tests, `folders` hold nothing but what tests are made of, `inputs` decided the environment.

    `examples` are sources with docstrings that run as tests, which stay while the code around them may change.
    `links` are the tree's symlinks: what is in their place, or below, cannot be laid over the tree.
    """

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    inputs: frozenset[str] = frozenset()
    further: Globs = field(default_factory=Globs)
    examples: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()

    def fault(self, path: str) -> str | None:
        """Why a path may not be touched, `None` when it may."""
        if path in self.files or not self.folders.isdisjoint(_above(path)):
            return _OF_TESTS
        if fault := _by_name(path):
            return fault
        if path in self.inputs:
            return _OF_DEPENDENCIES
        if not self.links.isdisjoint((path, *_above(path))):
            return _OF_LINKS
        return _OF_POLICY if self.further.cover(path) else None

    def is_source(self, path: str) -> bool:
        """Whether a path is code that a fix may touch."""
        return path.endswith(SOURCES) and self.fault(path) is None


BY_NAME = Protection()
"""What can be told from names alone."""


def protect(
    workspace: Workspace, base: Base, known: Sequence[str], baseline: Baseline, further: Iterable[str] = ()
) -> Protection:
    """The protection of one tree; `known` are its paths, `further` the gitignore patterns of its policy.

    Reads only where tests stand in a directory whose name does not say so. Raises `WorkspaceError`.
    """
    policy, links = Globs.of(further), dict(workspace.links(base))
    files = files_of_tests(baseline, known)
    folders = _folders(workspace, base, known, files)
    named = {end for link in links if _stands_for_tests(link, policy) and (end := resolve(link, links))}
    files |= reached(files, links) | named
    examples = _holding((node_id for node_id in _ids(baseline) if is_example(node_id)), known) - files
    inputs = frozenset(filter(_declares, base.recipe.inputs))
    return Protection(files, folders | named, inputs, policy, examples, frozenset(links))


def _stands_for_tests(link: str, policy: Globs) -> bool:
    """Whether what a symlink points to is protected by the link's own name; to lie below `tests/` says too little."""
    name = link.rpartition("/")[2]
    return bool(_by_name(name) or _by_name(f"{name}/")) or policy.cover(link)


def _declares(path: str) -> bool:
    """Whether an input of the environment declares what is installed.

    Others are read for a version or a description, and are the project's own source and prose, where faults may lie.
    """
    name = path.rpartition("/")[2]
    return name == "setup.py" or not name.endswith((".py", ".md", ".rst"))


def files_of_tests(baseline: Baseline, known: Iterable[str]) -> frozenset[str]:
    """The paths that hold the baseline's tests.

    Node ids are relative to pytest's own root, which may lie anywhere in the tree: every path that ends like one
    counts. A symlink is none of `known`; see `bot.repair.sources.links`. Examples in docstrings make no file one of
    tests.
    """
    return _holding((node_id for node_id in _ids(baseline) if not is_example(node_id)), known)


def _ids(baseline: Baseline) -> tuple[str, ...]:
    return (*baseline.failing_ids, *baseline.passing, *baseline.flaky, *baseline.skipped)


def _holding(node_ids: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    named = {node_id.partition("::")[0] for node_id in node_ids}
    return frozenset(named).union(path for path in known if not named.isdisjoint(_ends(path)))


@lru_cache(maxsize=20_000)
def _by_name(path: str) -> str | None:
    """Asked again for each frame and each function of a file."""
    folded = path.casefold()
    if TESTS.cover(folded):
        return _OF_TESTS
    return _OF_DEPENDENCIES if DEPENDENCIES.cover(folded) else None


def _ends(path: str) -> Iterator[str]:
    parts = path.split("/")
    yield from ("/".join(parts[at:]) for at in range(len(parts)))


def _above(path: str) -> Iterator[str]:
    parts = path.split("/")
    yield from ("/".join(parts[:depth]) for depth in range(1, len(parts)))


def _folders(workspace: Workspace, base: Base, known: Sequence[str], files: frozenset[str]) -> frozenset[str]:
    """The directories of the tests' files, but neither the root nor one that holds the code under test as well."""
    tests, code = (
        _by_folder(files),
        _by_folder(path for path in known if path.endswith(PYTHON) and BY_NAME.is_source(path) and path not in files),
    )
    found = {
        folder
        for folder, held in tests.items()
        if folder and BY_NAME.is_source(f"{folder}/x.py") and not _has_namesake(held, code.get(folder, ()))
    }
    if not found:
        return frozenset()
    inside = [path for folder in sorted(found) for path in tests[folder] if path.endswith(".py")]
    others = [path for folder in code if found.isdisjoint(_above(f"{folder}/")) for path in code[folder]]
    others.sort(key=lambda path: (path.count("/"), path))
    read = workspace.read(base, (*inside[:MAX_READ], *others[:MAX_READ]))
    return frozenset(found & _of_tests(read, Modules.of(known), files))


def _by_folder(paths: Iterable[str]) -> dict[str, list[str]]:
    folders: dict[str, list[str]] = {}
    for path in sorted(paths):
        folders.setdefault(path.rpartition("/")[0], []).append(path)
    return folders


def _has_namesake(tests: Iterable[str], code: Iterable[str]) -> bool:
    """Whether a test stands beside the module that it is named after, as `two_fer_check.py` beside `two_fer.py`."""
    names = [_name(path) for path in tests]
    about = {name.partition("_")[2] for name in names} | {name.rpartition("_")[0] for name in names}
    return any(_name(path) in about for path in code)


def _name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".py")


def _of_tests(read: Iterable[SourceFile], modules: Modules, files: Collection[str]) -> set[str]:
    """Directories whose tests import code from elsewhere, while no code from elsewhere imports anything of them."""
    outward: set[str] = set()
    inward: set[str] = set()
    for file in read:
        own = file.path.rpartition("/")[0]
        for target in modules.imported(file):
            if file.path not in files:
                inward.update(_above(target))
            elif BY_NAME.is_source(target) and target not in files and own not in _above(target):
                outward.add(own)
    return outward - inward
