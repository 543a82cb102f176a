"""Repositories that cannot be set up or tested, in real containers: the final comment names the cause and a remedy."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import docker
import pytest
from fakes_bad import assert_said, assert_whole
from fakes_bad_repository import REPOSITORY, REQUIREMENTS, Ended, FakeTrees, hosting, run_job

from bot.adapters.environments import DockerEnvironments
from bot.demo import network
from bot.jobs import State
from bot.settings import Settings
from bot.wiring.sandbox import build_sandbox, install_settings
from sandbox.containers.engine import DockerEngine
from sandbox.environments.images import EnvironmentImages
from sandbox.spec import MIB, Given

# The egress proxy runs in this process, and reaches the registry that this machine's pip names.
pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.enable_socket]

JobOn = Callable[..., Ended]
TESTS = "tests/test_it.py"


@pytest.fixture(scope="session")
def settings(
    base_image: str, docker_host: str, ca_bundle: Path | None, tmp_path_factory: pytest.TempPathFactory
) -> Settings:
    """Short times and little memory."""
    return Settings(
        data_dir=tmp_path_factory.mktemp("bad"),
        sandbox_base_image=base_image,
        docker_host=docker_host,
        ca_bundle=ca_bundle,
        private_hosts=tuple(network.private_hosts(network.registry_hosts())),
        suite_timeout=30,
        install_timeout=120,
        sandbox_memory_mib=128,
    )


@pytest.fixture(scope="session")
def environment(engine: DockerEngine, settings: Settings) -> Iterator[str]:
    """The image that every repository here is tested in, unless its own requirements are what is bad."""
    github = hosting(REQUIREMENTS)
    commit = github.branches["main"]
    environments = build_sandbox(settings, FakeTrees(github)).environments
    reference = environments.image(environments.prepare(REPOSITORY, commit, Given()))
    yield reference
    engine.remove_image(reference)


@pytest.fixture
def job_on(settings: Settings) -> JobOn:
    """Runs the job of a repository with these files, under settings that are changed so."""

    def run(files: Mapping[str, str], **changes: object) -> Ended:
        github = hosting(files)
        sandbox = build_sandbox(settings.model_copy(update=changes), FakeTrees(github))
        return run_job(github, sandbox.environments, sandbox.workspace)

    return run


@dataclass(frozen=True)
class Bad:
    """A suite, and what its final comment must say: the cause, the remedy, and evidence from the run."""

    files: Mapping[str, str]
    stop: str
    cause: str
    remedy: str
    evidence: str = ""


SUITES = {
    "no tests": Bad(
        {"shop.py": "PRICE = 1\n"},
        "NoTests",
        "No test was collected (exit code 5)",
        "Add tests, or name the command that runs them (test_command in .github/regreen.yml)",
        "collected 0 items",
    ),
    "import error": Bad(
        {TESTS: "import no_such_module\n\n\ndef test_a():\n    pass\n"},
        "CollectionFailed",
        "Tests could not be collected (exit code 2)",
        "Make the tests importable with the dependencies that the repository declares",
        "tests/test_it.py: ModuleNotFoundError: No module named 'no_such_module'",
    ),
    "conftest that fails": Bad(
        {"conftest.py": "import no_such_module\n", TESTS: "def test_a():\n    pass\n"},
        "CollectionFailed",
        "Tests could not be collected (exit code 4)",
        "Make the tests importable",
        "conftest.py: ModuleNotFoundError: No module named 'no_such_module'",
    ),
    "conftest that ends the interpreter": Bad(
        {"conftest.py": "import os\n\nos._exit(0)\n", TESTS: "def test_a():\n    pass\n"},
        "SuiteOutput",
        "The run ended without handing over its results (exit code 0)",
        "that no test ends the process itself",
    ),
    "a test that ends the interpreter": Bad(
        {TESTS: "import os\n\n\ndef test_a():\n    os._exit(0)\n"},
        "SuiteOutput",
        "Results, exit code and collected count contradict each other (exit code 0)",
        "Look for a test, a set-up file or a plugin that ends the process",
        TESTS,
    ),
    "200 MB of output": Bad(
        {TESTS: "def test_talks():\n    for _ in range(200):\n        print('x' * (1 << 20))\n    assert False\n"},
        "SuiteOutput",
        "The run flooded its output and was ended",
        "Find the test that prints without end",
        "test_talks",
    ),
    "memory hog": Bad(
        {TESTS: "def test_takes():\n    taken = []\n    while True:\n        taken.append(b'x' * (1 << 24))\n"},
        "SuiteOutput",
        "The run used up its memory and was ended",
        "Find the test that takes it, or allow the suite more memory (REGREEN_SANDBOX_MEMORY_MIB)",
        TESTS,
    ),
}


@pytest.mark.parametrize("bad", SUITES.values(), ids=SUITES)
@pytest.mark.usefixtures("environment")
def test_a_suite_that_cannot_be_measured_is_described(job_on: JobOn, bad: Bad) -> None:
    ended = job_on({**REQUIREMENTS, **bad.files})
    text = assert_said(ended.comments, bad.cause, bad.remedy)
    assert bad.evidence in text
    assert ended.outcome.stop == bad.stop
    assert_whole(ended.journal.events, ended.outcome, State.FAILED)


def test_a_suite_that_hangs_is_ended_and_no_container_outlives_it(
    job_on: JobOn, environment: str, docker_host: str
) -> None:
    hanging = "import time\n\n\ndef test_waits():\n    time.sleep(600)\n"
    ended = job_on({**REQUIREMENTS, TESTS: hanging}, suite_timeout=3)
    text = assert_said(
        ended.comments, "The run hung and was ended after 3 s", "allow the suite more time (REGREEN_SUITE_TIMEOUT)"
    )
    assert TESTS in text
    assert ended.outcome.stop == "SuiteTimeout"
    assert_whole(ended.journal.events, ended.outcome, State.FAILED)
    client = docker.APIClient(base_url=docker_host)
    try:
        assert client.containers(all=True, filters={"ancestor": environment}) == []
    finally:
        client.close()


SET_UPS = {
    "no such package": Bad(
        {"requirements.txt": "regreen-no-such-package-0a1b2c==1\n", TESTS: "def test_a():\n    pass\n"},
        "SetUp",
        "`python -m pip install -r requirements.txt pytest` failed",
        "Correct what is declared (requirements.txt:1; tests/test_it.py:1)",
        "ERROR: No matching distribution found for regreen-no-such-package-0a1b2c==1",
    ),
    "pyproject.toml that is no TOML": Bad(
        {"pyproject.toml": "[project\nname = 'x'\n", TESTS: "def test_a():\n    pass\n"},
        "SetUp",
        "pyproject.toml is no valid TOML: Expected ']' at the end of a table declaration (at line 1, column 9)",
        "Correct the file",
    ),
    "nothing to test": Bad(
        {"README.md": "words\n"},
        "SetUp",
        "There is no Python project here",
        "Add tests that pytest finds (test_*.py), or name `test_command`",
    ),
}


@pytest.mark.parametrize("bad", SET_UPS.values(), ids=SET_UPS)
def test_a_set_up_that_fails_is_described(job_on: JobOn, bad: Bad) -> None:
    ended = job_on(bad.files)
    text = assert_said(ended.comments, bad.cause, bad.remedy)
    assert bad.evidence in text
    assert ended.outcome.stop == bad.stop
    assert_whole(ended.journal.events, ended.outcome, State.FAILED)


FILLER = """
def build_editable(*_):
    with open("/env/junk", "wb") as junk:
        while True:
            junk.write(b"x" * (1 << 20))
"""


def test_an_install_that_fills_its_disk_is_ended_and_told_how_much_there_is(
    engine: DockerEngine, settings: Settings, tmp_path: Path
) -> None:
    github = hosting(
        {
            "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "filler"\nbackend-path = ["."]\n',
            "filler.py": FILLER,
            TESTS: "def test_a():\n    pass\n",
        }
    )
    install = install_settings(settings)
    small = replace(install, limits=replace(install.limits, results=96 * MIB, scratch=64 * MIB))
    images = EnvironmentImages(engine, lambda *_: settings.sandbox_base_image, small, data_dir=tmp_path)
    workspace = build_sandbox(settings, FakeTrees(github)).workspace
    ended = run_job(github, DockerEnvironments(images, FakeTrees(github)), workspace)
    text = assert_said(
        ended.comments,
        "`python -m pip install --use-pep517 -e .` ran out of room",
        "there are 96 MiB for the environment and 64 MiB for temporary files",
    )
    assert "No space left on device" in text
    assert_whole(ended.journal.events, ended.outcome, State.FAILED)
