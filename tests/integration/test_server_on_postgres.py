"""The server and its pages as they are wired, over Postgres: everything is there, and nothing on the disk here."""

import json
from pathlib import Path

import pytest
from fakes_store import FakeTime, fix_issue
from fastapi.testclient import TestClient
from payloads import SECRET, labeled, signed

from bot import wiring
from bot.adapters.store import SqlInbox, SqlRuns, connect
from bot.jobs import job_id
from bot.settings import Settings
from bot.wiring import application, storage

BODY = json.dumps(labeled()).encode()


# a server's connections end with its process, and here there is none that ends
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_deliveries_runs_and_their_logs_are_in_postgres_alone(postgres: str, tmp_path: Path) -> None:
    given = {"data_dir": tmp_path / "data", "database_url": postgres, "webhook_secrets": SECRET}
    settings = Settings.model_validate(given)
    app = application.web(settings)
    with TestClient(app, base_url="http://127.0.0.1:8080", client=("127.0.0.1", 50_000)) as client:
        assert client.post("/webhook", content=BODY, headers=signed(BODY)).status_code == 202
        engine = connect(wiring.database_url(settings))
        job = fix_issue(7)
        SqlRuns(engine).started(job_id(job), job)
        storage.logs(settings, engine).journal(job_id(job), FakeTime(), str, str).append("started", {"task": "one"})
        page = client.get(f"/runs/{job_id(job)}")
        metrics = client.get("/metrics").text
    assert [found.body for found in SqlInbox(engine).pending(9)] == [BODY]
    assert (page.status_code, job.repository in page.text) == (200, True)
    assert "postgresql" not in page.text + metrics
    engine.dispose()
    assert [path for path in (tmp_path / "data").rglob("*") if path.is_file()] == []
