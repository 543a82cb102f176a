"""pytest's configuration: where it is, and which plugins its options presuppose."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sandbox.detect.python.declared import plain_requirements
from sandbox.detect.python.legacy import ini
from sandbox.detect.python.pyproject import load, table
from sandbox.detect.reading import source, text
from sandbox.spec import Tree

_BY_OPTION = {
    "--cov": "pytest-cov",
    "--no-cov": "pytest-cov",
    "-n": "pytest-xdist",
    "--numprocesses": "pytest-xdist",
    "--dist": "pytest-xdist",
    "--timeout": "pytest-timeout",
    "--benchmark": "pytest-benchmark",
    "--reruns": "pytest-rerunfailures",
    "--asyncio": "pytest-asyncio",
}
_BY_SETTING = {
    "asyncio_mode": "pytest-asyncio",
    "timeout": "pytest-timeout",
    "django_settings_module": "pytest-django",
    "env": "pytest-env",
    "mock_use_standalone_module": "pytest-mock",
}


@dataclass(frozen=True, slots=True)
class PytestOptions:
    """`source` is `file:line`, empty where pytest is not configured."""

    source: str = ""
    plugins: tuple[str, ...] = ()

    def of(self, command: tuple[str, ...]) -> tuple[str, ...]:
        """The plugins that the configuration and a command's own options presuppose, sorted."""
        return tuple(sorted({*self.plugins, *_plugins_of(command)}))


def read(tree: Tree) -> PytestOptions:
    """The configuration that pytest itself would choose (docs.pytest.org, "Initialization: determining rootdir")."""
    for path, section, settings in _candidates(tree):
        if settings is not None:
            return PytestOptions(source(path, text(tree, path), f"[{section}"), tuple(_plugins(settings)))
    return PytestOptions()


def _candidates(tree: Tree) -> Iterator[tuple[str, str, dict[str, object] | None]]:
    for path in ("pytest.ini", ".pytest.ini"):
        if path in tree:
            yield path, "pytest]", dict(ini(tree, path).get("pytest", {}))
    tool = table(load(tree), "tool", "pytest")
    if tool:
        yield "pyproject.toml", "tool.pytest", {**tool, **table(tool, "ini_options")}
    for path, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        settings = ini(tree, path).get(section)
        yield path, section, None if settings is None else dict(settings)


def _plugins(settings: dict[str, object]) -> Iterator[str]:
    options = settings.get("addopts", "")
    words = options.split() if isinstance(options, str) else list(plain_words(options))
    found = _plugins_of(words)
    found |= {_BY_SETTING[name.lower()] for name in settings if name.lower() in _BY_SETTING}
    required = settings.get("required_plugins", "")
    found |= set(plain_requirements(required.split() if isinstance(required, str) else required))
    yield from sorted(found)


def _plugins_of(words: Iterable[str]) -> set[str]:
    return {
        plugin
        for word in words
        for option, plugin in _BY_OPTION.items()
        if word.startswith(option) and (option != "-n" or not word[2:3].isalpha() or word[2:] == "auto")
    }


def plain_words(values: object) -> Iterator[str]:
    """The texts in a list."""
    if isinstance(values, list):
        yield from (value for value in values if isinstance(value, str))
