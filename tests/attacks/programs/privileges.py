"""Reaches for the engine, devices, mounts, other users and the kernel's own switches."""

import contextlib
import ctypes
import functools
import glob
import os
import socket
import stat
import subprocess
import sys

from attempts import attempt, in_child, libc, syscall, tell

SOCKETS = (
    "docker.sock",
    "containerd/containerd.sock",
    "podman/podman.sock",
    "crio/crio.sock",
    "dbus/system_bus_socket",
)
HARMLESS = {"null", "zero", "full", "random", "urandom", "tty", "ptmx"}


def checked(result):
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def engine(path):
    def connect():
        with socket.socket(socket.AF_UNIX) as one:
            one.connect(path)

    return connect


def devices():
    for place, _, names in os.walk("/dev"):
        for name in set(names) - HARMLESS:
            path = os.path.join(place, name)
            if stat.S_ISBLK(os.lstat(path).st_mode) or stat.S_ISCHR(os.lstat(path).st_mode):
                yield path


def node(kind, major, minor):
    def make():
        path = f"/tmp/node{major}.{minor}"
        os.mknod(path, kind | 0o666, os.makedev(major, minor))
        return os.read(os.open(path, os.O_RDONLY), 1)

    return make


def mount(source, target, kind, flags=0):
    return lambda: checked(libc.mount(source, target, kind, flags, None))


def setuid_programs():
    for place, directories, names in os.walk("/"):
        directories[:] = [name for name in directories if (place, name) not in {("/", "proc"), ("/", "sys")}]
        for name in names:
            path = os.path.join(place, name)
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
                yield path


def users_of(path):
    """The user and group ids of a started program: real, effective, saved, file system."""
    with subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as started:
        try:
            with open(f"/proc/{started.pid}/status") as file:
                return {word for line in file if line.startswith(("Uid:", "Gid:")) for word in line.split()[1:]}
        finally:
            started.kill()


def raised():
    found = [path for path in setuid_programs() if not users_of(path) <= {"10001"}]
    if not found:
        raise OSError("none")
    return found


def own_setuid():
    with open("/bin/sh", "rb") as source, open("/tmp/sh", "wb") as copy:
        copy.write(source.read())
    os.chmod("/tmp/sh", 0o6755)
    told = subprocess.run(["/tmp/sh", "-c", "id -u"], capture_output=True, text=True, check=False).stdout.strip()
    if told == "10001":
        raise OSError("still 10001")
    return told


def switches():
    """Everything below /proc/sys and /sys that opens for writing."""
    found = []
    for top in ("/proc/sys", "/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi"):
        for place, _, names in os.walk(top):
            for name in names:
                try:
                    os.close(os.open(os.path.join(place, name), os.O_WRONLY))
                    found.append(os.path.join(place, name))
                except OSError:
                    continue
    if not found:
        raise OSError("none")
    return found


def write(path, data=b"1"):
    def put():
        descriptor = os.open(path, os.O_WRONLY)
        return os.write(descriptor, data)

    return put


def read(path):
    def get():
        data = os.read(os.open(path, os.O_RDONLY), 64)
        if not data.strip(b"0 \n\t"):
            raise OSError("empty")
        return data

    return get


def release_agent():
    found = [path for at, _, names in os.walk("/sys/fs/cgroup") for path in names if "release_agent" in path]
    made = []
    for path in (*glob.glob("/sys/fs/cgroup/*"), "/sys/fs/cgroup"):
        try:
            os.mkdir(path + "/escape")
            made.append(path)
        except OSError:
            continue
    if not made:
        raise OSError(f"none made; {len(found)} seen")
    return made


def by_handle():
    handle = (ctypes.c_char * 16)()
    ctypes.memmove(handle, b"\x08\0\0\0\x01\0\0\0\x02\0\0\0\0\0\0\0", 16)
    return syscall(304, os.open("/", os.O_RDONLY), handle, os.O_RDONLY)


def namespaces(flag):
    return lambda: checked(libc.unshare(flag))


def as_its_root(action):
    """With whatever a user namespace of one's own gives."""

    def inside():
        user, group = os.getuid(), os.getgid()
        checked(libc.unshare(1 << 28 | 1 << 17))
        for name, data in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            with contextlib.suppress(OSError), open(f"/proc/self/{name}", "w") as file:
                file.write(data)
        return action()

    return inside


def rewrite():
    checked(libc.mount(None, b"/", None, 32, None))
    return os.open("/etc/escaped", os.O_CREAT | os.O_WRONLY)


def enter(process):
    def action():
        for name in os.listdir(f"/proc/{process}/ns"):
            checked(libc.setns(os.open(f"/proc/{process}/ns/{name}", os.O_RDONLY), 0))

    return action


for run in ("/var/run/", "/run/"):
    for name in SOCKETS:
        attempt(run + name, engine(run + name))
for device in devices():
    attempt("device " + device, functools.partial(os.open, device, os.O_RDONLY | os.O_NONBLOCK))
    attempt("device to write " + device, functools.partial(os.open, device, os.O_WRONLY | os.O_NONBLOCK))
attempt("mknod block", node(stat.S_IFBLK, 8, 0))
attempt("mknod memory", node(stat.S_IFCHR, 1, 1))
attempt("mknod kmsg", node(stat.S_IFCHR, 1, 11))
attempt("mount tmpfs", mount(b"none", b"/tmp", b"tmpfs"))
attempt("mount proc", mount(b"proc", b"/tmp", b"proc"))
attempt("mount cgroup", mount(b"cgroup", b"/tmp", b"cgroup"))
attempt("mount root again", mount(b"/", b"/", None, 32 | 4096))
attempt("umount", lambda: checked(libc.umount2(b"/proc/kcore", 2)))
attempt("new mount api", lambda: syscall(430, b"tmpfs", 0))
attempt("pivot_root", lambda: syscall(155, b"/tmp", b"/tmp"))
attempt("chroot", lambda: os.chroot("/tmp"))
attempt("setuid programs", raised)
attempt("own setuid program", own_setuid)
attempt("setuid", lambda: os.setuid(0))
attempt("setgroups", lambda: os.setgroups([0]))
attempt("ambient capability", lambda: checked(libc.prctl(47, 2, 21, 0, 0)))
for name, flag in {"user": 1 << 28, "mount": 1 << 17, "net": 1 << 30, "pid": 1 << 29, "ipc": 1 << 27, "uts": 1 << 26,
                   "cgroup": 1 << 25, "time": 1 << 7}.items():  # fmt: skip
    in_child(f"unshare {name}", namespaces(flag))
in_child("unshare user and net", namespaces(1 << 28 | 1 << 30))
in_child("clone user", lambda: syscall(56, 1 << 28 | 17, 0, 0, 0, 0) or os._exit(0))
in_child("setns to the first process", enter(1))
in_child("setns to its own", enter("self"))
for name, action in {
    "ptrace": lambda: checked(libc.ptrace(16, 1, None, None)), "memory": lambda: os.open("/proc/1/mem", os.O_RDWR),
    "mknod": node(stat.S_IFBLK, 8, 0), "kmsg": node(stat.S_IFCHR, 1, 11), "root": rewrite, "setns": enter(1),
    "handle": by_handle, "module": lambda: syscall(175, b"x", 1, b""), "packet": lambda: socket.socket(17, 3, 768),
    "core_pattern": write("/proc/sys/kernel/core_pattern", b"|/tmp/x"), "reboot": lambda: syscall(169, 0, 0, 0, 0),
    "settimeofday": lambda: syscall(164, (ctypes.c_long * 2)(1, 0), 0),
}.items():  # fmt: skip
    in_child("as its root: " + name, as_its_root(action))
attempt("sysrq", write("/proc/sysrq-trigger", b"h"))
attempt("core_pattern", write("/proc/sys/kernel/core_pattern", b"|/tmp/x"))
attempt("modprobe", write("/proc/sys/kernel/modprobe", b"/tmp/x"))
attempt("binfmt_misc", write("/proc/sys/fs/binfmt_misc/register", b":x:M::x::/tmp/x:"))
attempt("uevent_helper", write("/sys/kernel/uevent_helper", b"/tmp/x"))
attempt("oom_score_adj", write("/proc/self/oom_score_adj", b"-1000"))
attempt("oom_score_adj of the first process", write("/proc/1/oom_score_adj", b"-1000"))
attempt("switches", switches)
attempt("kcore", read("/proc/kcore"))
attempt("kmsg", read("/proc/kmsg"))
attempt("mem", read("/dev/mem"))
attempt("syslog", lambda: checked(min(libc.klogctl(3, ctypes.create_string_buffer(64), 64), 0)))
attempt("release_agent", release_agent)
attempt("open_by_handle_at", by_handle)
attempt("init_module", lambda: syscall(175, b"x", 1, b""))
attempt("kexec", lambda: syscall(246, 0, 0, 0, 0))
attempt("reboot", lambda: syscall(169, 0xFEE1DEAD, 672274793, 0, 0))
attempt("swapon", lambda: syscall(167, b"/tmp/sh", 0))
attempt("sethostname", lambda: socket.sethostname("x"))
attempt("settimeofday", lambda: syscall(164, (ctypes.c_long * 2)(1, 0), 0))
attempt("iopl", lambda: syscall(172, 3))
attempt("nice", lambda: os.setpriority(os.PRIO_PROCESS, 0, -5))
attempt("chown", lambda: os.chown("/etc/passwd", 10001, 10001))
attempt("nice of the first process", lambda: os.setpriority(os.PRIO_PROCESS, 1, -5))
tell("end", False, sys.version)
