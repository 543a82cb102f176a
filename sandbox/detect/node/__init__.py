"""Node with npm: packages at /env/node, tests by `node --test`, jest, vitest or mocha."""

from sandbox.detect import needs as common
from sandbox.detect.node import packages
from sandbox.detect.node.manifest import PATH, Manifest, read
from sandbox.detect.node.runners import Found, find, is_client
from sandbox.detect.node.runners import tests as test_files
from sandbox.spec import Given, Recipe, Tree

_FOUND = 0.95
_WITHOUT_LOCK = 0.7
_WITHOUT_TESTS = 0.3
_BESIDE_PYTHON = 0.5
"""Where Python has tests, too, it goes first."""

_PYTHON = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")


def recipes(tree: Tree, given: Given) -> tuple[Recipe, ...]:
    """The recipe of a tree with a package.json, none where no test runner that is known here is found."""
    if PATH not in tree and not is_client(given.test_command):
        return ()
    manifest = read(tree)
    found = find(tree, manifest, given.test_command)
    if found is None:
        return ()
    steps = packages.steps(tree, manifest, given)
    command_source = given.command_origin if given.test_command else found.source
    lock = packages.lock(tree)
    return (
        Recipe(
            ecosystem=found.kind,
            install=tuple(step for step, _ in steps),
            test_command=found.command,
            source="; ".join(
                dict.fromkeys([*([] if given.setup else [origin for _, origin in steps[1:2]]), command_source])
            ),
            inputs=packages.inputs(tree),
            confidence=_confidence(tree, manifest, given, found),
            toolchain="node",
            environment=found.environment,
            hosts=given.hosts,
            unmet=(*packages.unmet(tree, manifest, lock), *found.unmet, *common.read(tree))[: common.MAX_SENTENCES],
            origins=(*(origin for _, origin in steps), command_source),
        ),
    )


def _confidence(tree: Tree, manifest: Manifest, given: Given, found: Found) -> float:
    if given.test_command:
        return 1.0
    if any(path in tree for path in _PYTHON) and any(_is_python_test(path) for path in tree):
        return _BESIDE_PYTHON
    if not (found.told or test_files(tree)):
        return _WITHOUT_TESTS
    return _FOUND if packages.lock(tree) or not manifest.wanted else _WITHOUT_LOCK


def _is_python_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.endswith("_test.py") or (name.startswith("test_") and name.endswith(".py"))
