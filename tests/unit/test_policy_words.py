"""What is said of a wrong value: what to write instead, in words that are no programmer's."""

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bot.policy import BudgetPolicy, Fault, RepoPolicy, examine

JARGON = re.compile(
    r"tuple|pattern|valid string|string|input should|dictionary|boolean|integer|instance|validat|regex|\^|\[A-Z|\\d|"
    r"error|extra inputs|this value cannot be used",
    re.IGNORECASE,
)

WRONG = [
    (
        "protected: migrations/**",
        "write a list, each on a line of its own with `- ` before it, such as `- migrations/**`",
    ),
    ("protected: {a: b}", "write a list"),
    ("protected: [3]", "what is a number or a date goes into quotes"),
    ("protected: ['']", "at least one character"),
    (f"protected: [{', '.join('a' * 201)}]", "at most 200; there are 201"),
    ("protected:", "nothing is written after it"),
    ("branches: ['x*a*a*a*a']", "more than 3 stars"),
    ("bots: evil", "such as `- renovate[bot]`"),
    ("bots: [evil bot]", "letters, digits and hyphens, such as `mona` or `renovate[bot]`"),
    ("ignored_authors: ['@x']", "a login exactly as GitHub does"),
    ("reviewers: [a/b/c]", "a team as `organisation/team`"),
    (f"label: {'a' * 201}", "at most 200 characters"),
    ('label: "a\\ud800"', "half a character"),
    ("label: 2026-01-01", "goes into quotes"),
    ("enabled: yep", "write `true` or `false`"),
    ("enabled: 1", "write `true` or `false`"),
    ("max_attempts: '3'", "a whole number such as `3`, without quotes"),
    ("max_attempts: 0", "not below 1"),
    ("max_attempts: 21", "not above 20"),
    ("language: fr", "one of `en`, `de`"),
    ("external_text: omitt", "did you mean `omit`?"),
    ("ci_pull_requests: 3", "one of `off`, `suggest`, `stack`"),
    ("budget: 3", "such as `dollars: 0.5`"),
    ("budget: {dollars: '1'}", "a number such as `0.5`, without quotes"),
    ("budget: {dollars: 1000000}", "not above 100,000"),
    ("budget: {minutes: 0}", "above 0"),
    ("budget: {minutes: .inf}", "not infinite"),
    ("budget: {tokens: 1.5}", "a whole number"),
    ("roles: [reviwer]", "did you mean `reviewer`?"),
    ("roles: coder", "such as `- coder`"),
    ("models: [a]", "such as `coder: NAME`"),
    ("models: {codre: x}", "did you mean `coder`?"),
    ("models: {coder: 3}", "one piece of text"),
    ('models: {coder: "a\\nb"}', "one line"),
    ("setup: pip install x", "such as `- pip install -r requirements.txt`"),
    ("setup: [3]", "a command in one line"),
    ("setup: [[3]]", "one piece of text"),
    ('setup: [["a\\0"]]', "NUL"),
    ("test_command: 3", "such as `python -m pytest -q tests`"),
    ("test_command: 'a \"b'", "a quote is opened and not closed"),
    ('test_command: ["a\\0"]', "NUL"),
    ("allowed_hosts: ['https://a.example/x']", "a host's name alone, without `https://`"),
    ("allowed_hosts: ['a.example:0']", "from 1 to 65535"),
    ("allowed_hosts: [127.0.0.1]", "not by an address"),
    ("allowed_hosts: [localhost]", "the operator's to list"),
    ("3: x", "one of the words that the guide lists"),
    ("junit: /tmp/*.xml", "relative to it, such as `reports/*.xml`"),
    ("junit: ../*.xml", "relative to it"),
]


def faults(text: str) -> tuple[Fault, ...]:
    found = examine(text.encode())
    assert isinstance(found, tuple), text
    return found


@pytest.mark.parametrize(("text", "words"), WRONG, ids=[text[:40] for text, _ in WRONG])
def test_a_wrong_value_is_answered_with_what_to_write(text: str, words: str) -> None:
    (fault,) = faults(text)
    assert words in fault.message
    assert not JARGON.search(fault.message)
    assert len(str(fault)) < 300


KEYS = [*RepoPolicy.model_fields, *(f"budget.{key}" for key in BudgetPolicy.model_fields)]
ODD = [None, True, 0, -1, 1.5, "x y", "", [], [[]], [None], ["\0"], {}, {"a": 1}, {1: 2}, ["x"] * 300, 10**30]


@given(
    st.sampled_from(KEYS), st.sampled_from(ODD) | st.recursive(st.none() | st.text(max_size=5), st.lists, max_leaves=4)
)
def test_no_key_is_answered_in_a_programmers_words(key: str, value: object) -> None:
    outer, _, inner = key.partition(".")
    found = examine(yaml.safe_dump({outer: {inner: value} if inner else value}).encode())
    if isinstance(found, tuple):
        assert not [fault.message for fault in found if JARGON.search(fault.message)]


@pytest.mark.parametrize(
    ("text", "meant"),
    [("enabeld: true", "enabled"), ("budget: {dolars: 1}", "dollars"), ("dollars: 1", "budget.dollars")],
)
def test_an_unknown_key_is_answered_with_the_one_that_may_be_meant(text: str, meant: str) -> None:
    (fault,) = faults(text)
    assert fault.message == f"there is no such key; did you mean `{meant}`?"


def test_a_key_like_no_other_is_only_said_to_be_unknown() -> None:
    (fault,) = faults("qqq: 1")
    assert fault.message == "there is no such key"


def test_all_faults_of_a_list_are_told_in_one_round_each_on_its_line() -> None:
    text = "allowed_hosts:\n- https://a.example\n- 10.0.0.1\n- b.local\nsetup:\n- a 'b\n- c && d\n"
    text += "protected: ['a*b*c*d*e']\n"
    assert [(fault.line, fault.key) for fault in faults(text)] == [
        (2, "allowed_hosts.0"),
        (3, "allowed_hosts.1"),
        (4, "allowed_hosts.2"),
        (6, "setup.0"),
        (7, "setup.1"),
        (8, "protected.0"),
    ]


def test_a_model_that_is_not_offered_is_told_beside_other_faults() -> None:
    found = examine(b"models:\n  coder: unknown\n  tester: 3\nlable: x\n", ["offered"])
    assert isinstance(found, tuple)
    assert [fault.key for fault in found] == ["models.coder", "models.tester", "lable"]


@pytest.mark.parametrize(
    "command",
    [
        "make build && make test",
        "make test | tee out",
        "cd src; pytest",
        "pytest > out.txt",
        "pytest 2>/dev/null",
        "a || b",
        '["make", "&&", "x"]',
    ],
)
def test_a_command_for_a_shell_is_refused(command: str) -> None:
    (fault,) = faults(f"test_command: {command}")
    assert "without a shell" in fault.message
    assert "sh tests.sh" in fault.message
    assert not JARGON.search(fault.message)


@pytest.mark.parametrize(
    "command",
    ["go test -run 'A|B' ./...", "pytest -k 'a and not b' 'x;y.py'", "pip install 'x>=3' y>=4", "jest <rootDir>/a"],
)
def test_words_that_only_look_like_a_shells_are_left_alone(command: str) -> None:
    assert isinstance(examine(f'test_command: "{command}"'.encode()), RepoPolicy)
