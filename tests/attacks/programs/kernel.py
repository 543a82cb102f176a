"""Reaches for interfaces of the kernel that a test suite has no business with, by each way into the kernel."""

import ctypes
import mmap
import os
import socket
import stat
import struct

from attempts import attempt, in_child, libc, syscall, tell

CALLS = {"io_uring_setup": 425, "io_uring_enter": 426, "keyctl": 250, "add_key": 248, "request_key": 249, "bpf": 321,
         "perf_event_open": 298, "userfaultfd": 323, "kcmp": 312, "fanotify_init": 300, "lookup_dcookie": 212,
         "move_pages": 279, "mbind": 237, "quotactl": 179, "acct": 163, "uselib": 134, "nfsservctl": 180,
         "clone3 user": 435}  # fmt: skip
FAMILIES = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16}
X32 = 0x40000000
EXECUTABLE = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
LOW = 0x40  # MAP_32BIT: the other entry takes addresses of 32 bits
ATTRIBUTES = ctypes.create_string_buffer(struct.pack("<II", 1, 120) + b"\0" * 112, 128)


def arguments(name):
    address = ctypes.addressof(ATTRIBUTES)
    kinds = ctypes.create_string_buffer(b"user"), ctypes.create_string_buffer(b"regreen")
    pointers = [ctypes.addressof(one) for one in kinds]
    return {
        "io_uring_setup": (4, address), "keyctl": (0, -3, 1), "add_key": (*pointers, address, 4, -3),
        "request_key": (*pointers, 0, -3), "bpf": (0, address, 48), "perf_event_open": (address, 0, -1, -1, 0),
        "userfaultfd": (1,), "kcmp": (os.getpid(), os.getpid(), 0, 0, 1), "fanotify_init": (0, 0),
        "mbind": (0, 0, 0, 0, 0, 0),
        "clone3 user": (ctypes.addressof(ctypes.create_string_buffer(struct.pack("<Q", 1 << 28), 88)), 88),
    }.get(name, (address, 0, 0, 0, 0))  # fmt: skip


def call(number, given):
    def action():
        return syscall(number, *given)

    return action


def family(number, kind):
    def action():
        with socket.socket(number, kind, 0) as one:
            return one.fileno()

    return action


def interrupt(number, *given):
    """The 32-bit entry: `int 0x80` with ebx, ecx, edx, esi, edi; raises what it answers."""
    code = b"\x53\x56\x57" + b"\xb8" + struct.pack("<I", number)
    for opcode, value in zip((0xBB, 0xB9, 0xBA, 0xBE, 0xBF), given, strict=False):
        code += bytes([opcode]) + struct.pack("<I", value & 0xFFFFFFFF)
    code += b"\xcd\x80\x5f\x5e\x5b\xc3"

    def action():
        place = low(code)
        result = ctypes.CFUNCTYPE(ctypes.c_int)(place)()
        if result < 0:
            raise OSError(-result, os.strerror(-result))
        return result

    return action


def low(data):
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
    place = libc.mmap(None, 4096, EXECUTABLE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | LOW, -1, 0)
    if place in {None, ctypes.c_void_p(-1).value}:
        raise OSError("no executable memory")
    ctypes.memmove(place, data, len(data))
    return place


def made(action):
    """A socket, and not just a number: gVisor takes the numbers of this entry for those of the other."""

    def check():
        descriptor = action()
        if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
            raise OSError(f"no socket: {descriptor}")
        return descriptor

    return check


def socketcall(number):
    return made(interrupt(102, 1, low(struct.pack("<III", number, 5, 0))))


for name, number in CALLS.items():
    in_child(name, call(number, arguments(name)))
for name, number in {"keyctl": 250, "socket": 41, "io_uring_setup": 425}.items():
    given = (38, 5, 0) if name == "socket" else arguments(name)
    in_child(f"x32 {name}", call(X32 | number, given))
for number in range(1, 50):
    if number not in FAMILIES.values():
        for kind in (1, 2, 3, 5):
            attempt(f"family {number} {kind}", family(number, kind))
in_child("int80 getpid", interrupt(20))
in_child("int80 socketcall alg", socketcall(38))
in_child("int80 socketcall vsock", socketcall(40))
in_child("int80 socketcall inet", socketcall(2))
in_child("int80 socket alg", made(interrupt(359, 38, 5, 0)))
in_child("int80 socket vsock", made(interrupt(359, 40, 1, 0)))
for name, number in {"keyctl": 288, "io_uring_setup": 425, "bpf": 357, "perf_event_open": 336, "userfaultfd": 374,
                     "unshare": 310}.items():  # fmt: skip
    values = {"keyctl": (0, 0xFFFFFFFD, 1), "unshare": (1 << 28,), "userfaultfd": (1,)}.get(name, (0, 0, 0))
    in_child(f"int80 {name}", interrupt(number, *values))
tell("end", False, "")
