"""Leaves its session twice, and leaves a child behind that goes on; the marker is in everybody's command line."""

import os
import sys
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for descriptor in (0, 1, 2):
            os.close(descriptor)
        time.sleep(600)
    os._exit(0)
time.sleep(float(sys.argv[2]))
