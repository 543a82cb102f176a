import sys

from sandbox.network.origin import Origin
from sandbox.registries import Registry, pip_registry
from sandbox.registries.pip import registry_from

INDEX = "https://index.example/simple"
FILES = "files.example"


def pointing_at(index: str) -> tuple[tuple[str, str], ...]:
    """What points pip, uv (its older versions too) and pdm at one index."""
    return tuple((name, index) for name in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "PDM_PYPI_URL"))


def test_without_configuration_pips_own_index_and_its_file_host_are_allowed_and_nothing_is_handed_in() -> None:
    assert registry_from({}, INDEX, FILES) == Registry(frozenset({Origin("index.example"), Origin(FILES)}))


def test_a_configured_index_replaces_the_default_and_is_handed_in() -> None:
    registry = registry_from({"global.index-url": "https://mirror.example:8443/simple"}, INDEX, FILES)
    assert registry.origins == {Origin("mirror.example", 8443)}
    assert registry.environment == pointing_at("https://mirror.example:8443/simple")


def test_the_environment_wins_over_files_as_it_does_in_pip() -> None:
    values = {"global.index-url": "https://file.example/", ":env:.index-url": "http://env.example/"}
    assert registry_from(values, INDEX, FILES).origins == {Origin("env.example", 80, tls=False)}


def test_extra_indexes_are_allowed_beside_the_default_and_local_directories_are_ignored() -> None:
    values = {"global.extra-index-url": "file:///srv/simple https://extra.example/simple"}
    registry = registry_from(values, INDEX, FILES)
    assert registry.origins == {Origin("index.example"), Origin(FILES), Origin("extra.example")}
    assert dict(registry.environment) == dict.fromkeys(
        ("PIP_EXTRA_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL"), "https://extra.example/simple"
    )
    assert registry_from({"global.index-url": "file:///srv/simple"}, INDEX, FILES) == registry_from({}, INDEX, FILES)


def test_credentials_never_leave_the_host() -> None:
    registry = registry_from({"global.index-url": "https://user:secret@mirror.example/simple"}, INDEX, FILES)
    assert registry.environment == pointing_at("https://mirror.example/simple")


def test_this_hosts_pip_names_an_index_and_no_interpreter_means_no_registry() -> None:
    assert pip_registry((sys.executable, "python3")).origins
    assert pip_registry(("/nonexistent/python",)) == Registry()
