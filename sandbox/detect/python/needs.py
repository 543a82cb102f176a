"""What a Python project asks for and gets nowhere here: another Python, private indexes, compilers."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from sandbox.detect.python import requirements
from sandbox.detect.python.declared import plain_requirements
from sandbox.detect.python.legacy import ini
from sandbox.detect.python.poetry import specifiers
from sandbox.detect.python.pyproject import load, table
from sandbox.detect.reading import MAX_SIZE, source, text
from sandbox.errors import DetectionError
from sandbox.spec import Tree

PYTHON = (3, 11)
MAX_NAMED = 12
MAX_VALUE = 120

_BUILT_WITH = {
    "maturin": "Rust",
    "setuptools-rust": "Rust",
    "meson-python": "C, with Meson",
    "meson": "C, with Meson",
    "scikit-build": "C or C++, with CMake",
    "scikit-build-core": "C or C++, with CMake",
    "cmake": "C or C++, with CMake",
    "cython": "C",
    "pybind11": "C++",
    "nanobind": "C++",
    "cffi": "C",
}
_PACKAGE = re.compile(r"[\w.-]+")
_EXTENSIONS = re.compile(r"\b(?:ext_modules|cffi_modules|rust_extensions)\s*+=|\bcythonize\(")

_CLAUSE = re.compile(r"\s*(===?|~=|!=|<=?|>=?)\s*(\d{1,4})(?:\.(\d{1,4}))?([\w.*]*)\s*")
_INDEX = re.compile(
    r"^[^\S\n]*+(?:-i|--index-url|--extra-index-url|index-url|extra-index-url)[\s=]+(\S+)", re.MULTILINE
)
# Harmless to leave out: what only builds, or is there already.
_PRESENT = frozenset(
    {"python3", "python3-dev", "python3-venv", "python3-pip", "git", "curl", "wget", "ca-certificates"}
)


def read(tree: Tree) -> Iterator[str]:
    """A sentence each."""
    where, wanted = python(tree)
    if wanted and excludes(wanted):
        yield (
            f"{where} asks for Python {wanted[:MAX_VALUE]}; the sandbox's base image has {PYTHON[0]}.{PYTHON[1]}. "
            "An operator may name a base image that has it."
        )
    yield from _compiled(tree)
    yield from _indexes(tree)


def system(packages: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What a workflow installs beside Python packages: no lack by itself, so that it is said last."""
    found = [(name, line) for name, line in packages if name not in _PRESENT]
    if found:
        names = ", ".join(name for name, _ in found[:MAX_NAMED])
        yield (
            f"A workflow installs packages of the system ({names}; {found[0][1]}). They are not installed here; most "
            "tests do without, and the base image may have them."
        )


def _compiled(tree: Tree) -> Iterator[str]:
    """What the project is built with beside Python."""
    build = table(load(tree), "build-system").get("requires")
    names = [match[0].lower() for one in plain_requirements(build) if (match := _PACKAGE.match(one))]
    tools = [f"{name} ({_BUILT_WITH[name]})" for name in names if name in _BUILT_WITH]
    where = source("pyproject.toml", text(tree, "pyproject.toml"), "[build-system]", "requires")
    if not tools and (match := _EXTENSIONS.search(text(tree, "setup.py", line=MAX_SIZE))):
        line = text(tree, "setup.py", line=MAX_SIZE).count("\n", 0, match.start()) + 1
        tools, where = ["extension modules (C)"], f"setup.py:{line}"
    if not tools and "Cargo.toml" in tree:
        tools, where = ["Cargo (Rust)"], "Cargo.toml:1"
    if tools:
        yield (
            f"{where} builds with {', '.join(tools[:MAX_NAMED])}, which needs a compiler toolchain that the sandbox's "
            "own base image lacks. REGREEN_SANDBOX_BASE_IMAGES may name an image that has it."
        )


def python(tree: Tree) -> tuple[str, str]:
    """Where the project says which Python it takes, and which: empty where it says nothing."""
    document, content = load(tree), text(tree, "pyproject.toml")
    if isinstance(wanted := table(document, "project").get("requires-python"), str):
        return source("pyproject.toml", content, "requires-python"), wanted
    if isinstance(wanted := table(document, "tool", "poetry", "dependencies").get("python"), str):
        return source("pyproject.toml", content, "[tool.poetry.dependencies]", "python"), specifiers(wanted)
    wanted = ini(tree, "setup.cfg").get("options", {}).get("python_requires", "")
    return source("setup.cfg", text(tree, "setup.cfg"), "[options]", "python_requires"), wanted


def excludes(wanted: str) -> bool:
    """Whether a version specifier (PEP 440) leaves out the sandbox's Python; what cannot be read leaves out nothing."""
    return any(not _admits(clause) for clause in wanted[: MAX_VALUE * 4].split(","))


def _admits(clause: str) -> bool:
    match = _CLAUSE.fullmatch(clause)
    if match is None:
        return True
    operator, exact = match[1], match[3] is not None
    version = (int(match[2]), int(match[3] or 0))
    ours = PYTHON if exact else (*PYTHON[:1], 0)
    # A third number only says which of our own Python's patches, which is close enough to try.
    verdicts = {
        ">=": ours >= version,
        ">": ours > version or (ours == version and bool(match[4].strip(".*"))) or not exact,
        "<=": ours <= version,
        "<": ours < version or (ours == version and bool(match[4].strip(".*0"))),
        "==": ours == version,
        "===": ours == version,
        "~=": ours[0] == version[0] and ours >= version and (not match[4].strip(".*") or ours == version),
        "!=": ours != version or "*" not in match[4],
    }
    return verdicts[operator]


def _indexes(tree: Tree) -> Iterator[str]:
    found: dict[str, str] = {}
    for path in islice(("pip.conf", *requirements.everywhere(tree)), requirements.MAX_READ):
        try:
            content = text(tree, path, MAX_SIZE, MAX_SIZE)
        except DetectionError:
            continue
        if match := _INDEX.search(content):
            found.setdefault(match[1], f"{path}:{content.count(chr(10), 0, match.start(1)) + 1}")
    document = load(tree)
    for keys, name in ((("tool", "uv"), "index"), (("tool", "poetry"), "source"), (("tool", "pdm"), "source")):
        entries = table(document, *keys).get(name)
        where = source("pyproject.toml", text(tree, "pyproject.toml"), f"[[{'.'.join(keys)}.{name}]]")
        for entry in entries if isinstance(entries, list) else ():
            url = entry.get("url") if isinstance(entry, dict) else None
            found |= {url: where} if isinstance(url, str) else {}
    if found:
        where = next(iter(found.values()))
        hosts = ", ".join(dict.fromkeys(_host(url) for url in list(found)[:MAX_NAMED]))
        secret = " with credentials" if any("@" in url or "$" in url for url in found) else ""
        yield (
            f"{where} names a package index of its own ({hosts}){secret}; the sandbox asks the operator's only, "
            "and no credentials are ever in it."
        )


def _host(url: str) -> str:
    """Never what may be a credential."""
    host = url.partition("://")[2].partition("/")[0].rpartition("@")[2]
    return re.sub(r"[^\w.:${}-]", "", host)[:MAX_VALUE] or "an address that is not shown"
