"""`plant WORD` leaves what a later interpreter or shell would run, wherever it can; `look WORD` searches for it."""

import glob
import os
import shutil
import subprocess
import sys

from attempts import tell

MODULES = ("sitecustomize.py", "usercustomize.py", "pytest.py", "_pytest.py", "conftest.py", "json.py")
COMMANDS = ("python", "python3", "pytest", "env", "sh", "tar", "cp", "mkdir", "rm", "kill", "cat", "xargs", "git")
USER_SITE = "/tmp/.local/lib/python3.11/site-packages"
mode, word = sys.argv[1:]


def places():
    found = [place for place, _, _ in os.walk("/") if not place.startswith(("/proc", "/sys"))]
    return [place for place in found if os.access(place, os.W_OK)]


def plant():
    for place in (USER_SITE, "/tmp/bin", "/repo/bin", "/regreen/results", "/regreen/init", "/tmp/.config/git"):
        os.makedirs(place, exist_ok=True)
    for place in places():
        for name in MODULES:
            write(f"{place}/{name}", f"open('/tmp/ran', 'a').write({word!r})\n")
        write(f"{place}/planted.pth", f"import os; open('/tmp/ran', 'a').write({word!r})\n")
        write(f"{place}/.gitconfig", f"[core]\n\tfsmonitor = echo {word} >>/tmp/ran\n")
        for name in COMMANDS:
            write(f"{place}/{name}", f"#!/bin/sh\necho {word} >>/tmp/ran\n", 0o755)
    subprocess.run([sys.executable, "-c", ""], check=False)
    tell("ran here", os.path.exists("/tmp/ran"), "")


def write(path, text, mode=0o644):
    try:
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
    except OSError:
        return


def look():
    left = subprocess.run(
        ["grep", "-rlaF", "-f", "-", *places()], input=word, capture_output=True, text=True, check=False
    )
    tell("left", left.stdout, left.stdout)
    tell("ran", os.path.exists("/tmp/ran"), "")
    tell("user site", os.path.exists(USER_SITE), "")
    strange = [name for name in COMMANDS if (shutil.which(name) or "/usr/bin/").split("/")[1] not in {"usr", "bin"}]
    tell("commands", strange, strange)
    tell("modules", [name for name in MODULES if glob.glob("/*/" + name)], "")


plant() if mode == "plant" else look()
