"""The stand-in as a process of its own, with the demo's repositories, their people, and a check that runs on push.

`python -m bot.demo.scene DIRECTORY PORT HOOK_URL`: the webhook secret is the settings', the App's public key is in
DIRECTORY/app.pub. When it answers, DIRECTORY/scene.json says where, and with which token the maintainer acts.
"""

import json
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from bot.demo import samples
from bot.demo.samples import Sample
from bot.demo.stand_in import StandIn
from bot.demo.state import AppConfig, State
from bot.settings import Settings, load

MAINTAINER = "ines"
VISITOR = "theo"
READY_FILE = "scene.json"
REPORT_FILE = "violations.json"
POLL_SECONDS = 0.1
JOB = "test (3.11)"


def seed(state: State) -> tuple[Sample, ...]:
    """Put every sample there, with a maintainer who may write and a visitor who may not."""
    people = {MAINTAINER: "maintain", VISITOR: "read"}
    found = (samples.from_issue(), samples.from_check(), samples.without_fix())
    for sample in found:
        state.add_repository(sample.repository, sample.tree, collaborators=people)
    return found


def judge_pushes(state: State, watched: Sample, judged: dict[str, str]) -> None:
    """What the repository's own workflow would do: its suite goes red on a new commit of the default branch."""
    with state.lock:
        repository = state.repository(watched.repository)
        tip = repository.git.refs()[f"refs/heads/{repository.default_branch}"]
    if judged.setdefault(watched.repository, tip) != tip:
        judged[watched.repository] = tip
        state.complete_suite(watched.repository, tip, "failure", [(JOB, "failure", watched.log)])


def serve(directory: Path, port: int, hook: str, settings: Settings, ended: threading.Event) -> int:
    """Answer until `ended` is set; 1 when a request was refused by GitHub's description."""
    key = (directory / "app.pub").read_text(encoding="ascii")
    place = directory / "github"
    place.mkdir()
    stand_in = StandIn(AppConfig(key, settings.app_id, settings.app_slug), directory=place, port=port)
    state = stand_in.state
    found = seed(state)
    stand_in.hook(hook, settings.webhook_secrets[0].get_secret_value())
    stand_in.start()
    try:
        _write(directory / READY_FILE, _addresses(stand_in, state))
        judged: dict[str, str] = {}
        while not ended.wait(POLL_SECONDS):
            for sample in found:
                if sample.log:
                    judge_pushes(state, sample, judged)
    finally:
        stand_in.stop()
        _write(directory / REPORT_FILE, {"violations": [str(one) for one in stand_in.violations]})
    return 1 if stand_in.violations else 0


def _addresses(stand_in: StandIn, state: State) -> Mapping[str, str]:
    return {
        "url": stand_in.base_url,
        "api": stand_in.api_url,
        "maintainer": MAINTAINER,
        "token": state.issue_user_token(MAINTAINER),
    }


def _write(path: Path, content: Mapping[str, object]) -> None:
    fresh = path.with_suffix(".new")
    fresh.touch(mode=0o600)
    fresh.write_text(json.dumps(content))
    fresh.rename(path)


def main(arguments: list[str]) -> int:
    """Run until SIGTERM or SIGINT."""
    directory, port, hook = arguments
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    return serve(Path(directory), int(port), hook, load(), ended)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
