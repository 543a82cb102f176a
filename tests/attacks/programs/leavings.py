"""Leaves among the results, or in the directory given, what no host should unpack."""

import os
import socket
import stat
import sys
import tarfile
import zipfile

from attempts import attempt

HERE = sys.argv[2] if len(sys.argv) > 2 else "/regreen/results"
MIB = 1 << 20


def put(name, data=b"x"):
    with open(os.path.join(os.fsencode(HERE), os.fsencode(name)), "wb") as file:
        file.write(data)


def path(name):
    return os.path.join(HERE, name)


def kinds():
    put("good", b"good")
    attempt("symlink", lambda: os.symlink("/etc/passwd", path("symlink")))
    attempt("climbing symlink", lambda: os.symlink("../../../../etc/passwd", path("climbing")))
    attempt("directory symlink", lambda: os.symlink("/", path("root")))
    attempt("hard link", lambda: os.link(path("good"), path("hard")))
    attempt("fifo", lambda: os.mkfifo(path("fifo")))
    attempt("socket", lambda: socket.socket(socket.AF_UNIX).bind(path("socket")))
    attempt("character device", lambda: os.mknod(path("null"), stat.S_IFCHR | 0o666, os.makedev(1, 3)))
    attempt("block device", lambda: os.mknod(path("disk"), stat.S_IFBLK | 0o666, os.makedev(8, 0)))
    put("setuid")
    attempt("setuid", lambda: os.chmod(path("setuid"), 0o6755))
    put("unreadable")
    os.chmod(path("unreadable"), 0)
    os.mkdir(path("closed"), 0)


def names():
    put("good", b"good")
    for name in (
        b"new\nline", b"\x1b[2J\x1b]0;title\x07", "\u202etxt.exe".encode(), b"\xff\xfe\xfd", b" ", b"-rf", b"~",
        b"back\\slash", b"..\\..\\windows", b"a:b", b"con", b"n" * 250, b".wh.good", b"*", b"$(touch x)",
    ):  # fmt: skip
        put(name)
    deep = os.fsencode(HERE)
    for _ in range(30):
        deep = os.path.join(deep, b"d" * 120)
        if len(deep) > 3900:
            break
        os.mkdir(deep)
    put(os.path.join(deep, b"deep"))


def many():
    for number in range(int(sys.argv[3])):
        put(f"f{number:07}", b"")


def sparse():
    with open(path("sparse"), "wb") as file:
        attempt("truncate", lambda: file.truncate(3 * MIB))


def terabyte():
    with open(path("terabyte"), "wb") as file:
        attempt("truncate", lambda: file.truncate(1 << 40))
    put("good", b"good")


def moved():
    """The directory of results itself becomes a link to everything."""
    os.rename(HERE, HERE + ".old")
    attempt("link", lambda: os.symlink("/", HERE))


def bombs():
    zeros = bytes(MIB)
    with zipfile.ZipFile("/tmp/b.zip", "w", zipfile.ZIP_DEFLATED) as archive, archive.open("z", "w") as member:
        for _ in range(40):
            member.write(zeros)
    attempt("zip bomb", lambda: zipfile.ZipFile("/tmp/b.zip").extract("z", HERE))
    with tarfile.open("/tmp/b.tgz", "w:gz") as archive:
        member = tarfile.TarInfo("t")
        member.size = 40 * MIB
        archive.addfile(member, Zeros(member.size))
    with tarfile.open("/tmp/b.tgz") as archive:
        attempt("tar bomb", lambda: archive.extract("t", HERE, filter="data"))
    for name in ("z", "t"):
        if os.path.exists(path(name)):
            os.remove(path(name))
    put("good", b"good")


class Zeros:
    def __init__(self, left):
        self.left = left

    def read(self, size):
        size = min(size, self.left)
        self.left -= size
        return bytes(size)


globals()[sys.argv[1]]()
