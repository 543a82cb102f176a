"""Runs inside the container and tries to get past each limit; prints one line of JSON for each thing tried.

`probe.py around MOUNT=BYTES …`, `probe.py memory BYTES` or `probe.py pids COUNT`. What is printed is a report, no
judgement: `sandbox.selfchecks.probes` judges. Standard library only, and nothing of what is tried here leaves a trace.
"""

import ctypes
import errno
import io
import json
import os
import re
import resource
import socket
import stat
import sys
import tarfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

MIB = 1 << 20
BLOCK = b"x" * 4096
LIBC = ctypes.CDLL(None, use_errno=True)
IO_URING_SETUP = 425
KEYCTL = {"x86_64": 250, "aarch64": 219}
NEW_USER_NAMESPACE = 0x10000000
GET_NO_NEW_PRIVILEGES = 39
ATTACH, DETACH = 16, 17
CONNECT_SECONDS = 0.3
TARGETS = (
    (socket.SOCK_STREAM, "1.1.1.1", 443),
    (socket.SOCK_STREAM, "169.254.169.254", 80),
    (socket.SOCK_STREAM, "172.17.0.1", 22),
    (socket.SOCK_STREAM, "2606:4700:4700::1111", 443),
    (socket.SOCK_DGRAM, "1.1.1.1", 53),
)
READ_ONLY = ("/", "/etc", "/usr", "/var", "/var/tmp", "/home", "/root", "/sys", "/proc/sys/kernel")
CGROUPS = Path("/sys/fs/cgroup")
MANY_FILES = 10_000
MANY_NODES = 200
SPINNERS = 2
SPIN_SECONDS = 0.6
SWITCHED_AWAY = 0.0005


def say(about: str, **seen: object) -> None:
    """One line of the report."""
    print(json.dumps({"about": about, **seen}), flush=True)  # noqa: T201 - the report


def attempt(action: Callable[[], object]) -> str:
    """How an attempt ended: the error's name, or `done`."""
    try:
        action()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "refused")
    return "done"


def called(result: int) -> str:
    """How a system call ended: the error's name, or `done`."""
    return "done" if result >= 0 else errno.errorcode.get(ctypes.get_errno(), "refused")


def network() -> None:
    """Which interfaces there are, and what answers."""
    reached = []
    for kind, host, port in TARGETS:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with suppress(OSError), closing(socket.socket(family, kind)) as attempted:
            attempted.settimeout(CONNECT_SECONDS)
            attempted.connect((host, port))
            attempted.send(b"?")
            reached.append(f"{host} port {port}")
    with suppress(OSError):
        socket.getaddrinfo("example.com", 80)
        reached.append("a name server")
    say("network", interfaces=[name for _, name in socket.if_nameindex()], reached=reached)


def create(directory: Path) -> None:
    """Make a file, and remove it."""
    path = directory / "regreen-probe"
    path.touch(mode=0o600, exist_ok=False)
    path.unlink()


def mounted() -> dict[str, list[str]]:
    """Mount point → its options."""
    lines = (line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines())
    return {fields[4]: fields[5].split(",") for fields in lines}


def root() -> None:
    """Write to what must not change."""
    tried = {str(path): attempt(partial(create, path)) for path in map(Path, READ_ONLY) if path.is_dir()}
    say("root", read_only="ro" in mounted().get("/", ()), tried=tried)


def mounts(expected: dict[str, int]) -> None:
    """Fill whatever can be written to: each place that was named, and every other mount."""
    filled = {}
    for name in sorted({*mounted(), *expected}):
        path = Path(name)
        if path.is_dir() and attempt(partial(create, path)) == "done":
            filled[name] = fill(path, 2 * expected.get(name, MIB))
    say("mounts", filled=filled)


def fill(directory: Path, most: int) -> dict[str, object]:
    """Write up to `most` bytes in files of one MiB; how many went in, and what ended it."""
    written, ended = 0, ""
    made: list[Path] = []
    while written < most and not ended:
        made.append(directory / f"fill-{len(made)}")
        try:
            with made[-1].open("wb", buffering=0) as file:
                for _ in range(MIB // len(BLOCK)):
                    written += file.write(BLOCK)
        except OSError as error:
            ended = errno.errorcode.get(error.errno or 0, "refused")
    for path in made:
        path.unlink(missing_ok=True)
    return {"bytes": written, "ended": ended}


def calls() -> None:
    """Ask for the parts of the kernel that no test needs."""
    tried = {
        "AF_ALG": attempt(lambda: socket.socket(38, socket.SOCK_SEQPACKET).close()),
        "AF_VSOCK": attempt(lambda: socket.socket(40, socket.SOCK_STREAM).close()),
        "keyctl": called(LIBC.syscall(KEYCTL.get(os.uname().machine, 219), 0, -3, 1)),
        "io_uring": called(LIBC.syscall(IO_URING_SETUP, 4, ctypes.create_string_buffer(256))),
        "mount": called(LIBC.mount(b"none", b"/tmp", b"tmpfs", 0, None)),
    }
    # In a child: a namespace of its own would change what is tried afterwards.
    child = os.fork()
    if not child:
        os._exit(int(LIBC.unshare(NEW_USER_NAMESPACE) == 0))
    tried["user namespace"] = "done" if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) else "refused"
    say("calls", tried=tried, kernel=os.uname().release)


def powers() -> None:
    """What this process is, may do, and may become."""
    status = Path("/proc/self/status").read_text()
    say(
        "powers",
        capabilities=dict(re.findall(r"^(Cap\w+):\s*(\w+)", status, re.MULTILINE)),
        no_new_privileges=LIBC.prctl(GET_NO_NEW_PRIVILEGES, 0, 0, 0, 0),
        become_root=attempt(lambda: os.setuid(0)),
        ids=sorted({*os.getresuid(), *os.getresgid(), *os.getgroups()}),
    )


def ceilings() -> None:
    """How many files can be open, how large one can get, and whether a process may dump its memory into one."""
    opened: list[int] = []
    with suppress(OSError):
        while len(opened) < MANY_FILES:
            opened.append(os.dup(1))
    for descriptor in opened:
        os.close(descriptor)
    size = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    large = Path("/tmp/large")
    with large.open("wb") as file:
        ended = attempt(lambda: file.truncate(max(size, 0) + 1))
    large.unlink()
    core = resource.getrlimit(resource.RLIMIT_CORE)[1]
    say("ceilings", files=len(opened), size=size, larger=ended, core=core)


def nodes() -> dict[str, str]:
    """What below /dev is neither directory nor link: its path → its device number, or its kind. Own mounts left out."""
    own = mounted()
    found: dict[str, str] = {}
    for top, directories, names in os.walk("/dev"):
        directories[:] = [name for name in directories if f"{top}/{name}" not in own]
        for path in (f"{top}/{name}" for name in names):
            about = os.lstat(path)
            if stat.S_ISCHR(about.st_mode):
                found[path] = f"{os.major(about.st_rdev)}:{os.minor(about.st_rdev)}"
            elif not stat.S_ISLNK(about.st_mode):
                found[path] = stat.filemode(about.st_mode)
    return dict(sorted(found.items())[:MANY_NODES])


def host() -> None:
    """What of the host shows in here."""
    lines = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    secrets = Path("/run/secrets")
    say(
        "host",
        variables=sorted(os.environ),
        secrets=sorted(path.name for path in secrets.iterdir()) if secrets.is_dir() else [],
        mounts=[(fields[4], fields[3], fields[fields.index("-") + 1]) for fields in lines],
        nodes=nodes(),
        kernel=os.uname().release,
    )


def first() -> None:
    """Reach for the first process, and, where its output can be opened, write results that are none."""
    traced = called(LIBC.ptrace(ATTACH, 1, None, None))
    if traced == "done":
        LIBC.ptrace(DETACH, 1, None, None)
    memory = attempt(lambda: os.close(os.open("/proc/1/mem", os.O_RDWR)))
    say("first", traced=traced, memory=memory)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("./forged"))
    with suppress(OSError), Path("/proc/1/fd/1").open("wb", buffering=0) as output:
        output.write(buffer.getvalue())


def around(*arguments: str) -> None:
    """Everything that one container with room to breathe can tell."""
    expected = {path: int(size) for path, _, size in (argument.partition("=") for argument in arguments)}
    for probe in (network, root, lambda: mounts(expected), calls, powers, ceilings, host, first):
        # One that fails says nothing, and what says nothing does not hold.
        with suppress(OSError, ValueError, IndexError):
            probe()


def memory(most: str) -> None:
    """Take up to `most` bytes."""
    held: list[bytes] = []
    while len(held) * MIB < int(most):
        held.append(b"x" * MIB)
    say("memory", bytes=len(held) * MIB)


def share() -> None:
    """How many cores' time several processes got at once."""
    pipes = []
    for _ in range(SPINNERS):
        reader, writer = os.pipe()
        if not os.fork():
            os.write(writer, str(spin()).encode())
            os._exit(0)
        os.close(writer)
        pipes.append(reader)
    cores = round(sum(float(os.read(reader, 100)) for reader in pipes) / SPIN_SECONDS, 2)
    say("share", cores=cores, quota=quota())
    for _ in pipes:
        os.wait()


def quota() -> float | None:
    """The cores that this cgroup's own files allow, -1 for any number, `None` where the files are not shown."""
    with suppress(OSError):
        allowed, period = (CGROUPS / "cpu.max").read_text().split()
        return -1.0 if allowed == "max" else int(allowed) / int(period)
    for name in ("cpu", "cpu,cpuacct"):
        with suppress(OSError):
            allowed, period = ((CGROUPS / name / f"cpu.cfs_{each}_us").read_text() for each in ("quota", "period"))
            return int(allowed) / int(period) if int(allowed) > 0 else -1.0
    return None


def spin() -> float:
    """The seconds of processor time that this process got within `SPIN_SECONDS`."""
    # gVisor's clock counts a throttled process as running, and there the gaps tell; elsewhere the clock is exact.
    used, active = time.process_time(), 0.0
    begin = last = time.monotonic()
    while last - begin < SPIN_SECONDS:
        now = time.monotonic()
        if now - last < SWITCHED_AWAY:
            active += now - last
        last = now
    return min(active, time.process_time() - used)


def pids(most: str) -> None:
    """Measure the processor's share while there is room, then fork up to `most` times."""
    with suppress(OSError, ValueError):
        share()
    ended = attempt(lambda: multiply(int(most)))
    say("refused", ended=ended)


def multiply(most: int) -> None:
    """Fork, and tell each time: where the runtime itself ends, nothing else can."""
    for number in range(1, most + 1):
        if not os.fork():
            time.sleep(60)
            os._exit(0)
        say("pids", children=number, kernel=os.uname().release)


if __name__ == "__main__":
    commands: dict[str, Callable[..., None]] = {"around": around, "memory": memory, "pids": pids}
    commands[sys.argv[1]](*sys.argv[2:])
