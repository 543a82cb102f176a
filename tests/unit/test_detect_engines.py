"""A Node that the base image does not have is said, with what would bring it."""

import json

import pytest

from sandbox.detect import detect
from sandbox.detect.node.engines import excludes
from sandbox.spec import File


def said(engine: str = "", **files: str) -> tuple[str, ...]:
    manifest = {"name": "x", "scripts": {"test": "node --test"}, **({"engines": {"node": engine}} if engine else {})}
    data = {"package.json": json.dumps(manifest, indent=1), "a.test.js": "", **files}
    return detect({path: File(text.encode()) for path, text in data.items()}).unmet


@pytest.mark.parametrize(
    "wanted",
    [">=20", ">= 20.0.0", "^20.19.0 || >=22.12.0", "20.x", "22", ">18", "<18", "~20.1", "20 - 22", "v20.1.0", "^16"],
)
def test_a_range_that_leaves_this_node_out_is_known(wanted: str) -> None:
    assert excludes(wanted)


@pytest.mark.parametrize(
    "wanted",
    [
        "",
        "*",
        "x",
        ">=18",
        ">= 18.18.0",
        "^18.18.0 || ^20.9.0 || >=21.1.0",
        "18.x",
        ">=14 <21",
        "16 - 20",
        "<19",
        "junk",
    ],
)
def test_one_that_admits_it_or_cannot_be_read_leaves_it_in(wanted: str) -> None:
    assert not excludes(wanted)


def test_it_is_said_with_its_line_and_the_remedy() -> None:
    (only,) = said(">=20")
    assert only.startswith("package.json:7 asks for Node >=20; the sandbox's own base image has 18.")
    assert "REGREEN_SANDBOX_BASE_IMAGES" in only
    assert said(">=18") == ()


@pytest.mark.parametrize(("text", "number"), [("v22.1.0\n", "22"), ("20", "20"), ("lts/iron\n", "20")])
def test_a_version_file_counts_where_the_manifest_says_nothing(text: str, number: str) -> None:
    (only,) = said(**{".nvmrc": text})
    assert only.startswith(f".nvmrc:1 asks for Node {number};")
    assert said(">=18", **{".nvmrc": text}) == ()
    assert said(**{".node-version": "18.20.4"}) == said(**{".nvmrc": "lts/*"}) == said(**{".nvmrc": "node"}) == ()
