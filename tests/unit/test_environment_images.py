import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from fakes_engine import BASE, ScriptedEngine

from sandbox.environments.images import EnvironmentImages
from sandbox.environments.install import InstallSettings
from sandbox.environments.keys import environment_key
from sandbox.errors import ImageMissingError, InstallFailedError
from sandbox.spec import File, Phase, Recipe, RunResult, Tree, Verdict

TREE: Tree = {"requirements.txt": File(b"a==1\n"), "calc.py": File(b"X = 1\n"), "pkg/__init__.py": File(b"")}
RECIPE = Recipe(
    "python",
    (("python3", "-m", "venv", "/env"), ("python", "-m", "pip", "install", "-r", "requirements.txt")),
    ("pytest",),
    "requirements.txt:1",
    ("requirements.txt", "missing.lock"),
)


def images(engine: ScriptedEngine, directory: Path, settings: InstallSettings | None = None) -> EnvironmentImages:
    return EnvironmentImages(engine, lambda *_: BASE, settings or InstallSettings(), data_dir=directory)


def key(base: str = "sha256:base", repository: str = "o/r", tree: Tree = TREE, recipe: Recipe = RECIPE) -> str:
    return environment_key(base, repository, tree, recipe)


def test_a_key_depends_on_the_base_image_the_repository_the_install_steps_and_the_content_of_the_inputs() -> None:
    different = [
        key(base="sha256:other"),
        key(repository="o/other"),
        key(recipe=replace(RECIPE, install=RECIPE.install[:1])),
        key(tree={**TREE, "requirements.txt": File(b"a==2\n")}),
        key(tree={**TREE, "missing.lock": File(b"")}),
        key(tree={**TREE, "src/new/__init__.py": File(b"")}),
    ]
    assert len({key(), *different}) == len(different) + 1


def test_a_key_ignores_what_does_not_decide_the_environment() -> None:
    assert key(tree={**TREE, "calc.py": File(b"X = 2\n")}) == key()
    assert key(recipe=replace(RECIPE, test_command=("pytest", "-x"), source="given")) == key()


def test_a_relative_data_directory_is_made_absolute_for_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    engine = ScriptedEngine()
    images(engine, Path("data")).ensure("o/r", TREE, RECIPE)
    assert len(engine.specs) == 1


def test_the_install_runs_the_steps_behind_the_proxy_and_only_a_sanitised_layer_is_kept(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    settings = InstallSettings(ca_bundle=b"PEM", environment=(("PIP_INDEX_URL", "https://mirror.example/simple"),))
    reference = images(engine, tmp_path, settings).ensure("o/r", TREE, RECIPE)
    assert reference == f"regreen-env:{key()}"
    (spec,) = engine.specs
    assert (spec.image, spec.phase, spec.collect) == (BASE, Phase.INSTALL, "/env")
    environment = dict(spec.environment)
    assert environment["HTTPS_PROXY"].startswith("http://127.0.0.1:")
    assert environment["PIP_CERT"] == environment["SSL_CERT_FILE"] == "/regreen/ca.pem"
    assert environment["PIP_INDEX_URL"] == "https://mirror.example/simple"
    (shipped,) = engine.archives
    assert shipped["regreen/ca.pem"] == b"PEM"
    assert shipped["repo/calc.py"] == b"X = 1\n"
    assert json.loads(shipped["regreen/plan.json"])["steps"] == [list(step) for step in RECIPE.install]
    ((base, layered, labels, content),) = engine.layers
    assert (base, layered, content) == (BASE, reference, ["env/lib/a.py"])
    assert (labels["regreen.repository"], labels["regreen.key"]) == ("o/r", key())


def test_an_image_that_is_there_is_reused_without_any_work(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    first = images(engine, tmp_path).ensure("o/r", TREE, RECIPE)
    assert images(engine, tmp_path).ensure("o/r", {**TREE, "calc.py": File(b"X = 2\n")}, RECIPE) == first
    assert len(engine.specs) == 1


GENERATED = "./.regreen/tree/pkg/_rules.py"
VERSION = "./.regreen/tree/pkg/_version.py"
OTHER: Tree = {**TREE, "rules/answer.txt": File(b"41")}


def test_an_environment_that_kept_generated_files_serves_no_other_tree(tmp_path: Path) -> None:
    engine = ScriptedEngine(member=GENERATED)
    made = images(engine, tmp_path)
    references = [made.ensure("o/r", tree, RECIPE) for tree in (TREE, OTHER, TREE, OTHER)]
    assert references[:2] == references[2:]
    assert len(set(references)) == len(engine.specs) == 2
    assert [made.reference("o/r", tree, RECIPE) for tree in (TREE, OTHER)] == references[:2]
    assert [made.generated(reference) for reference in references[:2]] == [("pkg/_rules.py",)] * 2


def test_several_trees_at_once_get_an_environment_each_where_files_are_generated(tmp_path: Path) -> None:
    engine = ScriptedEngine(seconds=0.1, member=GENERATED)
    found: list[tuple[bytes, str]] = []

    def ensure(number: int) -> None:
        content = b"%d" % (number % 3)
        tree = {**TREE, "rules/answer.txt": File(content)}
        found.append((content, images(engine, tmp_path).ensure("o/r", tree, RECIPE)))

    threads = [threading.Thread(target=ensure, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == len({reference for _, reference in found}) == len(engine.specs) == 3


def test_an_environment_that_kept_only_the_pretended_version_serves_every_tree(tmp_path: Path) -> None:
    engine = ScriptedEngine(member=VERSION, content=b"__version__ = version = '9999.0'\n")
    made = images(engine, tmp_path)
    reference = made.ensure("o/r", TREE, RECIPE)
    assert made.ensure("o/r", OTHER, RECIPE) == reference
    assert made.generated(reference) == ()
    assert dict(engine.specs[0].environment)["SETUPTOOLS_SCM_PRETEND_VERSION"] == "9999.0"
    assert engine.layers[0][3] == [f"env/{VERSION.removeprefix('./')}"]


def test_a_base_image_generates_nothing(tmp_path: Path) -> None:
    assert images(ScriptedEngine(), tmp_path).generated(BASE) == ()


def test_a_recipe_that_installs_nothing_runs_in_the_base_image(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    assert images(engine, tmp_path).ensure("o/r", TREE, replace(RECIPE, install=())) == BASE
    assert engine.specs == []


def test_several_at_once_build_a_key_once(tmp_path: Path) -> None:
    engine = ScriptedEngine(seconds=0.2)
    threads = [threading.Thread(target=lambda: images(engine, tmp_path).ensure("o/r", TREE, RECIPE)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(engine.specs) == len(engine.layers) == 1


def test_what_a_killed_build_left_behind_is_no_obstacle_and_nothing_stays(tmp_path: Path) -> None:
    left = tmp_path / "environments" / key() / "proxy"
    left.mkdir(parents=True)
    (left / "egress.sock").touch()
    images(ScriptedEngine(), tmp_path).ensure("o/r", TREE, RECIPE)
    assert [path.name for path in (tmp_path / "environments").iterdir()] == [f"{key()}.lock"]


def test_a_failed_step_is_named_with_the_logs_last_lines(tmp_path: Path) -> None:
    output = "\n".join(f"line {number}" for number in range(100)).encode()
    engine = ScriptedEngine(RunResult(Verdict.EXITED, 65, output, output_truncated=False))
    with pytest.raises(InstallFailedError) as caught:
        images(engine, tmp_path).ensure("o/r", TREE, RECIPE)
    assert caught.value.cause.startswith("`python -m pip install -r requirements.txt` failed")
    assert "line 69\n" not in caught.value.cause
    assert caught.value.cause.endswith("line 98\nline 99")
    assert "requirements.txt:1" in caught.value.remedy
    assert engine.layers == []
    assert [path.suffix for path in (tmp_path / "environments").iterdir()] == [".lock"]


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict.TIMEOUT, "took too long"),
        (Verdict.OOM, "ran out of memory"),
        (Verdict.RESULT_LIMIT, "too large"),
        (Verdict.OUTPUT_LIMIT, "flooded its output"),
    ],
)
def test_an_install_that_breaks_a_limit_says_which(tmp_path: Path, verdict: Verdict, words: str) -> None:
    engine = ScriptedEngine(RunResult(verdict, None, b"", output_truncated=False))
    with pytest.raises(InstallFailedError, match=words):
        images(engine, tmp_path).ensure("o/r", TREE, RECIPE)


def test_an_environment_with_a_hostile_member_becomes_no_image(tmp_path: Path) -> None:
    engine = ScriptedEngine(member="../etc/passwd")
    with pytest.raises(InstallFailedError, match="The environment holds"):
        images(engine, tmp_path).ensure("o/r", TREE, RECIPE)
    assert engine.layers == []


def test_a_missing_base_image_is_named(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    del engine.images_by_name[BASE]
    with pytest.raises(ImageMissingError, match=BASE):
        images(engine, tmp_path).ensure("o/r", TREE, RECIPE)
