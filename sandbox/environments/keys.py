"""What an environment is named by: everything that decides its content, and whose it is."""

import hashlib
import json

from sandbox.spec import Recipe, Tree

_LAYOUT_VERSION = 4
"""Part of every key: raise it when the way an environment is built changes."""

_PACKAGE_DEPTH = 2


def tree_digest(tree: Tree) -> str:
    """64 hexadecimal digits over every path, mode and content."""
    digest = hashlib.sha256()
    for path, file in sorted(tree.items()):
        name = path.encode("utf-8", "surrogateescape")
        digest.update(b"%d %d %o\0%b%b" % (len(name), len(file.data), file.mode, name, file.data))
    return digest.hexdigest()


def key_of_tree(key: str, digest: str) -> str:
    """The key of an environment that serves one tree only."""
    return hashlib.sha256(f"{key} {digest}".encode()).hexdigest()[:32]


def environment_key(base_id: str, identity: str, tree: Tree, recipe: Recipe) -> str:
    """32 hexadecimal digits over the base image, the repository's identity, and what of tree and recipe counts.

    `identity` is what no other repository ever has, not even a later one of the same name.
    """
    inputs = {path: hashlib.sha256(tree[path].data).hexdigest() for path in recipe.inputs if path in tree}
    # An editable install may list the packages that it found, so a new one needs a new environment.
    packages = sorted(path for path in tree if path.endswith("/__init__.py") and path.count("/") <= _PACKAGE_DEPTH)
    how = [recipe.ecosystem, recipe.toolchain, recipe.install, recipe.environment, sorted(recipe.hosts)]
    parts = [_LAYOUT_VERSION, base_id, identity, how, inputs, packages]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
