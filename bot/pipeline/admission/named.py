"""Files that a request names and that Regreen may not, or cannot, change. Read before the repository is fetched."""

import re
from collections.abc import Iterable

from bot.jobs import FixIssue, Job
from bot.pipeline.admission.values import Case, Refusal
from bot.pipeline.reports.markdown import code
from bot.pipeline.texts import Why
from bot.repair.sources.globs import Globs
from bot.repair.sources.stored import filtered, submodules

WORKFLOWS = Globs.of((
    "/.github/", "/.circleci/", "/.buildkite/", "/.woodpecker/", "/.gitlab/", "/.azure-pipelines/", "/.semaphore/",
    ".gitlab-ci.y*ml", ".travis.y*ml", ".drone.y*ml", ".woodpecker.y*ml", "azure-pipelines*.y*ml",
    "appveyor.y*ml", ".appveyor.y*ml", "cloudbuild.y*ml", ".cirrus.y*ml", "bitbucket-pipelines.y*ml", "jenkinsfile*",
))  # fmt: skip
"""What CI runs, matched against a path in small letters: GitHub refuses a push of a workflow by most Apps."""
MAX_TEXT = 20_000
MAX_NAMED = 50
MAX_SAID = 5
LONGEST_ENDING = 4
_PATH = re.compile(r"(?<![\w./@:-])\.{0,2}/?(?:[\w.@+-]{1,100}/){0,12}[\w.@+-]{0,100}\.[A-Za-z]\w{0,10}(?![\w/])")
_URL = re.compile(r"\b[a-z][a-z+.-]{1,20}://\S{1,2000}", re.IGNORECASE)


def out_of_reach(case: Case) -> Refusal | None:
    """Whether all that the request names is protected, in a submodule or in Git LFS.

    One file that may be changed is enough to go on: the others may merely show the fault.
    """
    paths = named(_text(case.job))
    if not paths:
        return None
    further = Globs.of(case.policy.protected)
    kept = [path for path in paths if WORKFLOWS.cover(path.casefold()) or further.cover(path)]
    if len(kept) == len(paths):
        return case.refused(Why.PROTECTED, paths=_listed(kept))
    modules = submodules(case.github.file(".gitmodules", case.facts.default_branch))
    inside = [path for path in paths if any(path == one or path.startswith(f"{one}/") for one in modules)]
    if inside and len(inside) == len(paths):
        return case.refused(Why.SUBMODULE, paths=_listed(inside))
    stored = filtered(case.github.file(".gitattributes", case.facts.default_branch))
    large = [path for path in paths if stored.cover(path)]
    return case.refused(Why.LFS, paths=_listed(large)) if large and len(large) == len(paths) else None


def named(text: str) -> tuple[str, ...]:
    """What looks like a path in a text, relative to the root, without addresses; at most 50, in order."""
    found: dict[str, None] = {}
    for match in _PATH.finditer(_URL.sub(" ", text[:MAX_TEXT])):
        path = match[0].removeprefix("./").lstrip("/")
        if not path.startswith("../") and ("/" in path or path.startswith(".") or _has_ending(path)):
            found[path] = None
    return tuple(found)[:MAX_NAMED]


def _has_ending(path: str) -> bool:
    """Whether a name without a directory is rather a file's than a call, a version or the end of a sentence."""
    stem, _, ending = path.rpartition(".")
    return "." not in stem and ending.isalpha() and len(ending) <= LONGEST_ENDING


def _text(job: Job) -> str:
    return f"{job.title}\n{job.body}" if isinstance(job, FixIssue) else ""


def _listed(paths: Iterable[str]) -> str:
    return ", ".join([code(path) for path in paths][:MAX_SAID])
