"""Runs a recipe's install steps in the container, behind the relay; one standard-library file.

Run as `install.py PLAN`, a JSON file with `relay` (its argv after the interpreter), `steps` (argv lists) and `root`,
the environment's directory. Ends with 0, or with `FIRST_STEP` plus the index of the step that failed.
"""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

FIRST_STEP = 64
LAST_CODE = 120


def start_relay(argv: list[str]) -> "subprocess.Popen[str]":
    """Start the relay and wait until it listens."""
    relay = subprocess.Popen([sys.executable, "-I", *argv], stdout=subprocess.PIPE, text=True)
    if relay.stdout is None or relay.stdout.readline().strip() != "listening":
        sys.exit("the relay to the egress proxy did not start")
    return relay


def run_steps(steps: list[list[str]]) -> int:
    """Run the steps until one fails."""
    for index, step in enumerate(steps):
        print(f"$ {shlex.join(step)}", flush=True)  # noqa: T201 - the log is read by people
        try:
            code = subprocess.run(step, check=False, stdin=subprocess.DEVNULL).returncode
        except OSError as error:
            print(error, flush=True)  # noqa: T201 - likewise
            code = 1
        if code:
            return min(FIRST_STEP + index, LAST_CODE)
    return 0


def keep_metadata(tree: Path, environment: Path) -> None:
    """Copy the metadata that an old-fashioned editable install left in the tree, which the test phase gets afresh."""
    for site in environment.glob("lib/python*/site-packages"):
        for link in sorted(site.glob("*.egg-link")):
            source = Path(link.read_text(encoding="utf-8").splitlines()[0])
            for metadata in source.glob("*.egg-info"):
                if tree in metadata.parents and metadata.is_dir():
                    shutil.copytree(metadata, site / metadata.name, dirs_exist_ok=True)


def main() -> int:
    """Run the plan."""
    plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    relay = start_relay(plan["relay"])
    try:
        code = run_steps(plan["steps"])
        if not code:
            keep_metadata(Path.cwd(), Path(plan["root"]))
        return code
    finally:
        relay.kill()


if __name__ == "__main__":
    sys.exit(main())
