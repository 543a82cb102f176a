"""Reaches for the first process and what it writes: forges results through whatever opens. Then sends it signals."""

import ctypes
import io
import os
import signal
import sys
import tarfile

from attempts import attempt, in_child, libc, syscall, tell

os.makedirs("/regreen/results", exist_ok=True)
with open("/regreen/results/x", "w") as file:
    file.write("kept")


def forged():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name in ("x", "./x"):
            member = tarfile.TarInfo(name)
            member.size = 6
            archive.addfile(member, io.BytesIO(b"forged"))
    return buffer.getvalue()


FORGED = b"+" + forged()


def checked(result):
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def trace(request):
    libc.ptrace.restype = ctypes.c_long
    return lambda: checked(libc.ptrace(request, 1, None, None))


def memory(mode):
    return lambda: os.open("/proc/1/mem", mode)


class Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def vector(number):
    def move():
        data = ctypes.create_string_buffer(b"x" * 8)
        local = Vector(ctypes.addressof(data), 8)
        return syscall(number, 1, ctypes.byref(local), 1, ctypes.byref(Vector(0x400000, 8)), 1, 0)

    return move


def descriptor(number):
    def take():
        return os.write(syscall(438, os.pidfd_open(1), number, 0), FORGED)

    return take


def through(path):
    def write():
        with open(path, "wb", buffering=0) as file:
            return file.write(FORGED)

    return write


def files():
    return os.listdir("/proc/1/fd")


def environment():
    with open("/proc/1/environ", "rb") as file:
        return file.read() or int("none")


def link(name):
    return lambda: os.readlink("/proc/1/" + name)


for name, request in {"attach": 16, "seize": 0x4206}.items():
    in_child("ptrace " + name, trace(request))
attempt("mem read", memory(os.O_RDONLY))
attempt("mem write", memory(os.O_RDWR))
attempt("process_vm_readv", vector(310))
attempt("process_vm_writev", vector(311))
for number in (0, 1, 2):
    attempt(f"pidfd_getfd {number}", descriptor(number))
    attempt(f"fd {number}", through(f"/proc/1/fd/{number}"))
attempt("task fd 1", through("/proc/1/task/1/fd/1"))
attempt("fds", files)
attempt("exe", link("exe"))
attempt("environ", environment)
for name in sys.argv[1:]:
    os.kill(1, getattr(signal, name))
tell("end", False, "")
