"""Manifests are hostile: what no parser may see, and what a few bytes must not multiply into."""

import pytest

from sandbox.detect import detect
from sandbox.detect.python import legacy
from sandbox.detect.python.declared import MAX_ENTRIES, MAX_SETS
from sandbox.detect.reading import MAX_LINE, MAX_SIZE
from sandbox.errors import DetectionError
from sandbox.spec import File, Recipe

NAMED = '[project]\nname = "p"\n'
PARSED = ["pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", ".pytest.ini"]


def detected(**files: str) -> Recipe:
    return detect({"test_a.py": File(b""), **{path: File(text.encode()) for path, text in files.items()}})


@pytest.mark.parametrize("path", PARSED)
def test_no_parser_sees_a_line_or_a_file_that_is_too_long(path: str) -> None:
    with pytest.raises(DetectionError, match=f"{path} has a line of more than {MAX_LINE} characters"):
        detected(**{path: "#" + " " * MAX_LINE})
    with pytest.raises(DetectionError, match=f"{path} is larger than {MAX_SIZE // 1024} KiB"):
        detected(**{path: "#\n" * (MAX_SIZE // 2 + 1)})


def test_a_setup_script_may_have_long_lines_but_is_not_larger_either() -> None:
    long = "x" * 5000
    assert detected(**{"setup.py": f"setup(description='{long}', extras_require={{'test': []}})"}).install[1][-1] == (
        ".[test]"
    )
    with pytest.raises(DetectionError, match=r"setup\.py is larger"):
        detected(**{"setup.py": "#\n" * MAX_SIZE})


@pytest.mark.parametrize("separator", [".", " . "])
def test_a_key_that_is_absurdly_deep_is_refused_before_it_is_parsed(separator: str) -> None:
    with pytest.raises(DetectionError, match="more than 100 dots"):
        detected(**{"pyproject.toml": separator.join("a" * 200) + " = 1\n"})


@pytest.mark.parametrize("version", ["^" + "9" * 900 + "\\\n" + "9" * 900 + "\\\n", "^\u00b2"])
def test_a_number_that_python_will_not_read_is_an_error_or_no_number(version: str) -> None:
    text = version * (6 if "9" in version else 1)
    manifest = f'[tool.poetry]\nname = "p"\n[tool.poetry.group.test.dependencies]\na = """{text}"""\n'
    try:
        assert detected(**{"pyproject.toml": manifest}).install
    except DetectionError as error:
        assert "cannot be read" in error.cause  # noqa: PT017 - either way is right, a plain ValueError is not


def test_an_integer_of_thousands_of_digits_is_an_error_of_detection() -> None:
    with pytest.raises(DetectionError):
        detected(**{"pyproject.toml": f"a = {'9' * 5000}\n"})


def test_default_settings_are_not_copied_into_every_section() -> None:
    def settings(count: int) -> int:
        lines = ["[DEFAULT]", *(f"k{n} = 1" for n in range(count)), *(f"[s{n}]" for n in range(count))]
        found = legacy.ini({"setup.cfg": File("\n".join(lines).encode())}, "setup.cfg")
        assert len(found) == count + 1
        return sum(map(len, found.values()))

    assert settings(200) <= 2 * settings(100)


def test_a_run_of_spaces_reaches_the_ini_parser_as_one_and_indentation_stays() -> None:
    text = f"[testenv]\ndeps{' ' * 300}={' ' * 300}a\n    b{' ' * 300}; c\n"
    assert legacy.ini({"tox.ini": File(text.encode())}, "tox.ini") == {"testenv": {"deps": "a\nb ; c"}}


@pytest.mark.parametrize(
    ("path", "heading", "entry"),
    [
        ("pyproject.toml", NAMED + "[project.optional-dependencies]", "test-{} = []"),
        ("pyproject.toml", NAMED + "[dependency-groups]", "test-{} = []"),
        ("setup.cfg", "[options.extras_require]", "test-{} = a"),
    ],
)
def test_the_named_sets_of_a_file_are_bounded_since_each_is_looked_up(path: str, heading: str, entry: str) -> None:
    def declaring(count: int) -> Recipe:
        return detected(**{path: "\n".join([heading, *(entry.format(number) for number in range(count))])})

    assert declaring(MAX_SETS).source.count(path) == MAX_SETS
    with pytest.raises(DetectionError, match=f"more than {MAX_SETS} sets"):
        declaring(MAX_SETS + 1)


def test_the_entries_of_a_group_are_bounded_since_others_include_it() -> None:
    entries = '{include-group = "b"},\n' * (MAX_ENTRIES + 1)
    with pytest.raises(DetectionError, match=f"more than {MAX_ENTRIES} entries"):
        detected(**{"pyproject.toml": f"{NAMED}[dependency-groups]\ntest = [\n{entries}]\n"})
