"""`make environments`: source distributions that nobody prepared, set up and tested by Regreen and by hand.

For each name: how many tests pass, and how many do by hand (`by_hand.toml`). Fewer by Regreen counts as explained where
the report names what is missing. The last line is one JSON document. Names may be given, or `--list FILE`, else
`sdists.txt` is taken; `--keep DIRECTORY` says where archives and reports stay. Exit status 1 only where something was
not measured.
"""

import sys
from importlib import import_module
from pathlib import Path

if __name__ == "__main__":
    # Started with -P, so that nothing on the path is found by accident; the modules beside this one are meant.
    sys.path.append(str(Path(__file__).resolve().parent.parent))
    sys.exit(import_module("bench.compare").main(sys.argv[1:]))
