"""`deploy/make-venv`, twice at once in a checkout of its own, with a scripted interpreter."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
INTERPRETER = """#!/bin/sh
case "$1" in
    -m) mkdir -p .venv/bin
        printf '#!/bin/sh\\nsleep 0.3\\n' > .venv/bin/pip
        cp .venv/bin/pip .venv/bin/python
        chmod +x .venv/bin/pip .venv/bin/python ;;
    --version) echo scripted ;;
esac
"""


def test_of_two_at_once_one_makes_it_and_the_other_finds_it_made(tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    command = shutil.copy(ROOT / "deploy" / "make-venv", tmp_path / "deploy")
    (tmp_path / "requirements-dev.lock").write_text("one==1\n")
    interpreter = tmp_path / "python"
    interpreter.write_text(INTERPRETER)
    interpreter.chmod(0o755)
    environment = {"PATH": "/usr/bin:/bin", "PYTHON": str(interpreter)}
    both = [subprocess.Popen([command, "--say"], env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = sorted(one.communicate(timeout=60)[0] for one in both)
    assert [one.returncode for one in both] == [0, 0]
    assert said[0] == ".venv is what requirements-dev.lock says: nothing to do.\n"
    assert said[1].startswith("Making .venv")
    assert "Made .venv in" in said[1]
