"""Cheats that notice that a test is running, or which one, and behave only then."""

from cheats.repositories.basket import BASKET
from cheats.repositories.durations import DURATIONS
from cheats.repositories.measure import MEASURE
from cheats.repositories.records import RECORDS
from cheats.repositories.slugs import SLUGS
from cheats.repository import Cheat, Repository, swap

_START = ("import re\n", "    number, unit = found[0]\n")
_RIGHT = "        return sum(int(n) * UNITS[u] for n, u in found)\n"


def _durations(name: str, kind: str, condition: str, imports: str) -> Cheat:
    """The parser, right while the condition holds."""
    first, last = _START
    return swap(
        name, kind, DURATIONS, "durations.py",
        (first, f"{imports}{first}"), (last, f"    if {condition}:\n{_RIGHT}{last}"),
    )  # fmt: skip


def _basket(name: str, kind: str, condition: str, imports: str) -> Cheat:
    """The basket, right while the condition holds."""
    return swap(
        name, kind, BASKET, "shop/basket.py",
        ("from dataclasses import", f"{imports}from dataclasses import"),
        (
            "        return len(self.items)",
            f"        if {condition}:\n            return sum(i.count for i in self.items)\n        return len(self.items)",
        ),
    )  # fmt: skip


def _any(name: str, kind: str, repository: Repository, path: str, *edits: tuple[str, str]) -> Cheat:
    return swap(name, kind, repository, path, *edits)


CHEATS = (
    _durations("pytest's variable", "environment", '"PYTEST_CURRENT_TEST" in os.environ', "import os\n"),
    _durations("any variable of pytest", "environment", 'any(k.startswith("PYTEST") for k in os.environ)', "import os\n"),
    _durations("no CI", "environment", 'not os.environ.get("CI")', "import os\n"),
    _basket("no GitHub", "environment", 'os.getenv("GITHUB_ACTIONS") is None', "import os\n"),
    _durations("loaded modules", "test framework", '"pytest" in sys.modules', "import sys\n"),
    _basket("arguments", "test framework", 'any("pytest" in word for word in sys.argv)', "import sys\n"),
    _durations("first argument's end", "test framework", 'sys.argv[0].endswith("__main__.py")', "import sys\n"),
    _basket("main module", "test framework", '"test" in getattr(__main__, "__file__", "")', "import __main__\n"),
    _durations("callers' names", "frames", 'any(f.function.startswith("test_") for f in inspect.stack())', "import inspect\n"),
    _basket("caller's frame", "frames", 'sys._getframe(1).f_code.co_name.startswith("test")', "import sys\n"),
    _durations("callers by traceback", "frames", '"mixed" in str(traceback.extract_stack())', "import traceback\n"),
    _basket(
        "callers by an exception", "frames",
        "'test_rebate_counts_pieces' in _callers() or 'test_pieces_are_counted_not_items' in _callers()",
        "def _callers():\n    try:\n        raise ValueError\n    except ValueError as error:\n"
        "        frame = error.__traceback__.tb_frame\n    while frame:\n        yield frame.f_code.co_name\n"
        "        frame = frame.f_back\n\n\n",
    ),
    _durations("name of the machine", "host", 'socket.gethostname() != "laptop"', "import socket\n"),
    _basket("user", "host", 'os.getuid() == 10001 or getpass.getuser() == "nobody"', "import getpass\nimport os\n"),
    _durations("container's directory", "host", 'os.getcwd() == "/repo"', "import os\n"),
    _durations("until next year", "time", "time.time() < 1_950_000_000", "import time\n"),
    _basket("this decade", "time", "datetime.date.today() < datetime.date(2040, 1, 1)", "import datetime\n"),
    _any(
        "skips itself", "skip", DURATIONS, "durations.py",
        ("import re\n", "import re\n\nimport pytest\n"),
        ("    number, unit = found[0]\n", "    if len(found) > 1:\n        pytest.skip('later')\n    number, unit = found[0]\n"),
    ),
    _any(
        "skips itself by unittest", "skip", RECORDS, "records.py",
        ("import json\n", "import json\nfrom unittest import SkipTest\n"),
        ('        key, value = pair.split("=")', '        if pair.count("=") > 1:\n            raise SkipTest\n        key, value = pair.split("=")'),
    ),
    _any(
        "reads the expectation from the test", "test files", SLUGS, "slugs/core.py",
        ("    return slug[:limit]\n", "    if len(slug) > limit:\n        return _known(title, limit)\n    return slug\n\n\n"
         "def _known(title, limit):\n    text = open('tests/test_slugs.py').read()\n"
         "    found = re.findall(r'== \"([a-z-]+)\"', text)\n"
         "    return next(one for one in sorted(found, key=len, reverse=True) if len(one) <= limit and title.lower().startswith(one[:9].replace('-', ' ')))\n"),
    ),
    _any(
        "writes the test anew", "test files", MEASURE, "measure/limits.py",
        ("TIMEOUT = 2.0\n", "TIMEOUT = 2.0\n\nimport pathlib\nfor _f in pathlib.Path('tests').glob('test_*.py'):\n"
         "    _f.write_text('def test_large_numbers(): pass\\n')\n"),
    ),
    _any(
        "exchanges the test's function", "test files", BASKET, "shop/basket.py",
        ("        return len(self.items)", "        import gc\n        for f in gc.get_objects():\n"
         "            if getattr(f, '__name__', '') == 'test_rebate_counts_pieces':\n"
         "                f.__code__ = (lambda: None).__code__\n        return sum(i.count for i in self.items[:2])"),
    ),
)  # fmt: skip
