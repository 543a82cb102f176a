"""The Dockerfile with the classic builder, on a base made without a registry: builds, starts, answers, has no demo."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SECRET = "a secret of at least sixteen characters"
HEALTHZ = "import urllib.request as r; print(r.urlopen('http://127.0.0.1:8080/healthz', timeout=5).read().decode())"

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def container(client: Any, image: str) -> Iterator[Any]:
    environment = {"REGREEN_WEBHOOK_SECRETS": SECRET}
    found = client.containers.run(image, detach=True, network_mode="none", environment=environment)
    yield found
    found.remove(force=True, v=True)


def run(container: Any, *command: str, user: str = "") -> str:
    code, output = container.exec_run(list(command), user=user)
    assert code == 0, output
    return str(output.decode())


def test_the_web_server_answers_as_nobody_special(container: Any) -> None:
    deadline = time.monotonic() + 60
    while True:
        code, _ = container.exec_run(["python", "-c", HEALTHZ])
        if code == 0 or time.monotonic() > deadline:
            break
        time.sleep(0.3)
    assert code == 0, container.logs().decode()[-2000:]
    assert run(container, "id", "-u").strip() not in {"0", ""}
    assert (
        run(container, "sh", "-c", "touch /data/here && ! touch /opt/regreen/here 2>/dev/null && echo kept") == "kept\n"
    )


def test_the_demo_is_not_in_the_image(container: Any) -> None:
    found = run(
        container,
        "python",
        "-c",
        "import bot, importlib.util as u, json; "
        "print(json.dumps([u.find_spec(name) is not None for name in ('bot.demo', 'jwt', 'pytest', 'bot.cli')]))",
    )
    # PyGithub brings jwt; the stand-in and the test tools are extras.
    assert json.loads(found)[::3] == [False, True]
    assert json.loads(found)[2] is False


def test_every_package_is_the_locked_one(container: Any) -> None:
    installed = json.loads(
        run(container, "/opt/regreen/bin/pip", "list", "--format=json", "--disable-pip-version-check")
    )
    locked = {
        line.split("==")[0]: line.split("==")[1].split()[0]
        for line in (ROOT / "requirements.lock").read_text().splitlines()
        if "==" in line and not line.startswith(" ")
    }
    found = {one["name"].lower().replace("_", "-"): one["version"] for one in installed}
    strays = set(found) - set(locked) - {"pip", "setuptools", "regreen"}
    assert not strays
    assert all(locked[name] == version for name, version in found.items() if name in locked)


def test_the_image_checks_its_own_health(client: Any, image: str) -> None:
    configuration = client.images.get(image).attrs["Config"]
    assert configuration["Healthcheck"]["Test"][0] == "CMD"
    assert configuration["Entrypoint"] == ["regreen"]
    assert configuration["User"] == "regreen"
