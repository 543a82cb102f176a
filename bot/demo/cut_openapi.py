"""Cuts GitHub's official OpenAPI description to the operations that this project uses.

Run by hand, never while building:

    npm pack @octokit/openapi && tar xzf octokit-openapi-*.tgz
    python -m bot.demo.cut_openapi package/generated/api.github.com.json bot/demo/openapi.json.gz

Origin: https://github.com/octokit/openapi (MIT, Octokit contributors), which packages
https://github.com/github/rest-api-description (MIT, GitHub). The licence stands in openapi.LICENSE,
the version in the cut's `info`.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

OPERATIONS = frozenset(
    f"{group}/{name}"
    for group, names in {
        "apps": (
            "get-authenticated get-by-slug list-installations get-installation get-repo-installation "
            "delete-installation suspend-installation unsuspend-installation "
            "create-installation-access-token revoke-installation-access-token list-repos-accessible-to-installation "
            "list-webhook-deliveries get-webhook-delivery redeliver-webhook-delivery "
            "get-webhook-config-for-app update-webhook-config-for-app create-from-manifest"
        ),
        "repos": (
            "get list-branches get-branch get-content list-commits get-commit compare-commits-with-basehead merge "
            "get-collaborator-permission-level check-collaborator list-collaborators "
            "get-combined-status-for-ref list-commit-statuses-for-ref create-commit-status "
            "list-pull-requests-associated-with-commit get-branch-rules list-forks"
        ),
        "issues": (
            "create get update list-for-repo add-assignees remove-assignees list-events-for-timeline "
            "add-labels set-labels remove-label list-labels-on-issue "
            "list-labels-for-repo create-label get-label update-label delete-label "
            "create-comment get-comment update-comment delete-comment list-comments list-comments-for-repo"
        ),
        "reactions": "create-for-issue create-for-issue-comment create-for-pull-request-review-comment",
        "git": (
            "get-ref list-matching-refs create-ref update-ref delete-ref "
            "create-blob get-blob create-tree get-tree create-commit get-commit"
        ),
        "pulls": (
            "create get update list list-files list-commits merge check-if-merged update-branch "
            "request-reviewers list-requested-reviewers "
            "create-review get-review update-review list-reviews submit-review dismiss-review "
            "list-comments-for-review create-review-comment create-reply-for-review-comment get-review-comment "
            "update-review-comment delete-review-comment list-review-comments list-review-comments-for-repo"
        ),
        "checks": (
            "create update get list-for-ref list-for-suite list-annotations rerequest-run "
            "get-suite list-suites-for-ref rerequest-suite"
        ),
        "actions": (
            "get-job-for-workflow-run download-job-logs-for-workflow-run re-run-job-for-workflow-run "
            "list-workflow-runs-for-repo get-workflow-run list-jobs-for-workflow-run re-run-workflow "
            "re-run-workflow-failed-jobs cancel-workflow-run download-workflow-run-logs"
        ),
        "rate-limit": "get",
        "users": "get-by-username get-authenticated",
        "meta": "get",
    }.items()
    for name in names.split()
)
EXAMPLES = frozenset({"full-repository-default-response"})
CHATTER = frozenset({"example", "examples", "x-github", "x-octokit", "externalDocs", "description", "summary", "title"})


def cut(whole: dict[str, Any]) -> dict[str, Any]:
    """Keep only `OPERATIONS`, what they refer to, and `EXAMPLES`. Raises `KeyError` where one is missing."""
    paths: dict[str, Any] = {}
    found: set[str] = set()
    for path, item in whole["paths"].items():
        kept = {m: o for m, o in item.items() if isinstance(o, dict) and o.get("operationId") in OPERATIONS}
        found |= {operation["operationId"] for operation in kept.values()}
        if kept:
            paths[path] = _strip(kept | {k: v for k, v in item.items() if k == "parameters"})
    if missing := OPERATIONS - found:
        raise KeyError(f"The description lacks {sorted(missing)}")
    components = _closure(paths, whole["components"])
    examples = whole["components"]["examples"]
    components["examples"] = {name: {"value": examples[name]["value"]} for name in EXAMPLES}
    info = {key: whole["info"][key] for key in ("title", "version", "license")}
    return {"openapi": whole["openapi"], "info": info, "paths": paths, "components": components}


def _closure(paths: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    waiting = set(_references(paths))
    while waiting:
        section, name = waiting.pop().split("/", 3)[2:]
        if name not in kept.setdefault(section, {}):
            kept[section][name] = _strip(components[section][name])
            waiting |= set(_references(kept[section][name]))
    return kept


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _strip(node: Any, *, names: bool = False) -> Any:
    """Drop the prose. Below `properties` the keys are names, and one may be called `description`."""
    if isinstance(node, dict):
        return {
            k: _strip(v, names=k == "properties" and not names) for k, v in node.items() if names or k not in CHATTER
        }
    if isinstance(node, list):
        return [_strip(value) for value in node]
    return node


def main(source: Path, target: Path) -> None:
    """Read the whole description, write the cut, compressed without a time stamp so that a second run is identical."""
    text = json.dumps(cut(json.loads(source.read_bytes())), separators=(",", ":"), sort_keys=True)
    target.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
