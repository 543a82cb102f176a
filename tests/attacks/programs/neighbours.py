"""Reaches for the host and for other containers: `PORT NAME ADDRESS...`, NAME being an abstract unix socket's."""

import contextlib
import glob
import os
import socket
import sys

from attempts import attempt

port, name, addresses = int(sys.argv[1]), sys.argv[2], sys.argv[3:]


def tcp(address):
    def connect():
        with socket.create_connection((address, port), timeout=2) as one:
            return one.recv(100)

    return connect


def unix(path):
    def connect():
        with socket.socket(socket.AF_UNIX) as one:
            one.settimeout(2)
            one.connect(path)
            return one.recv(100)

    return connect


def listed():
    with open("/proc/net/unix") as file:
        found = [line for line in file.read().splitlines()[1:] if "@" in line or "/" in line]
    if not found:
        raise OSError("none")
    return found


def queues():
    found = [path for kind in ("shm", "msg", "sem") for path in ipc(kind)] + glob.glob("/dev/mqueue/*")
    found += glob.glob("/dev/shm/*")
    if not found:
        raise OSError("none")
    return found


def ipc(kind):
    with contextlib.suppress(FileNotFoundError), open("/proc/sysvipc/" + kind) as file:
        return file.read().splitlines()[1:]
    return []


def strangers():
    own = {os.getpid(), os.getppid(), 1}
    found = [pid for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if pid not in own]
    if not found:
        raise OSError("none")
    return found


for address in addresses:
    attempt(f"tcp {address}", tcp(address))
attempt("abstract", unix("\0" + name))
attempt("abstract of containerd", unix("\0containerd-shim"))
attempt("unix sockets", listed)
attempt("ipc", queues)
attempt("processes", strangers)
