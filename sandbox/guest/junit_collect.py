"""Runs a command that writes JUnit XML, and copies what it wrote to the results; one standard-library file.

Run as `junit_collect.py PATTERN COMMAND…` in the repository; PATTERN is a glob below it. Files that match before the
command runs are removed, so that none of another run is taken for its results. Ends as the command did.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

MOST = 500
HERE = Path(__file__).resolve().parent


def matching(pattern: str) -> list[Path]:
    """The regular files that match, sorted."""
    return sorted(path for path in Path.cwd().glob(pattern) if path.is_file() and not path.is_symlink())


def main() -> int:
    """Run the command, copy its files as `<nonce>-<number>.xml`, and name them in `<nonce>.json`."""
    pattern, command = sys.argv[1], sys.argv[2:]
    results = HERE.parent / "results"
    results.mkdir(parents=True, exist_ok=True)
    for stale in matching(pattern):
        stale.unlink()
    try:
        code = subprocess.run(command, check=False, stdin=subprocess.DEVNULL).returncode
    except OSError as error:
        print(error, flush=True)  # noqa: T201 - the log is read by people
        return 127
    found = matching(pattern)[: MOST + 1]
    for number, path in enumerate(found):
        shutil.copyfile(path, results / f"{HERE.name}-{number}.xml")
    index = {"files": [str(path.relative_to(Path.cwd())) for path in found], "exit": code}
    (results / f"{HERE.name}.json").write_text(json.dumps(index), encoding="ascii")
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
