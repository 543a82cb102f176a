"""Where symlinks of a tree lead, by their text alone: a test may be the target of a link, and be edited as that."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

ROOT = "repo"
"""The directory at / that the tree lies in when its tests run: an absolute or climbing link may lead back into it."""
MAX_STEPS = 1000
MAX_FOLLOWED = 20_000


def resolve(path: str, links: Mapping[str, str]) -> str | None:
    """The path in the tree that a path leads to; `None` for one that leaves the tree, or that leads in circles."""
    done: list[str] = [ROOT]
    todo = path.split("/")[::-1]
    for _ in range(MAX_STEPS):
        if not todo:
            return "/".join(done[1:]) if done[:1] == [ROOT] else None
        part = todo.pop()
        if part == "..":
            del done[-1:]
        elif part not in {"", "."}:
            done.append(part)
            target = links.get("/".join(done[1:])) if done[0] == ROOT else None
            if target is not None:
                done = [] if target.startswith("/") else done[:-1]
                todo += target.split("/")[::-1]
    return None


def reached(names: Iterable[str], links: Mapping[str, str]) -> frozenset[str]:
    """The paths that these names lead to through links; a name may be relative to any directory of the tree."""
    return frozenset(islice((end for path in _through(names, links) if (end := resolve(path, links))), MAX_FOLLOWED))


def _through(names: Iterable[str], links: Mapping[str, str]) -> Iterator[str]:
    below: dict[str, list[str]] = defaultdict(list)
    for name in names:
        parts = name.split("/")
        for depth in range(1, len(parts) + 1):
            below["/".join(parts[:depth])].append("".join(f"/{part}" for part in parts[depth:]))
    for link in links:
        parts = link.split("/")
        for at in range(len(parts)):
            yield from (link + rest for rest in below.get("/".join(parts[at:]), ()))
