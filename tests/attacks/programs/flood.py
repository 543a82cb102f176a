"""Output without end, on the descriptor or file named."""

import os
import sys

try:
    target = int(sys.argv[1]) if sys.argv[1].isdecimal() else os.open(sys.argv[1], os.O_WRONLY)
except OSError as error:
    print("refused", error, flush=True)
    target = 1
while True:
    os.write(target, b"x" * 65536)
