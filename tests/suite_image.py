"""An environment image with the pytest that runs these tests, made without a registry."""

import io
from importlib.metadata import files

from sandbox.archive import pack
from sandbox.engine import DockerEngine
from sandbox.spec import File

_DISTRIBUTIONS = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
_HOME = "lib/python3/dist-packages"


def build_suite_image(engine: DockerEngine, base: str, reference: str) -> None:
    """`base` with pytest, as pure Python; the caller removes it."""
    tree = {
        f"{_HOME}/{path}": File(path.locate().read_bytes())
        for name in _DISTRIBUTIONS
        for path in files(name) or ()
        if ".." not in path.parts and path.suffix != ".pyc"
    }
    engine.layer(base, io.BytesIO(b"".join(pack({"usr": tree}))), reference, {"regreen.test": "1"})
