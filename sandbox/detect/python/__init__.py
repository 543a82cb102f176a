"""Python with pytest, which runs unittest suites too: environment at /env, the project installed editable."""

from itertools import pairwise

from sandbox.detect import needs as common
from sandbox.detect.python import inputs, legacy, locks, needs, pyproject, pytest_options, requirements, stories
from sandbox.detect.python.choice import Choice, choose
from sandbox.detect.python.declared import Declared
from sandbox.detect.python.stories import Story
from sandbox.detect.python.suites import PYTEST, Suite
from sandbox.detect.variables import kept
from sandbox.spec import Given, Recipe, Tree

UNITTEST = "unittest"
_WITHOUT_TESTS = 0.3
_GUESSED = 0.6
_TOLD = 0.9
_LOCKED = 0.95


def recipes(tree: Tree, given: Given) -> tuple[Recipe, ...]:
    """The recipes of a Python tree, best first: none where it has neither a manifest, nor a test, nor a given command.

    With what a lock file pins; with what the repository's automation installs beside what its manifests declare; with
    what they declare alone.
    """
    installable = pyproject.installable(tree) or legacy.installable(tree)
    tests = _tests(tree)
    if not (installable or tests or given.test_command or requirements.everywhere(tree)):
        return ()
    declared = (*pyproject.read(tree), *legacy.read(tree), *requirements.read(tree))
    found = _Found(tree, given, tests, declared, stories.read(tree, tests), installable=installable)
    return tuple(found.recipes())


def _tests(tree: Tree) -> list[str]:
    names = ((path, path.rpartition("/")[2]) for path in tree)
    return sorted(
        path
        for path, name in names
        if name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py") or name == "tests.py")
    )


class _Found:
    """Everything that was read, from which the recipes are put together."""

    def __init__(
        self,
        tree: Tree,
        given: Given,
        tests: list[str],
        declared: tuple[Declared, ...],
        story: Story,
        *,
        installable: bool,
    ) -> None:
        self.tree, self.given, self.tests, self.story = tree, given, tests, story
        self.declared, self.installable = declared, installable
        self.options = pytest_options.read(tree)
        said = (*needs.read(tree), *common.read(tree, story.services), *needs.system(story.system))
        self.needs = said[: common.MAX_SENTENCES]
        self.suite = self._suite()

    def _suite(self) -> Suite | None:
        """What automation runs; unittest's own runner only where nothing is set up for pytest."""
        told = self.story.suite
        return None if told is not None and told.ecosystem == UNITTEST and self.options.source else told

    def recipes(self) -> list[Recipe]:
        lock = locks.find(self.tree)
        alone = choose(self.tree, self.declared, None, self.story.driven, installable=self.installable)
        if self.given.setup:
            return [self._recipe(alone, _TOLD)]
        whole = choose(self.tree, self.declared, self.story.wanted, self.story.driven, installable=self.installable)
        found = []
        if lock is not None and not needs.excludes(needs.python(self.tree)[1]):
            found.append(self._recipe(whole, _LOCKED, lock))
        found.append(self._recipe(whole, _TOLD if self.suite else _GUESSED))
        if alone != whole:
            found.append(self._recipe(alone, _GUESSED))
        return found

    def _recipe(self, choice: Choice, confidence: float, lock: locks.Lock | None = None) -> Recipe:
        given = self.given
        command, command_source, environment, ecosystem = self._command()
        runner = () if ecosystem == UNITTEST else (*self.options.of(command), "pytest")
        steps = choice.steps(self.tree, runner, lock)
        install = given.setup or tuple(step for step, _ in steps)
        origins = [given.source] * len(install) if given.setup else [origin for _, origin in steps]
        sources = [] if given.setup else [lock.path + ":1"] if lock else []
        sources += [*choice.sources, given.command_origin if given.test_command else command_source]
        return Recipe(
            ecosystem=ecosystem,
            install=install,
            test_command=command,
            source="; ".join(dict.fromkeys(filter(None, sources))) or "no configuration",
            inputs=inputs.decisive(self.tree, choice.listed),
            confidence=confidence if self.tests or given.test_command else _WITHOUT_TESTS,
            environment=environment,
            hosts=given.hosts,
            unmet=self.needs,
            origins=(*origins, given.command_origin if given.test_command else command_source or "by convention"),
        )

    def _command(self) -> tuple[tuple[str, ...], str, tuple[tuple[str, str], ...], str]:
        """The test command, where it is from, its variables and its ecosystem."""
        told = self.options.source or (f"{self.tests[0]}:1" if self.tests else "")
        if given := self.given.test_command:
            return given, self.given.command_origin, (), UNITTEST if ("-m", UNITTEST) in pairwise(given) else "python"
        if self.suite is None:
            return PYTEST, told, (), "python"
        variables = dict(sorted(kept(self.suite.environment)))
        # Our plugin's own place is put in front of this one, and it is the command that carries it.
        path = variables.pop("PYTHONPATH", "")
        command = ("env", f"PYTHONPATH={path}", *self.suite.command) if path else self.suite.command
        return command, self.suite.source, tuple(variables.items()), self.suite.ecosystem
