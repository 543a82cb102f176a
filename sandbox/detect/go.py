"""Go modules: the standard library, vendored modules, and what a module proxy gives; caches at /env."""

import re

from sandbox.detect import needs as common
from sandbox.detect.reading import source, text
from sandbox.spec import Given, Recipe, Tree

Step = tuple[tuple[str, ...], str]

MANIFEST = "go.mod"
_TEST = ("go", "test", "./...")
_VENDORED = "vendor/modules.txt"
_INPUTS = (MANIFEST, "go.sum", _VENDORED, "go.work", "go.work.sum")
_ENVIRONMENT = (
    ("GOPATH", "/env/go-path"),
    ("GOCACHE", "/tmp/go-cache"),  # noqa: S108 (the container's)
    ("GOTOOLCHAIN", "local"),
    ("GOPROXY", "off"),
)
"""The installation's own settings of where modules come from have precedence over this last one."""

_DOWNLOAD: tuple[str, ...] = ("go", "mod", "download")
# Whatever does not compile is reported by the tests, and may be what is to be mended.
_WARM: tuple[str, ...] = ("sh", "-c", "mkdir -p /env/go-path && GOCACHE=/env/go-cache go test -run '^$' ./... || true")
_REQUIRED = re.compile(r"^(?:require)?[ \t]+([\w-]+\.[\w.-]+/\S+)[ \t]+v", re.MULTILINE)
_FOUND = 0.95
_WITHOUT_TESTS = 0.3


def recipes(tree: Tree, given: Given) -> tuple[Recipe, ...]:
    """The recipe of a tree with a go.mod at its root."""
    if MANIFEST not in tree and given.test_command[:1] != ("go",):
        return ()
    content = text(tree, MANIFEST)
    required = _REQUIRED.findall(content)
    fetched = bool(required) and _VENDORED not in tree
    download = [(_DOWNLOAD, source(MANIFEST, content, "require"))] if fetched else []
    steps: list[Step] = [(step, given.source) for step in given.setup] or [*download, (_WARM, f"{MANIFEST}:1")]
    tests = sorted(path for path in tree if path.endswith("_test.go"))
    where = given.command_origin if given.test_command else f"{tests[0]}:1" if tests else f"{MANIFEST}:1"
    nested = sorted(path for path in tree if path.endswith(f"/{MANIFEST}") and not path.startswith("vendor/"))
    unmet = [f"{nested[0]}:1 begins a module of its own, whose tests are not run."] if nested else []
    if fetched:
        unmet.append(
            f"{MANIFEST}:1 requires {len(required)} modules; where the operator's go command is configured with no "
            "module proxy that can be reached, they cannot be installed. A vendor directory needs none."
        )
    return (
        Recipe(
            ecosystem="go",
            install=tuple(step for step, _ in steps),
            test_command=given.test_command or _TEST,
            source="; ".join(dict.fromkeys((f"{MANIFEST}:1", where))),
            inputs=tuple(path for path in _INPUTS if path in tree),
            confidence=1.0 if given.test_command else _FOUND if tests else _WITHOUT_TESTS,
            toolchain="go",
            environment=_ENVIRONMENT,
            hosts=given.hosts,
            unmet=(*unmet, *common.read(tree))[: common.MAX_SENTENCES],
            origins=(*(origin for _, origin in steps), where),
        ),
    )
