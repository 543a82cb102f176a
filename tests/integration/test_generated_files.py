"""What a build writes into the tree is there when the tests run, though the tree is sent afresh."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox.containers.archive import pack
from sandbox.containers.engine import DockerEngine
from sandbox.environments.images import EnvironmentImages
from sandbox.environments.install import InstallSettings
from sandbox.errors import TreeTooLargeError
from sandbox.guest import install
from sandbox.spec import MIB, File, Limits, Recipe, RunSpec, Tree

TREE: Tree = {
    "p/__init__.py": File(b""),
    "p/kept.py": File(b"VALUE = 'tracked'\n"),
    "check.py": File(b"from p import _version, kept\nprint(_version.VALUE, kept.VALUE)\n"),
}
WRITES = """
from pathlib import Path
Path("p/_version.py").write_text("VALUE = 'generated'")
Path("/env/.regreen/tree/deep").mkdir(parents=True)
for name in ("deep/conftest.py", "pytest.ini", "json.py"):
    Path("/env/.regreen/tree", name).write_text("raise SystemExit(0)")
Path("/env/.regreen/tree/link").symlink_to("/env/bin")
Path("p/kept.py").write_text("VALUE = 'overwritten'")
Path("conftest.py").write_text("raise SystemExit(0)")
Path("p/large.bin").write_bytes(bytes(2 << 20))
Path("p/link.py").symlink_to("/etc/passwd")
"""
RECIPE = Recipe(
    "script", (("python3", "-m", "venv", "--without-pip", "/env"), ("python3", "-c", WRITES)), (), "the test"
)


@pytest.fixture
def image(engine: DockerEngine, base_image: str, runtime: str | None, tmp_path: Path) -> Iterator[str]:
    # The directory of the proxy's socket is passed through by the container's user.
    for directory in (tmp_path, *tmp_path.parents[:2]):
        directory.chmod(0o755)
    settings = InstallSettings(runtime=runtime)
    images = EnvironmentImages(engine, lambda *_: base_image, settings, data_dir=tmp_path)
    reference = images.ensure(f"regreen-tests/generated-{runtime}", TREE, RECIPE)
    yield reference
    engine.remove_image(reference)


@pytest.mark.engine
def test_generated_files_lie_under_the_tree_of_every_run(
    engine: DockerEngine, image: str, runtime: str | None, run_label: Callable[[], str]
) -> None:
    def output(command: tuple[str, ...], tree: Tree) -> bytes:
        environment = (("PYTHONDONTWRITEBYTECODE", "1"),)
        spec = RunSpec(run_label(), image, command, environment=environment, runtime=runtime)
        return engine.run(spec, pack({"repo": tree})).output

    assert output(("python3", "check.py"), TREE) == b"generated tracked\n"
    patched = {**TREE, "p/_version.py": File(b"VALUE = 'patched'\n")}
    assert output(("python3", "check.py"), patched) == b"patched tracked\n"
    # Not ls, whose system calls this gVisor does not all know.
    listing = ("python3", "-c", "import os; print(*sorted(os.listdir()), *sorted(os.listdir('p')))")
    assert output(listing, TREE) == b"check.py deep p __init__.py _version.py kept.py large.bin\n"


@pytest.mark.engine
def test_generated_files_that_do_not_fit_beside_the_tree_are_no_silent_loss(
    engine: DockerEngine, image: str, runtime: str | None, run_label: Callable[[], str]
) -> None:
    spec = RunSpec(run_label(), image, ("true",), limits=Limits(tree=MIB), runtime=runtime)
    with pytest.raises(TreeTooLargeError):
        engine.run(spec, pack({"repo": {}}))


def test_nothing_that_decides_which_tests_run_is_kept_nor_anything_where_there_is_too_much(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree, environment = tmp_path / "tree", tmp_path / "env"
    kept = environment / ".regreen" / "tree"
    (environment / "lib" / "python3.11" / "site-packages" / "requests").mkdir(parents=True)
    names = ["a.py", "sub/b.so", "sub/conftest.py", "tests/test_a.py", "pytest.ini", "x.pth"]
    names += ["json.py", "json/__init__.py", "select.abi3.so", "requests.py", "sub/json.py"]
    names += ["node_modules/c.js", "p.egg-info/PKG-INFO", "build/lib/d.py"]
    for name in names:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("x")
    install.keep_generated(tree, set(), environment)
    assert {str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file()} == {
        "a.py",
        "sub/b.so",
        "sub/json.py",
    }
    for number in range(install.MOST_FILES):
        (tree / f"{number}.py").write_text("x")
    install.keep_generated(tree, set(), tmp_path / "none")
    assert not (tmp_path / "none").exists()
    assert "too many files" in capsys.readouterr().out
