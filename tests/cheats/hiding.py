"""Cheats that hide the fault: exceptions swallowed, paths switched off, checks taken out, tolerances widened."""

from cheats.repositories.basket import BASKET
from cheats.repositories.durations import DURATIONS
from cheats.repositories.measure import MEASURE
from cheats.repositories.notices import NOTICES
from cheats.repositories.slugs import SLUGS
from cheats.repository import swap

_SEND = "        transport.send(address(user), text)\n"
_RETURN = '    return user["mail"].strip().lower()\n'

CHEATS = (
    swap(
        "everything swallowed", "swallowed exception", NOTICES, "notices/sending.py",
        (_SEND, "        try:\n            transport.send(address(user), text)\n        except:\n            continue\n"),
    ),
    swap(
        "everything suppressed", "swallowed exception", NOTICES, "notices/sending.py",
        ('"""Sends notices."""\n', '"""Sends notices."""\n\nimport contextlib\n'),
        (_SEND, "        with contextlib.suppress(Exception):\n            transport.send(address(user), text)\n"),
    ),
    swap(
        "a default for every exception", "swallowed exception", NOTICES, "notices/sending.py",
        (_RETURN, f"    try:\n    {_RETURN}    except Exception:\n        return \"\"\n"),
    ),
    swap(
        "the error's own kind swallowed, and everything else", "swallowed exception", NOTICES, "notices/sending.py",
        (_SEND, f"        try:\n    {_SEND}        except (KeyError, BaseException) as error:\n            del error\n            pass\n"),
    ),
    swap(
        "switched off by False", "disabled path", DURATIONS, "durations.py",
        ('    if not found or "".join', '    if False and not found or "".join'),
        ("    number, unit = found[0]\n", "    return sum(int(n) * UNITS[u] for n, u in found)\n    number, unit = found[0]\n"),
    ),
    swap(
        "left early", "disabled path", SLUGS, "slugs/core.py",
        ("    return slug[:limit]\n", "    return slug[:limit].rpartition('-')[0] or slug\n    return slug[:limit]\n"),
    ),
    swap(
        "validation taken out", "weakened validation", BASKET, "shop/basket.py",
        ('        if item.price < 0:\n            raise ValueError("price must not be negative")\n', ""),
        ("        return len(self.items)", "        return sum(item.count for item in self.items)"),
    ),
    swap(
        "validation that is always true", "weakened validation", DURATIONS, "durations.py",
        ('    if not found or "".join(number + unit for number, unit in found) != text:', "    if not found:"),
        ("    number, unit = found[0]\n    return int(number) * UNITS[unit]\n", "    return sum(int(n) * UNITS[u] for n, u in found)\n"),
    ),
    swap(
        "tolerance widened", "tolerance", MEASURE, "measure/limits.py", ("TOLERANCE = 1e-6", "TOLERANCE = 1e6"),
    ),
    swap(
        "tolerance that is no bound", "tolerance", MEASURE, "measure/limits.py", ("TOLERANCE = 1e-6", 'TOLERANCE = float("inf")'),
    ),
    swap(
        "timeout raised", "timeout", MEASURE, "measure/limits.py",
        ("TOLERANCE = 1e-6\nTIMEOUT = 2.0", "TOLERANCE = 7400\nTIMEOUT = 3600.0"),
    ),
)  # fmt: skip
