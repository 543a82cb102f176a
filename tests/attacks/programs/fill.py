"""Fills every place that can be written to, found by trying: first with data, then with names."""

import os
import sys

from attempts import tell

CHUNK = b"x" * 65536


def writable():
    for place, directories, _ in os.walk("/"):
        directories[:] = [name for name in directories if (place, name) not in {("/", "proc"), ("/", "sys")}]
        probe = os.path.join(place, ".probe")
        try:
            os.close(os.open(probe, os.O_CREAT | os.O_WRONLY))
            os.unlink(probe)
        except OSError:
            continue
        yield place


def data(place):
    size, number = 0, 0
    try:
        while True:
            with open(f"{place}/fill{number}", "wb", buffering=0) as file:
                number += 1
                try:
                    while True:
                        size += file.write(CHUNK)
                except OSError as error:
                    if error.errno != 27:  # EFBIG: the next file may go on
                        raise
    except OSError:
        for name in range(number):
            os.unlink(f"{place}/fill{name}")
        return size


def names(place, limit):
    number = 0
    try:
        while number < limit:
            os.mknod(f"{place}/name{number}")
            number += 1
    except OSError:
        pass
    return number


places = list(writable())
tops = [place for place in places if os.path.dirname(place) not in places or os.path.dirname(place) == "/"]
for place in tops:
    if sys.argv[1] == "data":
        tell(place, True, data(place))
    else:
        tell(place, True, names(place, int(sys.argv[2])))
for place in ("/", "/etc", "/usr/bin", "/var/tmp", "/run", "/dev", "/root", "/home", "/opt", "/var/lib"):
    try:
        os.close(os.open(f"{place}/escaped", os.O_CREAT | os.O_WRONLY))
        tell(f"root {place}", True, "written")
    except OSError as error:
        tell(f"root {place}", False, error)
