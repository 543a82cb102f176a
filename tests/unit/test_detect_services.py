"""What the tests' automation starts beside them is said, and what is there is not said to be lacking."""

import pytest

from sandbox.detect import detect, services, work
from sandbox.spec import File, Tree

COMPOSE = "services:\n  web: {build: .}\n  cache: {image: 'redis:7'}\n  db: {image: '${DB_IMAGE}'}\n"


def tree(run: str = "", **files: str) -> Tree:
    workflow = f"env: {{DB_IMAGE: 'mysql:9.4'}}\njobs:\n  other:\n    steps:\n      - run: {run}\n" if run else ""
    found = {"test_a.py": "", **files, **({".github/workflows/ci.yml": workflow} if run else {})}
    return {path: File(text.encode()) for path, text in found.items()}


def said(run: str = "", **files: str) -> str:
    return " ".join(detect(tree(run, **files)).unmet)


@pytest.mark.parametrize(
    ("run", "names"),
    [
        ("docker compose up -d", "web, cache (redis:7), db (${DB_IMAGE}), mysql:9.4"),
        ("docker-compose -f docker-compose.yml up --wait cache", "cache (redis:7), mysql:9.4"),
        ("sudo docker run -d -p 6379:6379 --name x redis:alpine --save no", "redis:alpine"),
        ("docker run --rm -d -e A=b acme/server:1", "acme/server:1"),
        ("docker run -d $DB_IMAGE", "mysql:9.4"),
    ],
)
def test_services_that_the_commands_of_any_job_start_are_said_with_their_images(run: str, names: str) -> None:
    text = said(run, **{"docker-compose.yml": COMPOSE})
    assert text.startswith(f".github/workflows/ci.yml:5 starts services ({names}); ")


def test_a_compose_file_that_is_not_there_still_means_services() -> None:
    assert "mysql:9.4" in said("docker compose -f $HOME/x.yml up")


@pytest.mark.parametrize("run", ["docker run --rm acme/linter .", "docker build .", "docker compose down", "pytest"])
def test_other_containers_are_no_services(run: str) -> None:
    assert said(run) == ""


@pytest.mark.parametrize("path", ["compose.yaml", "docker/docker-compose.yml", "tests/docker-compose.test.yml"])
def test_known_services_of_compose_files_at_their_usual_places_are_said(path: str) -> None:
    assert said(**{path: COMPOSE}).startswith(f"{path} starts services (cache (redis:7)); ")
    assert said(**{"examples/" + path: COMPOSE}) == ""


def test_only_submodules_whose_directories_are_empty_are_lacking() -> None:
    modules = '[submodule "x"]\n\tpath = vendor/x\n[submodule "y"]\n\tpath = vendor/y\n'
    text = said(**{".gitmodules": modules, "vendor/x/a.c": ""})
    assert "(vendor/y)" in text
    assert said(**{".gitmodules": modules, "vendor/x/a.c": "", "vendor/y/a.c": ""}) == ""


def test_packages_of_the_system_are_said_last_as_what_a_workflow_installs() -> None:
    files = {"compose.yml": COMPOSE}
    unmet = detect(tree("sudo apt-get install -y libfoo-dev && pytest test_a.py", **files)).unmet
    assert len(unmet) == 2
    assert unmet[-1].startswith("A workflow installs packages of the system (libfoo-dev; .github/workflows/ci.yml:5)")


def test_a_large_compose_file_that_is_started_over_and_over_is_read_once() -> None:
    many = "services:\n" + "".join(f"  s{number}: {{image: redis}}\n" for number in range(2000))
    files = tree("docker compose -f a.yml up; " * 60, **{"a.yml": many})
    with work.bounded(files) as counted:
        named = [name for name, _ in services.started(files, ())]
    assert len(named) == services.MAX_SERVICES + len(["mysql:9.4"])
    assert counted.left > work.MAX_WORK * 3 // 4
