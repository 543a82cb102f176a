"""What host and container say to each other: one secret line and a tar on stdin, a mark and a tar on stdout.

On stdin come a line with a secret, then a tar to unpack at /. Among its members is `COMMAND`, which says what to run,
and perhaps `REMOVED`. On stdout come `UNPACKED`, and, once the command has ended, the secret and a tar of results.
"""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from sandbox.spec import RunSpec

UNPACK_FAILED = 97
UNPACKED = b"+"
SECRET_BYTES = 32

GENERATED = "/env/.regreen/tree"
"""Files that an install made in the tree, as sandbox/guest/install.py keeps them: laid under the tree of every run."""

_DIRECTORY = "/regreen/init"
_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z", re.ASCII)

COMMAND = f"{_DIRECTORY}/command".removeprefix("/")
"""The member that the first process's child reads in as shell code, and removes, before it becomes the command."""
REMOVED = f"{_DIRECTORY}/removed".removeprefix("/")
"""A member that lists what to remove once the tar is unpacked: absolute paths, each followed by NUL."""

# The kernel lets nobody with the same user trace a process, or open its descriptors, whose program that user could not
# read when it started. So the first process goes on as a shell that nobody can read: its stdout is out of reach.
# gVisor runs no program that cannot be read, and guards memory, but not descriptors: there the secret alone tells what
# is ours.
_START = f"""workload=$PATH
PATH={_SYSTEM_PATH}
mkdir {_DIRECTORY} && cp /bin/sh {_DIRECTORY}/sh && chmod 0111 {_DIRECTORY}/sh || exit {UNPACK_FAILED}
{_DIRECTORY}/sh -c : 2>/dev/null || chmod 0555 {_DIRECTORY}/sh
exec {_DIRECTORY}/sh -c "$1" init "$workload" "$2" "$3" """

# What an install generated goes first, so that the tree, and what a patch removes of it, prevails.
#
# Written before any code of the workload runs, `UNPACKED` cannot be forged or kept back by it. The workload's own
# output goes to stderr. The secret is never exported, and leaves only when this process is alone: `kill` fails when it
# finds nobody, and the subshell's end lets the shell collect the dead. So whatever stands before the secret is not
# ours, and what follows it is: tar itself could be traced. Only the workload has its own variables and PATH: a
# preloaded library of the repository's would run in our tar.
_INIT = f"""workload=$1 collect=$2 cache=$3
unset secret
IFS= read -r secret || exit {UNPACK_FAILED}
[ ! -d {GENERATED} ] || cp -r {GENERATED}/. /repo || exit {UNPACK_FAILED}
tar -x -f - -C / --no-same-owner || exit {UNPACK_FAILED}
[ ! -f /{REMOVED} ] || xargs -0 rm -rf -- </{REMOVED} || exit {UNPACK_FAILED}
exec </dev/null
mkdir -p "$collect" && cd /repo || exit {UNPACK_FAILED}
printf {UNPACKED.decode()}
(. /{COMMAND}) >&2
code=$?
exec 2>/dev/null
while kill -9 -1; do (:); done
printf %s "$secret"
export TAR_OPTIONS=--format=gnu
tar -c -f - -C "$collect" .
[ -z "$cache" ] || tar -c -f - -C "$cache" .
exit $code"""


def entrypoint(collect: str, cache: str = "") -> list[str]:
    """The argv of the container's first process, the same for every command.

    It returns what `collect` holds, then, as a tar of its own, what `cache` does.
    """
    return ["/bin/sh", "-c", _START, "init", _INIT, collect, cache]


def command(spec: RunSpec) -> bytes:
    """The content of `COMMAND`: any argv and any values arrive exactly, NUL excepted, for which `ValueError` is raised.

    A variable whose name is no identifier is left out, as every shell does.
    """
    exports = [f"export {name}={_quoted(value)}" for name, value in spec.environment if _NAME.match(name)]
    words = " ".join(_quoted(word) for word in spec.command)
    lines = [f"rm -r {_DIRECTORY}", "PATH=$workload", *exports, f"exec {words}"]
    script = "\n".join(lines) + "\n"
    if "\0" in script:
        message = "neither a command nor a variable can hold NUL"
        raise ValueError(message)
    return script.encode("utf-8", "surrogateescape")


def removed(paths: Iterable[PurePosixPath]) -> bytes:
    """The content of `REMOVED`."""
    return b"".join(str(path).encode("utf-8", "surrogateescape") + b"\0" for path in paths)


def _quoted(word: str) -> str:
    # shlex.quote leaves plain words bare, and a bare word may be a keyword or a name with `=`.
    return "'" + word.replace("'", "'\"'\"'") + "'"
