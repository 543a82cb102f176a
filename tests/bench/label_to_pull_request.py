"""`make bench`: seconds from a label to a pull request, beside what any tool would have to do for them.

The last line of its output is one JSON document. The exit status is about the measurement: 0 whatever the figures say,
1 when there are none. `--repeat N` sets the warm repetitions, `--only sample|real` leaves the other subject out.
"""

import sys
from importlib import import_module
from pathlib import Path

if __name__ == "__main__":
    # Started with -P, so that nothing on the path is found by accident; the modules beside this one are meant.
    sys.path.append(str(Path(__file__).resolve().parent.parent))
    sys.exit(import_module("bench.measure").main(sys.argv[1:]))
