"""A loop that no polite signal ends, with children that are no better."""

import os
import signal

for number in range(1, signal.NSIG):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        continue
os.fork()
os.setpgid(0, 0)
while True:
    pass
