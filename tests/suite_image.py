"""An environment image with the pytest that runs these tests, made without a registry."""

import io
import py_compile
import tempfile
from collections.abc import Iterator
from importlib.metadata import files
from importlib.util import cache_from_source
from pathlib import Path

from sandbox.containers.archive import pack
from sandbox.containers.engine import DockerEngine
from sandbox.spec import File

_DISTRIBUTIONS = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
_HOME = "lib/python3/dist-packages"


def build_suite_image(engine: DockerEngine, base: str, reference: str) -> None:
    """`base` with pytest, as pure Python; the caller removes it."""
    tree = {f"{_HOME}/{path}": file for name in _DISTRIBUTIONS for path, file in _files(name)}
    engine.layer(base, io.BytesIO(b"".join(pack({"usr": tree}))), reference, {"regreen.test": "1"})


def _files(name: str) -> Iterator[tuple[str, File]]:
    """The sources of a distribution, and their byte code: compiling pytest takes longer than most suites."""
    for path in files(name) or ():
        if ".." not in path.parts and path.suffix != ".pyc":
            source = Path(str(path.locate()))
            yield str(path), File(source.read_bytes())
            if path.suffix == ".py":
                yield cache_from_source(str(path)), File(_compiled(source))


def _compiled(source: Path) -> bytes:
    with tempfile.NamedTemporaryFile() as target:
        # Unchecked, since the files' dates are not those of this machine; another version of Python ignores it.
        py_compile.compile(str(source), target.name, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
        return Path(target.name).read_bytes()
