import json
import socket
from dataclasses import replace
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any

import pytest

from sandbox.containers import policy
from sandbox.errors import ImageRefusedError
from sandbox.spec import MIB, Limits, Phase, RunSpec

SPEC = RunSpec("run-1", "image:1", ("pytest", "-q"), environment=(("LANG", "C.UTF-8"),))
PROXY = PurePosixPath("/run/proxy")
TMPFS = "rw,exec,nosuid,nodev,size={},nr_inodes=200000,uid=10001,gid=10001,mode=0755"
MEMORY = (1024 + 512 + 256 + 256 + 64) * MIB
PRIVILEGED = {"bpf", "perf_event_open", "mount", "unshare", "setns", "open_by_handle_at", "clone3", "kexec_load"}

SNAPSHOT: dict[str, Any] = {
    "Image": "image:1",
    "Cmd": [],
    "Env": [],
    "User": "10001:10001",
    "WorkingDir": "/",
    "Labels": {"regreen.run": "run-1", "regreen.deadline": "1700000000"},
    "Healthcheck": {"Test": ["NONE"]},
    "Tty": False,
    "OpenStdin": True,
    "StdinOnce": True,
    "AttachStdin": True,
    "AttachStdout": True,
    "AttachStderr": True,
    "HostConfig": {
        "NetworkMode": "none",
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges:true", "seccomp={}"],
        "Privileged": False,
        "ReadonlyRootfs": True,
        "Init": False,
        "PidsLimit": 512,
        "Memory": MEMORY,
        "MemorySwap": MEMORY,
        "NanoCpus": 2_000_000_000,
        "Tmpfs": {
            "/repo": TMPFS.format(512 * MIB),
            "/tmp": TMPFS.format(256 * MIB),  # noqa: S108 - the container's
            "/regreen": TMPFS.format(256 * MIB),
        },
        "IpcMode": "private",
        "ShmSize": 64 * MIB,
        "Ulimits": [
            {"Name": "nofile", "Soft": 4096, "Hard": 4096},
            {"Name": "core", "Soft": 0, "Hard": 0},
            {"Name": "fsize", "Soft": 512 * MIB, "Hard": 512 * MIB},
        ],
        "LogConfig": {"Type": "none", "Config": {}},
        "AutoRemove": False,
    },
}


def test_the_create_call_holds_every_baseline_argument() -> None:
    body = policy.arguments(SPEC, "{}", 1_700_000_000)
    entrypoint = body.pop("Entrypoint")
    assert body == SNAPSHOT
    assert entrypoint[:2] == ["/bin/sh", "-c"]
    assert (entrypoint[3], entrypoint[5]) == ("init", "/regreen/results")


def test_neither_command_nor_variables_are_in_the_create_call() -> None:
    spec = replace(SPEC, command=("other",), environment=(("LD_PRELOAD", "/repo/evil.so"),))
    assert policy.arguments(spec, "{}", 1) == policy.arguments(SPEC, "{}", 1)


def test_the_install_phase_adds_only_the_proxy_and_a_sized_env() -> None:
    spec = replace(SPEC, phase=Phase.INSTALL, limits=Limits(results=2048 * MIB), collect="/env")
    test, install = policy.arguments(SPEC, "{}", 1), policy.arguments(spec, "{}", 1, PROXY)
    host, baseline = install["HostConfig"], test["HostConfig"]
    assert host["Binds"] == ["/run/proxy:/proxy:ro"]
    assert host["Tmpfs"] == {**baseline["Tmpfs"], "/env": TMPFS.format(2048 * MIB)}
    assert host["Memory"] == host["MemorySwap"] == MEMORY + 2048 * MIB
    changed = {key for key in host if host[key] != baseline.get(key)}
    assert changed == {"Binds", "Tmpfs", "Memory", "MemorySwap", "Ulimits"}


def test_a_proxy_and_the_install_phase_come_together_or_not_at_all() -> None:
    with pytest.raises(ValueError, match="install"):
        policy.arguments(SPEC, "{}", 1, PROXY)
    with pytest.raises(ValueError, match="install"):
        policy.arguments(replace(SPEC, phase=Phase.INSTALL), "{}", 1)


def test_a_runtime_is_named_only_when_asked_for() -> None:
    assert "Runtime" not in policy.arguments(SPEC, "{}", 1)["HostConfig"]
    assert policy.arguments(replace(SPEC, runtime="runsc"), "{}", 1)["HostConfig"]["Runtime"] == "runsc"


def test_the_seccomp_profile_denies_by_default_and_says_why_it_leaves_calls_out() -> None:
    profile = json.loads(files("sandbox").joinpath("seccomp.json").read_text())
    allowed = {name for rule in profile["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]}
    denied = {
        name: rule["comment"]
        for rule in profile["syscalls"]
        if rule["action"] == "SCMP_ACT_ERRNO" and "comment" in rule
        for name in rule["names"]
    }
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    interfaces = {"socketcall", "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd"}
    assert interfaces | {"keyctl", "add_key", "request_key"} <= denied.keys()
    # Rules that a capability opens match no container of ours.
    assert not {name for rule in opened_to_all(profile) for name in rule["names"]} & (denied.keys() | PRIVILEGED)
    assert {"ptrace", "bpf"} <= allowed


def test_every_rule_of_the_seccomp_profile_that_is_not_the_original_authors_says_why() -> None:
    profile = json.loads(files("sandbox").joinpath("seccomp.json").read_text())
    ours = [rule for rule in profile["syscalls"] if {"socket", "socketpair"} & set(rule["names"])]
    ours += [rule for rule in profile["syscalls"] if rule["action"] == "SCMP_ACT_ERRNO" and rule["names"] != ["clone3"]]
    assert all(rule["comment"] for rule in ours)


def test_the_seccomp_profile_opens_unix_internet_and_netlink_sockets_only() -> None:
    profile = json.loads(files("sandbox").joinpath("seccomp.json").read_text())
    rules = [rule["args"] for rule in profile["syscalls"] if rule["names"] == ["socket"]]
    assert {argument["op"] for (argument,) in rules} == {"SCMP_CMP_EQ"}
    opened = {argument["value"] for (argument,) in rules if argument["index"] == 0}
    assert opened == {socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK}


def opened_to_all(profile: dict[str, Any]) -> list[dict[str, Any]]:
    rules = (rule for rule in profile["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW")
    return [rule for rule in rules if "caps" not in rule.get("includes", {})]


def test_an_image_that_declares_a_volume_is_refused_and_what_is_overridden_is_not() -> None:
    overridden = {
        "Entrypoint": ["x"],
        "User": "root",
        "Healthcheck": {},
        "ExposedPorts": {"1/tcp": {}},
        "Volumes": None,
    }
    policy.require_harmless("image:1", overridden)
    with pytest.raises(ImageRefusedError, match="/data"):
        policy.require_harmless("image:1", {"Volumes": {"/data": {}}})
