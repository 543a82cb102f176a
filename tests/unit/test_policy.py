import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import ConfigurationError
from bot.policy import MAX_SIZE, BudgetPolicy, RepoPolicy, examine, parse

WHOLE = b"""
enabled: true
label: "fix it"
ci: false
draft: true
protected: ["secrets/**", "*.pem"]
test_command: python -m pytest -q "a b"
budget:
  iterations: 3
  tokens: 1000
  dollars: 0.5
  minutes: 5
"""


def test_no_file_and_an_empty_file_mean_the_defaults() -> None:
    assert parse(None) == parse(b"") == parse(b"# nothing\n") == parse(b"~") == RepoPolicy()


def test_every_key_is_read() -> None:
    assert parse(WHOLE) == RepoPolicy(
        label="fix it",
        ci=False,
        draft=True,
        protected=("secrets/**", "*.pem"),
        test_command=("python", "-m", "pytest", "-q", "a b"),
        budget=BudgetPolicy(iterations=3, tokens=1000, dollars=0.5, minutes=5),
    )


def test_every_key_says_what_it_does() -> None:
    for model in (RepoPolicy, BudgetPolicy):
        assert all(field.description for field in model.model_fields.values())


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"enabled: true\nlabels: x\n", ["line 2", "labels", "no such key"]),
        (b"enabled: yep\n", ["line 1", "enabled"]),
        (b"\n\nbudget:\n  iterations: 0\n", ["line 4", "budget.iterations"]),
        (b"budget:\n  dollars: .inf\n", ["line 2", "budget.dollars"]),
        (b"test_command:\n- a\n- 3\n", ["line 3", "test_command.1"]),
        (b"test_command: 'a \"b'\n", ["line 1", "test_command"]),
        (b"label: a\nlabel: b\n", ["line 2", "twice"]),
        (b"label: [\n", ["line 2"]),
        (b"protected: ['src/**/*.py', 'x/*a*a*a*b']\n", ["line 1", "protected", "more than 3 stars"]),
        (b"- a\n- b\n", ["line 1", "mapping"]),
        (b"label: &a x\nprotected: [*a]\n", ["line 2", "aliases"]),
        (b"label: 2026-13-45\n", ["cannot be read"]),
        (b"label: !!python/object/apply:os.system [x]\n", ["line 1"]),
        (b"label: \xff\n", ["UTF-8"]),
        (b"[" * 2_000, ["nested too deeply"]),
        (b"x" * (MAX_SIZE + 1), ["bytes"]),
        (b"label: a\n---\nlabel: b\n", ["line 2"]),
    ],
)
def test_a_bad_file_is_refused_with_the_key_and_the_line(data: bytes, words: list[str]) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse(data)
    assert all(word in caught.value.cause for word in [".github/regreen.yml", *words])


@given(st.binary(max_size=400) | st.text(alphabet="abel:&*!-[]{}?|>\n '\"#%@0.,~<=", max_size=80).map(str.encode))
def test_arbitrary_bytes_raise_nothing_but_a_configuration_error(data: bytes) -> None:
    try:
        policy = parse(data)
    except ConfigurationError:
        return
    assert isinstance(policy, RepoPolicy)


@given(
    st.lists(
        st.sampled_from(
            ["label: a", "lable: x", "budget:", "  dollars: -1", "draft:", "- a", "  b: [", "]", "protected:", ""]
        ),
        max_size=12,
    ).map(lambda lines: "\n".join(lines).encode())
)
def test_every_fault_stands_on_lines_that_the_file_has(data: bytes) -> None:
    found = examine(data)
    if isinstance(found, RepoPolicy):
        return
    last = data.count(b"\n") + 1
    assert found
    assert all(1 <= fault.line <= fault.end_line <= last for fault in found)
    assert [fault.line for fault in found] == sorted(fault.line for fault in found)


def test_the_set_up_may_reach_public_names_with_a_port_or_without() -> None:
    policy = parse(b"allowed_hosts: [Files.example.org, 'mirror.example.org:8443', 1x.example.org]\n")
    assert policy.given.hosts == ("Files.example.org", "mirror.example.org:8443", "1x.example.org")


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("169.254.169.254", "not by an address"),
        ("10.0.0.7:443", "not by an address"),
        ("127.1", "not by an address"),
        ("0x7f.0x1", "not by an address"),
        ("2130706433", "not by an address"),
        ("93.184.216.34.", "not by an address"),
        ("[::1]", "without `https://`"),
        ("https://a.example.org", "without `https://`"),
        ("localhost", "operator's"),
        ("LOCALHOST.", "operator's"),
        ("a.localhost", "operator's"),
        ("database", "operator's"),
        ("metadata.google.internal", "operator's"),
        ("printer.local", "operator's"),
        (".", "operator's"),
        ("a.example.org:0", "port"),
        ("a.example.org:65536", "port"),
    ],
)
def test_addresses_and_local_names_are_refused_from_a_policy_file(host: str, words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse(f"label: a\nallowed_hosts:\n- '{host}'\n".encode())
    assert all(word in caught.value.cause for word in ("line 3", "allowed_hosts.0", words))
