import pytest

from bot.demo import permissions, rest, spec
from bot.demo.cut_openapi import OPERATIONS


@pytest.fixture(scope="module")
def description() -> spec.Description:
    return spec.load()


def problems(description: spec.Description, request: tuple[str, str], body: object = None, **query: str) -> list[str]:
    found = description.find(*request)
    assert found is not None
    return description.request_problems(found.operation, query, body)


CREATE = ("POST", "/repos/o/r/issues")


def test_a_right_request_passes(description: spec.Description) -> None:
    assert problems(description, CREATE, {"title": "x", "body": "y", "labels": ["a"]}) == []
    assert problems(description, ("GET", "/repos/o/r/issues"), state="all", per_page="100", labels="a,b") == []


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({"body": "x"}, '"title" is a required property'),
        ({"title": "x", "titel": "y"}, "titel"),
        ({"title": "x", "labels": "bug"}, 'is not of type "array"'),
        (None, "a body is required"),
    ],
)
def test_a_wrong_body_is_found(description: spec.Description, body: object, complaint: str) -> None:
    assert any(complaint in problem for problem in problems(description, CREATE, body))


def test_an_unknown_property_below_the_first_level_is_found(description: spec.Description) -> None:
    body = {"name": "x", "head_sha": "0" * 40, "output": {"title": "t", "summary": "s", "sumary": "s"}}
    assert any("sumary" in one for one in problems(description, ("POST", "/repos/o/r/check-runs"), body))


def test_a_body_that_an_operation_does_not_take_is_found(description: spec.Description) -> None:
    assert problems(description, ("GET", "/repos/o/r"), {"x": 1}) == ["repos/get takes no body"]


@pytest.mark.parametrize("query", [{"pr_page": "3"}, {"state": "opened"}, {"per_page": "many"}])
def test_a_wrong_query_parameter_is_found(description: spec.Description, query: dict[str, str]) -> None:
    assert problems(description, ("GET", "/repos/o/r/issues"), **query)


@pytest.mark.parametrize("request_", [("GET", "/repos/o/r/isues"), ("PUT", "/repos/o/r/issues"), ("GET", "/repos")])
def test_an_unknown_operation_is_found(description: spec.Description, request_: tuple[str, str]) -> None:
    assert description.find(*request_) is None


def test_a_wrong_response_is_found(description: spec.Description) -> None:
    found = description.find("GET", "/repos/o/r/git/ref/heads/main")
    assert found is not None
    right = {
        "ref": "r",
        "node_id": "n",
        "url": "http://h/r",
        "object": {"type": "commit", "sha": "0" * 40, "url": "http://h"},
    }
    assert description.response_problems(found.operation, 200, right) == []
    assert description.response_problems(found.operation, 200, right | {"object": {"type": "commit"}})
    assert description.response_problems(found.operation, 204, None)


@pytest.mark.parametrize(
    ("path", "name", "parameter"),
    [
        ("/repos/o/r/git/ref/heads/a/b", "git/get-ref", ("ref", "heads/a/b")),
        ("/repos/o/r/branches/a%2Fb", "repos/get-branch", ("branch", "a/b")),
        ("/repos/o/r/compare/a/b...c/d", "repos/compare-commits-with-basehead", ("basehead", "a/b...c/d")),
        ("/repos/o/r/commits/a/b/check-runs", "checks/list-for-ref", ("ref", "a/b")),
        ("/repos/o/r/contents/src/a%20b.py", "repos/get-content", ("path", "src/a b.py")),
        ("/repos/o/r/contents/", "repos/get-content", ("path", "")),
        ("/repos/o/r/contents", "repos/get-content", ("path", "")),
    ],
)
def test_names_that_span_slashes_are_found(
    description: spec.Description, path: str, name: str, parameter: tuple[str, str]
) -> None:
    found = description.find("GET", path)
    assert found is not None
    assert (found.operation.name, found.parameters[parameter[0]]) == (name, parameter[1])


def test_every_operation_of_the_cut_has_a_handler_and_a_permission() -> None:
    assert set(rest.HANDLERS) == OPERATIONS == set(permissions.REQUIRED)
