"""What is installed: of everything that is declared and said, what the tests need, and the steps that bring it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sandbox.detect.python import locks, requirements
from sandbox.detect.python.declared import Declared, is_name, is_requirement, named, words
from sandbox.detect.python.installs import Wanted
from sandbox.spec import Tree

Step = tuple[str, ...]

VENV: Step = ("python3", "-m", "venv", "/env")
INSTALL: Step = ("python", "-m", "pip", "install")
_BESIDE_TESTS = frozenset(
    {"doc", "docs", "lint", "linting", "typing", "types", "mypy", "release", "publish", "packaging"}
)


@dataclass(frozen=True, slots=True)
class Choice:
    """Sets of requirements, and projects below the root; `installable` says that the root is a project itself."""

    declared: tuple[Declared, ...]
    projects: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    installable: bool = True

    @property
    def sources(self) -> tuple[str, ...]:
        """Where each was read."""
        return tuple(one.source for one in self.declared)

    @property
    def listed(self) -> tuple[str, ...]:
        """The files that pip is given."""
        return (*(path for one in self.declared for path in one.files), *self.constraints)

    def steps(self, tree: Tree, runner: Sequence[str], lock: locks.Lock | None) -> tuple[tuple[Step, str], ...]:
        """The steps, each with where it was read; `runner` is what runs the tests.

        This is where strangers' words become arguments: whatever is no name or no requirement is left out.
        """
        extras = sorted({extra for one in self.declared for extra in one.extras if is_name(extra)})
        found: list[tuple[Step, str]] = [(VENV, "always")]
        if lock is not None:
            known = set(locks.groups(tree, lock))
            groups = sorted({one.name for one in self.declared if one.name in known and is_name(one.name)})
            found += [(step, f"{lock.path}:1") for step in lock.steps(groups, extras)]
        if self.installable:
            # The modern editable hooks keep the metadata in /env, where the test phase finds it.
            place = f".[{','.join(extras)}]" if extras else "."
            asked = "; ".join(one.source for one in self.declared if one.extras)
            found.append(((*INSTALL, *self._constrained, "--use-pep517", "-e", place), asked or "the project itself"))
        found += [((*INSTALL, "-e", project), "a project below the root") for project in self.projects]
        listed = dict.fromkeys(path for one in self.declared for path in one.files)
        files = [argument for path in listed for argument in ("-r", path)]
        wanted = dict.fromkeys(requirement for one in self.declared for requirement in one.requirements)
        last = (*self._constrained, *files, *dict.fromkeys(filter(is_requirement, (*wanted, *runner))))
        if last:
            asked = "; ".join(one.source for one in self.declared if one.files or one.requirements)
            found.append(((*INSTALL, *last), asked or "what runs the tests"))
        return tuple(found)

    @property
    def _constrained(self) -> Step:
        return tuple(argument for path in self.constraints for argument in ("-c", path))


def choose(
    tree: Tree, declared: tuple[Declared, ...], wanted: Wanted | None, driven: Wanted, *, installable: bool
) -> Choice:
    """What is named after tests, else after development, else what drives the tests installs; and what is wanted.

    The names that are wanted are looked up among what is declared, so that each keeps where it was declared.
    """
    found = named(declared) or tuple(_said(driven, declared))
    said = tuple(_said(wanted, declared)) if wanted is not None else ()
    plain = requirements.plain(tree) if not (installable and (found or said)) else ()
    whole = tuple(dict.fromkeys((*plain, *found, *said)))
    if wanted is None:
        return Choice(whole, installable=installable)
    return Choice(whole, tuple(wanted.projects), tuple(wanted.constraints), installable)


def _said(wanted: Wanted, declared: tuple[Declared, ...]) -> Iterator[Declared]:
    """What commands install, as sets of requirements."""
    extras, groups = _named(wanted.extras, declared, extras=True), _named(wanted.groups, declared, extras=False)
    yield from (one for one in declared if one in extras or one in groups)
    for path, source in wanted.files.items():
        if not words(path) & _BESIDE_TESTS:
            yield Declared(path, source, files=(path,))
    # What one line says together is one set.
    for source in dict.fromkeys(wanted.requirements.values()):
        mine = tuple(one for one, where in wanted.requirements.items() if where == source)
        yield Declared("said", source, requirements=mine)


def _named(names: Iterable[str], declared: tuple[Declared, ...], *, extras: bool) -> list[Declared]:
    found = [one for one in declared if bool(one.extras) is extras and not one.files]
    if "*" in names:
        return [one for one in found if not words(one.name) & _BESIDE_TESTS]
    wanted = {_normal(name) for name in names}
    return [one for one in found if _normal(one.name) in wanted]


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")
