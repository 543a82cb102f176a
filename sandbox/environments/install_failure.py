"""What is said of an install that did not succeed: the step, the refused hosts, the log's last and telling lines."""

import errno
import os
import shlex

from sandbox.containers.policy import CACHE
from sandbox.environments.install_log import headline, shown
from sandbox.errors import InstallFailedError
from sandbox.network.decisions import Refusals
from sandbox.spec import MIB, Limits, Recipe, RunResult, Verdict

FIRST_STEP = 64
"""The exit code of a failed first step, as sandbox/guest/install.py has it."""

_LOG_LINES = 30
_LOG_LINE = 500
_LOG = 4000
_STEP = 500
_SOURCE = 500
_REFUSED = 2500
_FULL = os.strerror(errno.ENOSPC)
_VERDICTS = {
    Verdict.TIMEOUT: "took too long",
    Verdict.OUTPUT_LIMIT: "flooded its output",
    Verdict.RESULT_LIMIT: "left an environment that is too large",
    Verdict.OOM: "ran out of memory",
    Verdict.FORGED: "wrote to where only the sandbox writes",
}


def failure(recipe: Recipe, result: RunResult, refused: Refusals, limits: Limits) -> InstallFailedError:
    """The error to raise for such a result."""
    step = (result.exit_code or 0) - FIRST_STEP
    where = shlex.join(recipe.install[step]) if 0 <= step < len(recipe.install) else "the set-up"
    output = result.output.decode("utf-8", "replace")
    full = _FULL in output
    how = _VERDICTS.get(result.verdict) or ("ran out of room" if full else "failed")
    log = "\n".join(shown(output, _LOG_LINES, _LOG_LINE))[-_LOG:]
    hosts = f"\nHosts that the sandbox refused: {', '.join(refused.shown)[:_REFUSED]}" if refused.shown else ""
    remedy = f"Correct what is declared ({recipe.source[:_SOURCE]})."
    if refused.unlisted or refused.private:
        remedy = "If the repository needs them, add them to the allowed hosts, private ones to the private hosts too."
    elif full or result.verdict is Verdict.RESULT_LIMIT:
        remedy = (
            f"Install less for the tests: there are {limits.results // MIB} MiB for the environment and "
            f"{limits.scratch // MIB} MiB for temporary files."
        )
    cause = f"`{where[:_STEP]}` {how}{hosts}\nThe log's last lines:\n{log}"
    return InstallFailedError(cause, remedy, refused.unlisted, refused.private, headline(output)[:_LOG_LINE])


def may_be_the_cache(result: RunResult, *, warm: bool) -> bool:
    """Whether an install that failed with a package cache may succeed without; `warm` says that it held anything."""
    if result.verdict is Verdict.RESULT_LIMIT:
        return True
    output = result.output.decode("utf-8", "replace")
    full = any(_FULL in line and f"{CACHE}/" in line for line in output.splitlines())
    return result.verdict is Verdict.EXITED and (warm or full)
