"""How a Node project's packages are installed: by npm in a copy of the tree, of which only they are kept.

The copy lies at /env/node, since the test phase gets a fresh tree; sandbox/guest/node_run.py links them into it.
"""

from itertools import islice

from sandbox.detect.node import engines
from sandbox.detect.node.manifest import PATH, Manifest
from sandbox.spec import Given, Tree

_LOCKS = ("package-lock.json", "npm-shrinkwrap.json")
_FOREIGN = ("pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb")
_WORKSPACE_FILES = ("pnpm-workspace.yaml", ".npmrc", "lerna.json")
_ENTER = "cd /env/node && "
_COPY = ("sh", "-c", "mkdir -p /env/node && cp -a . /env/node")
_ONLY_PACKAGES = ("sh", "-c", f"{_ENTER}find . -name node_modules -prune -o ! -type d -exec rm -f {{}} +")
_KEEP = (
    "sh", "-c",
    "mkdir -p /env/node && find . -name node_modules -type d -prune -exec cp -a --parents {} /env/node ';'",
)  # fmt: skip
_QUIET = "--no-audit --no-fund --no-update-notifier"
_OF_GIT = ("git+", "git:", "github:", "gitlab:", "bitbucket:", "git@", "ssh:")
_MAX_INPUTS = 200

Step = tuple[tuple[str, ...], str]


def lock(tree: Tree) -> str:
    """The lock file of npm, empty where there is none."""
    return next((path for path in reversed(_LOCKS) if path in tree), "")


def steps(tree: Tree, manifest: Manifest, given: Given) -> list[Step]:
    """The install steps, each with where it was read; none where nothing is to be installed."""
    if given.setup:
        return [*((step, given.source) for step in given.setup), (_KEEP, "to keep what was installed")]
    locked = lock(tree)
    if not (locked or manifest.wanted or manifest.workspaces):
        return []
    how = f"npm ci {_QUIET}" if locked else f"npm install {_QUIET} --no-package-lock"
    install = ("sh", "-c", f"{_ENTER}{how}")
    origin = f"{locked}:1" if locked else manifest.line("devDependencies" if "devDep" in manifest.content else "name")
    return [(_COPY, "to keep what is installed"), (install, origin), (_ONLY_PACKAGES, "to keep what is installed")]


def inputs(tree: Tree) -> tuple[str, ...]:
    """The manifests of all packages of a workspace, and the lock files."""
    named = {*_LOCKS, *_FOREIGN, *_WORKSPACE_FILES}
    manifests = (path for path in tree if path.rpartition("/")[2] == PATH and "node_modules" not in path.split("/"))
    return tuple(sorted({*islice(sorted(manifests), _MAX_INPUTS), *(named & set(tree))}))


def unmet(tree: Tree, manifest: Manifest, locked: str) -> tuple[str, ...]:
    """What npm cannot do for this tree, a sentence each."""
    said = [*engines.unmet(tree, manifest)]
    foreign = next((path for path in _FOREIGN if path in tree), "")
    if foreign and not locked:
        who = f" ({manifest.manager} is asked for)" if manifest.manager else ""
        said.append(f"{foreign}:1 is not used{who}: npm installs what package.json allows, perhaps in other versions.")
    if "pnpm-workspace.yaml" in tree or any(value.startswith("workspace:") for value in manifest.wanted.values()):
        said.append(
            "A workspace of pnpm or yarn is asked for; npm knows no `workspace:` versions, so it may not install."
        )
    remote = sorted(name for name, value in manifest.wanted.items() if value.startswith(_OF_GIT))
    if remote:
        said.append(f"{', '.join(remote[:5])}: packages from git repositories cannot be fetched in the sandbox.")
    return tuple(said)
