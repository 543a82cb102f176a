"""A project that is built by a compiler says so before its installation fails."""

import pytest

from sandbox.detect import detect
from sandbox.spec import File


def said(**files: str) -> tuple[str, ...]:
    return detect({path: File(text.encode()) for path, text in {"test_a.py": "", **files}.items()}).unmet


@pytest.mark.parametrize(
    ("requirement", "named"),
    [
        ("maturin>=1,<2", "maturin (Rust)"),
        ("setuptools-rust", "setuptools-rust (Rust)"),
        ("meson-python>=0.15", "meson-python (C, with Meson)"),
        ("scikit-build-core[pyproject]", "scikit-build-core (C or C++, with CMake)"),
        ("Cython~=3.0", "cython (C)"),
    ],
)
def test_what_builds_with_a_compiler_is_said_with_the_remedy(requirement: str, named: str) -> None:
    (only,) = said(**{"pyproject.toml": f'[build-system]\nrequires = ["setuptools", "{requirement}"]\n'})
    assert only.startswith(f"pyproject.toml:2 builds with {named}, which needs a compiler toolchain")
    assert "REGREEN_SANDBOX_BASE_IMAGES" in only


def test_extension_modules_of_a_set_up_script_and_a_crate_count_too() -> None:
    script = "from setuptools import setup\nsetup(\n    ext_modules=[x],\n)\n"
    assert said(**{"setup.py": script})[0].startswith("setup.py:3 builds with extension modules (C), ")
    assert said(**{"setup.py": "", "Cargo.toml": ""})[0].startswith("Cargo.toml:1 builds with Cargo (Rust), ")


def test_pure_python_needs_none() -> None:
    assert said(**{"pyproject.toml": '[build-system]\nrequires = ["setuptools>=61", "wheel"]\n'}) == ()
