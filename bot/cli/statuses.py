"""The exit statuses of every command; `docs/reference/cli.md` and `regreen --help` say them from here."""

from enum import IntEnum


class Status(IntEnum):
    """How a command ended, for scripts."""

    DONE = 0
    NOT_GOOD = 1
    WRONG_USAGE = 2
    COULD_NOT_RUN = 3
    INTERRUPTED = 130
    PIPE_CLOSED = 141
    TERMINATED = 143


MEANINGS = {
    Status.DONE: "done: the fix was found, the patch passes, the check holds, the wish was granted",
    Status.NOT_GOOD: "the command ran and its answer is no: no fix, a gate not passed, something broken or different",
    Status.WRONG_USAGE: "wrong usage: an option, a path or a number that there is none of; nothing was done",
    Status.COULD_NOT_RUN: "it could not run or not go on: a setting, the engine, GitHub, a model or the store",
    Status.INTERRUPTED: "ended with Ctrl-C",
    Status.PIPE_CLOSED: "whoever read its output went away, as `head` does",
    Status.TERMINATED: "ended with SIGTERM; server and worker end with 0 then, since that is how they are stopped",
}
