"""Looks for a word everywhere that can be read; the word comes backwards, so that it finds only what is not its own."""

import glob
import os
import subprocess
import sys

from attempts import tell

needle = sys.argv[1][::-1].encode()


def look(name, paths):
    found = []
    for path in paths:
        try:
            with open(path, "rb") as file:
                while block := file.read(1 << 22):
                    if needle in block:
                        found.append(path)
        except OSError:
            continue
    tell(name, found, found)


look("environments", glob.glob("/proc/[0-9]*/environ"))
look("command lines", glob.glob("/proc/[0-9]*/cmdline"))
look("mounts", [*glob.glob("/proc/[0-9]*/mountinfo"), "/proc/mounts", "/proc/cmdline", "/proc/version"])
look("cgroups", glob.glob("/proc/[0-9]*/cgroup"))
look("keys", ["/proc/keys", "/proc/key-users"])
look("sysctls", [os.path.join(at, name) for at, _, names in os.walk("/proc/sys") for name in names])
tell("environment", any(needle.decode() in value for value in os.environ.values()), dict(os.environ))
places = [place for place in glob.glob("/*") if place not in {"/proc", "/sys"}]
command = ["grep", "-rlaF", "--devices=skip", "-f", "-", *places]
done = subprocess.run(command, input=needle, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
tell("files", done.stdout, done.stdout.decode(errors="replace"))
secrets = [
    *glob.glob("/run/secrets/*"), *glob.glob("/var/run/secrets/*"), *glob.glob("/home/*/*"), *glob.glob("/root/*"),
    *glob.glob("/etc/docker/*"), "/root/.netrc", "/root/.docker/config.json", "/root/.ssh/id_rsa", "/.env",
]  # fmt: skip
readable = [path for path in secrets if os.access(path, os.R_OK)]
tell("usual places", readable, readable)
for index in glob.glob("/proc/[0-9]*/fd/*") + glob.glob("/proc/[0-9]*/task/*/fd/*"):
    target = os.readlink(index) if os.path.islink(index) else ""
    if not target.startswith(("/repo", "/proc", "pipe:", "/dev/null", "/usr", "host:", "anon_inode", "socket:")):
        tell("descriptor " + index, target.startswith("/"), target)
os.makedirs("/regreen/results", exist_ok=True)
with open("/regreen/results/everything", "wb") as file:
    for path in ("/proc/self/environ", "/proc/self/mountinfo", "/proc/self/status"):
        with open(path, "rb") as source:
            file.write(source.read())
