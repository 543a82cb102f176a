"""Python with pytest, which runs unittest suites too: environment at /env, the project installed editable."""

from sandbox.detect.python import inputs, legacy, pyproject, pytest_options, requirements
from sandbox.detect.python.declared import Declared, named
from sandbox.spec import Given, Recipe, Tree

PYTHON = ("python", "-m")
_VENV = ("python3", "-m", "venv", "/env")
_INSTALL = (*PYTHON, "pip", "install")


def recipe(tree: Tree, given: Given) -> Recipe | None:
    """The recipe of a Python tree, `None` where there is neither a manifest, nor a test, nor a given command."""
    test_command = given.test_command
    installable = pyproject.installable(tree) or legacy.installable(tree)
    tests = _tests(tree)
    if not (installable or tests or test_command or requirements.everywhere(tree)):
        return None
    chosen = _chosen(tree, installable=installable)
    options = pytest_options.read(tree)
    command_source = options.source or (f"{tests[0]}:1" if tests else "")
    sources = [*(one.source for one in chosen), given.source if test_command else command_source]
    return Recipe(
        ecosystem="python",
        install=given.setup or _install(chosen, options.plugins, installable=installable),
        test_command=test_command or (*PYTHON, "pytest"),
        source="; ".join(dict.fromkeys(filter(None, sources))) or "no configuration",
        inputs=inputs.decisive(tree, (path for one in chosen for path in one.files)),
        confidence=1.0 if tests or test_command else 0.3,
        hosts=given.hosts,
    )


def _chosen(tree: Tree, *, installable: bool) -> tuple[Declared, ...]:
    """What declares the test requirements: what is named after tests, else after development, else the next best."""
    declared = (*pyproject.read(tree), *legacy.read(tree), *requirements.read(tree))
    found = named(declared) or legacy.tox(tree)
    plain = requirements.plain(tree) if not (installable and found) else ()
    return (*plain, *found)


def _install(
    chosen: tuple[Declared, ...], plugins: tuple[str, ...], *, installable: bool
) -> tuple[tuple[str, ...], ...]:
    steps: list[tuple[str, ...]] = [_VENV]
    if installable:
        extras = sorted({extra for one in chosen for extra in one.extras})
        # The modern editable hooks keep the metadata in /env, where the test phase finds it.
        steps.append((*_INSTALL, "--use-pep517", "-e", f".[{','.join(extras)}]" if extras else "."))
    files = [argument for one in chosen for path in one.files for argument in ("-r", path)]
    wanted = dict.fromkeys(requirement for one in chosen for requirement in one.requirements)
    steps.append((*_INSTALL, *files, *wanted, *plugins, "pytest"))
    return tuple(steps)


def _tests(tree: Tree) -> list[str]:
    names = ((path, path.rpartition("/")[2]) for path in tree)
    return sorted(
        path
        for path, name in names
        if name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py") or name == "tests.py")
    )
