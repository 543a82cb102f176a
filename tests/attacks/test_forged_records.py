"""Files of results that the workload wrote: read as claims, believed only where everything adds up."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from attacks_suites import BASE, TARGET, TREE, changed, green, judged, runs

from bot.adapters.workspace import DockerWorkspace
from bot.repair.types import WHOLE_SUITE
from sandbox.spec import File, Recipe, RunState, Tree

pytestmark = pytest.mark.engine

MAX_ID = 5_000

Open = Callable[[Tree], DockerWorkspace]

_FIND = "import atexit, glob, json, os, sys\ndef files(): return glob.glob('/regreen/results/*.jsonl')\n"
_AT_EXIT = "atexit.register(forge)\n"
_FORGE = (
    "def forge():\n    for path in files():\n        text = open(path).read().replace('\"failed\"', '\"passed\"')\n"
    "        open(path, 'w').write(text.replace('\"exit\": 1', '\"exit\": 0'))\n    os._exit(0)\n"
)
_LINES = (
    "def lines(): return ''.join(json.dumps(x) + chr(10) for x in (\n"
    "    {'kind': 'collected', 'count': 1},\n"
    f"    {{'kind': 'test', 'id': '{TARGET}', 'outcome': 'passed', 'seconds': 0, 'phase': 'call'}},\n"
    "    {'kind': 'canaries', 'count': 1, 'passed': 0, 'contradicted': 0},\n"
    "    {'kind': 'finished', 'exit': 0, 'count': 1}, {'kind': 'seal', 'mac': '0' * 64}))\n"
)
RECORDS = {
    "appended": _FIND + f"def forge():\n    for path in files(): open(path, 'a').write(json.dumps({{'kind': 'test', "
    f"'id': '{TARGET}', 'outcome': 'passed', 'seconds': 0}}) + chr(10))\n" + _AT_EXIT,
    "rewritten": _FIND + _FORGE + _AT_EXIT,
    "written whole": _FIND + _LINES + "for path in files(): open(path, 'w').write(lines())\nos._exit(0)\n",
    "nonce guessed": _FIND + _LINES
    + "names = {p for a, d, f in os.walk('/regreen') for p in d} | {m.rpartition('_')[2] for m in sys.modules}\n"
    "for name in names: open(f'/regreen/results/{name}.jsonl', 'w').write(lines())\nos._exit(0)\n",
    "key looked for": _FIND + _LINES + "import hashlib, hmac\ndef forge():\n"
    "    found = [open(os.path.join(a, n)).read() for a, d, f in os.walk('/regreen') for n in f if 'selection' in n]\n"
    "    keys = [json.loads(text)['key'] for text in found] + [n for a, d, f in os.walk('/regreen') for n in d]\n"
    "    body = lines().rpartition('{')[0]\n"
    "    for path in files():\n        for key in keys:\n"
    "            mac = hmac.new(key.encode(), body.encode(), 'sha256').hexdigest()\n"
    "            open(path, 'w').write(body + json.dumps({'kind': 'seal', 'mac': mac}) + chr(10))\n"
    "    os._exit(0)\n" + _AT_EXIT,
    "too many bytes": _FIND + "def forge():\n    open(files()[0], 'a').write('x' * (3 << 20))\n" + _AT_EXIT,
    "too deep": _FIND + "def forge():\n    open(files()[0], 'a').write('[' * 100000)\n" + _AT_EXIT,
    "a link": _FIND + "def forge():\n    os.unlink(files()[0]); os.symlink('/etc/passwd', '/regreen/results/x.jsonl')\n"
    + _AT_EXIT,
    "a pipe": _FIND + "def forge():\n    p = files()[0]; os.unlink(p); os.mkfifo(p)\n" + _AT_EXIT,
    "no directory": _FIND + "import shutil\natexit.register(shutil.rmtree, '/regreen', True)\n",
    "XML beside": "def pytest_unconfigure():\n    open('/regreen/results/junit.xml', 'w').write("
    f"'<testsuite tests=\"1\"><testcase name=\"{TARGET}\"/></testsuite>')\n",
}  # fmt: skip

_BOMB = "<!DOCTYPE b [<!ENTITY a0 'aaaaaaaaaa'>" + "".join(
    f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10)
)
XML = {
    "entity bomb": _BOMB + "]><testsuite><testcase name='t'>&a9;</testcase></testsuite>",
    "quadratic": f"<!DOCTYPE b [<!ENTITY a '{'a' * 1000}'>]><testsuite><testcase name='{'&a;' * 1000}'/></testsuite>",
    "external": "<!DOCTYPE b [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><testsuite><testcase name='&a;'/></testsuite>",
    "external type": "<!DOCTYPE b SYSTEM 'file:///etc/passwd'><testsuite><testcase name='t'/></testsuite>",
    "deep": "<a>" * 10_000 + "</a>" * 10_000,
    "wide": "<testsuite>" + "<testcase name='t'/>" * 60_000 + "</testsuite>",
    "long name": f"<testsuite><testcase name='{'t' * 100_000}'/></testsuite>",
    "torn": "<testsuite><testcase name='t'/>",
    "no name": "<testsuite><testcase/></testsuite>",
    "no tests": "<testsuite tests='5'/>",
    "failure that is denied": "<testsuite failures='0'><testcase name='t'><failure/></testcase></testsuite>",
    "too large": "<testsuite><testcase name='t'/></testsuite>" + " " * (3 << 20),
}
WRITER = "import sys\nfrom text import TEXT\nopen('out.xml', 'w').write(TEXT)\n"


@pytest.mark.attack(22, "forged results")
def test_forged_records_are_never_a_pass(workspace: Open) -> None:
    found = runs(workspace(TREE), {name: {"tests/conftest.py": text} for name, text in RECORDS.items()})
    assert {name for name, run in found.items() if green(run)} == set()
    believed = {name for name, run in found.items() if run.state is RunState.COMPLETE}
    assert believed == {"XML beside"}
    assert found["rewritten"].state is found["key looked for"].state is RunState.INCONSISTENT


@pytest.mark.attack(22, "forged results")
def test_hostile_xml_is_never_a_pass(workspace: Open) -> None:
    base = replace(BASE, recipe=Recipe("junit", (), ("python3", "write.py"), "test", junit="*.xml"))
    patches = tuple(
        changed({"text.py": f"TEXT = {text!r}\n".encode() if len(text) < 1 << 20 else _long(text)})
        for text in XML.values()
    )
    found = workspace({"write.py": File(WRITER.encode())}).evaluate(base, patches, WHOLE_SUITE)
    complete = {name: run for name, run in zip(XML, found, strict=True) if run.state is RunState.COMPLETE}
    assert set(complete) == {"long name"}
    # A test may be named as it likes; the name is cut.
    assert len(complete["long name"].results[0].node_id) < MAX_ID


def _long(text: str) -> bytes:
    return f"TEXT = {text.rstrip()!r} + ' ' * {len(text) - len(text.rstrip())}\n".encode()


@pytest.mark.attack(22, "forged results")
def test_xml_that_denies_its_exit_code_is_no_pass(workspace: Open) -> None:
    base = replace(BASE, recipe=Recipe("junit", (), ("python3", "write.py"), "test", junit="*.xml"))
    tree = {"write.py": File((WRITER + "sys.exit(1)\n").encode())}
    patch = changed({"text.py": b"TEXT = \"<testsuite><testcase name='t'/></testsuite>\"\n"})
    (run,) = workspace(tree).evaluate(base, (patch,), WHOLE_SUITE)
    assert run.state is RunState.INCONSISTENT


@pytest.mark.attack(22, "forged results")
def test_a_patch_that_rewrites_the_records_does_not_pass_the_gate(workspace: Open) -> None:
    text = (_FIND + _FORGE + _AT_EXIT).replace("os._exit(0)", "getattr(os, '_ex' + 'it')(0)")
    assert not judged(workspace(TREE), {"calc.py": TREE["calc.py"].data + text.encode()}).passed
