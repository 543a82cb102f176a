"""Processes without end: `all` from every process, `count` from one, which says how many there were."""

import os
import sys
import time

from attempts import tell

if sys.argv[1] == "all":
    while True:
        try:
            os.fork()
        except OSError:
            time.sleep(0.01)

count = 0
try:
    while count < 5000:
        if os.fork() == 0:
            time.sleep(600)
        count += 1
except OSError as error:
    tell("stopped", False, error)
tell("forks", True, count)
