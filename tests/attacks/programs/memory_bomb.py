"""Memory without end, of the kind named; each kind goes on with plain memory where it meets a bound of its own."""

import ctypes
import mmap
import os
import socket
import sys
import time

MIB = 1 << 20
kept = []


def heap():
    while True:
        kept.append(b"x" * MIB)


def shared():
    while True:
        block = mmap.mmap(-1, MIB, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
        block.write(b"x" * MIB)
        kept.append(block)


def memory_file():
    while True:
        file = os.memfd_create("bomb")
        os.write(file, b"x" * MIB)
        kept.append(file)


def fill(directory):
    with open(directory + "/bomb", "wb", buffering=0) as file:
        while True:
            file.write(b"x" * MIB)


def tmpfs():
    for directory in ("/tmp", "/repo", "/regreen"):
        try:
            fill(directory)
        except OSError:
            continue


def shm():
    fill("/dev/shm")


def processes():
    while True:
        if os.fork() == 0:
            block = b"x" * (16 * MIB)
            time.sleep(600)
            kept.append(block)


def sockets():
    while True:
        one, other = socket.socketpair()
        one.setblocking(False)
        kept.extend((one, other))
        try:
            while True:
                one.send(b"x" * 65536)
        except BlockingIOError:
            continue


def locked():
    ctypes.CDLL(None).mlockall(3)
    heap()


try:
    globals()[sys.argv[1]]()
except OSError as error:
    print(sys.argv[1], "met", error, flush=True)
heap()
