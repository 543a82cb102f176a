"""Files, comments and configuration that the documentation shows are read by what would read them."""

import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import postgres_server
import psycopg
import pytest
import yaml
from documents import ROOT, SHELL, Block, blocks, pages

from bot import requests
from bot.demo import gvisor
from bot.settings import Settings

RULES = ROOT / "deploy" / "prometheus"
RUNSC_FLAGS = "-host-uds value -oci-seccomp"
EXAMPLE = (ROOT / "deploy" / "env.example").read_text(encoding="utf-8")
KNOWN = {
    "json": {"output", "daemon"},
    "mermaid": {""},
    "nginx": {""},
    "python": {"run"},
    "sql": {"run"},
    "text": {"output", "comment", "crontab", "layers", "demo"},
    "yaml": {"policy", "prometheus", "compose"},
}
"""What is shown, and is in the tests: here, in `test_doc_commands`, `test_documents` or `tests/e2e/test_demo.py`."""


def marked(language: str, said: str) -> list[Block]:
    found = [block for block in blocks() if (block.language, block.said) == (language, said)]
    assert found, f"no page shows a block `{language} {said}`"
    return found


def test_no_block_is_of_a_kind_that_nobody_reads() -> None:
    others = [block for block in blocks() if block.language not in SHELL]
    assert [str(block) for block in others if block.said not in KNOWN.get(block.language, set())] == []


def said_in_comments() -> Iterator[str]:
    for page in pages():
        yield from (code for code in page.code if code.startswith("/regreen ") and "|" not in code)
    yield from (block.text.strip() for block in marked("text", "comment"))


@pytest.mark.parametrize("text", sorted(set(said_in_comments())))
def test_what_is_to_be_said_in_a_comment_is_understood(text: str) -> None:
    found = requests.parse(text)
    assert found is not None
    assert found.word is not requests.Word.HELP or text == "/regreen help"


def test_gvisor_is_made_known_as_our_own_preparation_does_it() -> None:
    (block,) = marked("json", "daemon")
    assert json.loads(block.text) == gvisor.configuration({}, gvisor.entry("/usr/bin/runsc", RUNSC_FLAGS))


def test_prometheus_asks_both_processes_at_their_usual_ports_by_the_rules_that_there_are() -> None:
    (block,) = marked("yaml", "prometheus")
    shown: dict[str, Any] = yaml.safe_load(block.text)
    assert shown.keys() == {"rule_files", "scrape_configs"}
    assert [name for name in shown["rule_files"] if not (RULES / name).is_file()] == []
    targets = {one["job_name"]: one["static_configs"][0]["targets"] for one in shown["scrape_configs"]}
    ports = {name: {int(target.rpartition(":")[2]) for target in found} for name, found in targets.items()}
    usual = Settings.model_construct()
    assert ports == {"regreen-server": {usual.port}, "regreen-worker": {usual.worker_port}}
    asked = "".join(path.read_text(encoding="utf-8") for path in RULES.iterdir())
    assert set(re.findall(r'job="([^"]+)"', asked)) <= targets.keys()


def test_cron_finds_the_worker_of_either_compose_file() -> None:
    (block,) = marked("text", "crontab")
    *when, command = block.text.split(maxsplit=5)
    assert when == ["*"] * 5
    (service,) = re.findall(r"label=com\.docker\.compose\.service=(\w+)", command)
    for name in ("compose.yaml", "compose.postgres.yaml"):
        services = yaml.safe_load((ROOT / "deploy" / name).read_text(encoding="utf-8"))["services"]
        assert "healthcheck" in services[service]


def test_the_layers_are_those_that_are_held() -> None:
    (block,) = marked("text", "layers")
    shown = [re.split(r"\s{2,}", line)[0] for line in block.text.splitlines()]
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    assert shown == [*contracts["contracts"][0]["layers"], "sandbox"]


@pytest.mark.parametrize("block", [one for one in blocks() if one.said == "compose"], ids=str)
def test_a_second_compose_file_adds_to_services_that_there_are(block: Block) -> None:
    shown = yaml.safe_load(block.text)["services"]
    for name in ("compose.yaml", "compose.postgres.yaml"):
        services = yaml.safe_load((ROOT / "deploy" / name).read_text(encoding="utf-8"))["services"]
        assert shown.keys() <= services.keys()


@pytest.mark.parametrize("block", marked("nginx", ""), ids=str)
def test_nginx_takes_what_is_shown(block: Block, tmp_path: Path) -> None:
    if shutil.which("nginx") is None:
        pytest.skip("There is no nginx: apt-get install nginx-light.")
    path = tmp_path / "nginx.conf"
    around = f"pid {tmp_path}/pid; error_log stderr; events {{}} http {{ access_log off; server {{ listen 127.0.0.1:1;"
    path.write_text(f"{around}\n{block.text}}} }}\n")
    done = subprocess.run(["nginx", "-t", "-c", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_user_and_a_database_are_made_as_it_is_shown() -> None:
    (block,) = marked("sql", "run")
    with postgres_server.running(postgres_server.required()) as cluster:
        address = f"host=127.0.0.1 port={cluster.port}"
        with psycopg.connect(f"{address} user=regreen dbname=postgres", autocommit=True) as connection:
            connection.execute("CREATE ROLE postgres SUPERUSER LOGIN")
        with psycopg.connect(f"{address} user=postgres dbname=postgres", autocommit=True) as connection:
            # the cluster's own first user has the name that the guide gives to a new one
            connection.execute("ALTER ROLE regreen RENAME TO first")
            for statement in filter(str.strip, block.text.split(";")):
                connection.execute(statement.encode())
        with psycopg.connect(f"{address} user=regreen dbname=regreen") as connection:
            connection.execute("CREATE TABLE mine (number integer)")
            (encoding,) = connection.execute("SHOW server_encoding").fetchone() or ("",)
    assert encoding == "UTF8"


@pytest.mark.parametrize("line", re.findall(r"^#?((?:REGREEN|OPENAI)_[A-Z_]+=.+)$", EXAMPLE, re.MULTILINE))
def test_every_line_of_the_example_is_a_setting_with_a_value_that_it_takes(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, _, value = line.partition("=")
    fields = set(Settings.model_fields)
    assert name.removeprefix("REGREEN_").lower() in fields or name.lower() in fields
    monkeypatch.setenv(name, value)
    Settings()


def shown_options() -> list[tuple[str, str]]:
    """(target of make, the options that a comment behind it shows) of every block."""
    lines = [line for block in blocks() for line in block.text.splitlines()]
    return re.findall(r'^make ([a-z-]+) +# [A-Z]+="(--[^"]+)"$', "\n".join(lines), re.MULTILINE)


@pytest.mark.parametrize(("target", "shown"), shown_options())
def test_options_of_a_measurement_are_shown_with_what_they_are_by_default(target: str, shown: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    module = re.search(r"-m ((?:bench|chaos)[.\w]*)|tests/(\S+)\.py", recipe[1] if recipe else "")
    assert module, target
    source = (ROOT / "tests" / f"{(module[1] or module[2]).replace('.', '/')}.py").read_text(encoding="utf-8")
    for option, value in re.findall(r"(--[a-z]+) ([\w.]+)", shown):
        known = re.search(rf'"{option}".*?default=([^,)]+)', source)
        assert known, option
        assert value.isupper() or float(value) == float(known[1]), option
