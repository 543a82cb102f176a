"""Secrets seeded where a worker has them: none is found inside, none leaves."""

import json
import os
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from attacks_inside import Attack, came_through, told
from attacks_suites import TARGET, TREE, runs
from docker import APIClient
from docker.errors import NotFound

from bot.adapters.journal import FileJournal
from bot.adapters.workspace import DockerWorkspace
from sandbox.spec import File, RunState, Tree, Verdict

pytestmark = pytest.mark.engine

VARIABLES = ("GITHUB_TOKEN", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "REGREEN_WEBHOOK_SECRET", "PIP_INDEX_URL")


class _Clock:
    def now(self) -> float:
        return 0.0


@pytest.fixture
def seeded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, canary: str) -> Iterator[str]:
    """The word, in this process's environment, its home directory and files of tokens."""
    for name in VARIABLES:
        monkeypatch.setenv(name, f"https://{canary}@nowhere.invalid")
    token = tmp_path / "token"
    token.write_text(canary)
    monkeypatch.setenv("REGREEN_GITHUB_TOKEN_FILE", str(token))
    at_home = Path.home() / f".regreen-{secrets.token_hex(6)}"
    at_home.write_text(canary)
    assert canary in json.dumps(dict(os.environ))
    yield canary
    at_home.unlink()


@pytest.mark.attack(10, "secrets")
def test_no_secret_of_the_worker_is_found_inside_or_in_what_comes_back(
    attack: Attack, seeded: str, client: APIClient, run_label: Callable[[], str]
) -> None:
    label, inspected = run_label(), ""
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(attack, "search", seeded[::-1], run_id=label)
        while not run.done() and not inspected:
            for container in client.containers(filters={"label": f"regreen.run={label}"}):
                with suppress(NotFound):
                    inspected = json.dumps(client.inspect_container(container))
    result = run.result()
    assert (result.verdict, result.exit_code) == (Verdict.EXITED, 0)
    assert {"environments", "files", "command lines", "mounts", "usual places"} <= told(result).keys()
    assert came_through(result) == {}
    assert result.results["everything"]
    assert label in inspected
    for left in (inspected, result.output.decode(), *map(bytes.decode, result.results.values())):
        assert seeded not in left


@pytest.mark.attack(10, "secrets")
def test_what_the_search_looks_for_it_finds(attack: Attack, canary: str) -> None:
    result = attack("search", canary[::-1], tree={"token": File(canary.encode())})
    assert came_through(result).keys() == {"files"}


@pytest.mark.attack(10, "secrets")
def test_a_suite_that_tells_all_it_sees_brings_no_secret_into_the_run_log(
    workspace: Callable[[Tree], DockerWorkspace], seeded: str, tmp_path: Path
) -> None:
    suite = (
        "import glob, os\ndef test_add():\n    seen = [dict(os.environ)]\n"
        "    for path in [p for n in ('environ', 'cmdline', 'mountinfo') for p in glob.glob('/proc/[0-9]*/' + n)]:\n"
        "        try: seen.append(open(path, 'rb').read())\n        except OSError: pass\n"
        "    print(seen)\n    raise ValueError(seen)\n"
    )
    run = runs(workspace(TREE), {"all": {"tests/test_calc.py": suite}})["all"]
    path = tmp_path / "log.jsonl"
    FileJournal(path, _Clock(), lambda text: text).append("run", {"run": run})
    assert run.state is RunState.COMPLETE
    assert TARGET in path.read_text()
    assert "PYTHONHASHSEED" in path.read_text()
    assert seeded not in path.read_text()
