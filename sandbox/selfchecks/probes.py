"""What each limit's probe has to show before the limit counts as holding. Pure: results of containers in, findings out.

A limit holds only where something was seen that says so: a container that broke, or said nothing, proves nothing.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.containers.policy import OPEN_FILES, UID
from sandbox.selfchecks.observed import Container, Observed, Probe
from sandbox.selfchecks.surroundings import foreign_mounts, foreign_nodes
from sandbox.spec import MIB, RunResult, Verdict

FORGED = "forged"
LONGEST_SEEN = 300
KILL_SECONDS = 5.0
KILLED = 137
BROKE_DOWN = 2
"""How gVisor's own process ends when it can have no further thread: Go's exit code for a fatal error."""
QUOTA_TOLERANCE = 1.05
SHARE_TOLERANCE = 2.0
"""A quota is kept on average over a tenth of a second, and gVisor's share can only be measured from its gaps."""
QUEUES = "/dev/mqueue"

_OURS = re.compile(
    r"(?i)_proxy$|token|secret|passw|credential|api_?key|private|^(regreen|openai|github|gh|aws|docker|ssh|kube)"
)


Finding = tuple[bool, str]
Judge = Callable[[Observed], Finding]


@dataclass(frozen=True, slots=True)
class Question:
    """One limit: the container that tries it, what judges the outcome, and what helps."""

    name: str
    container: Container
    judge: Judge
    remedy: str

    def answer(self, observed: Observed | None, failure: str = "") -> Probe:
        """The finding; `failure` says why there is nothing to judge."""
        holds, seen = self.judge(observed) if observed else (False, failure)
        return Probe(self.name, holds, seen[:LONGEST_SEEN], "" if holds else self.remedy)


def _reported(about: str, judge: Callable[[Observed, Mapping[str, Any]], Finding]) -> Judge:
    """Judge one line of the report; without it, or with another shape than the guest writes, nothing holds."""

    def judged(observed: Observed) -> Finding:
        line = observed.about(about)
        if line is None:
            return False, f"nothing was reported: {_ending(observed.result)}"
        try:
            return judge(observed, line)
        except (KeyError, TypeError, ValueError, AttributeError):
            return False, f"the report cannot be read: {line}"

    return judged


def _ending(result: RunResult) -> str:
    last = result.output.decode(errors="replace").strip().splitlines()[-1:]
    return f"{result.verdict}, exit code {result.exit_code}{''.join(f', {line}' for line in last)}"


def _network(_: Observed, line: Mapping[str, Any]) -> Finding:
    foreign, reached = [name for name in line["interfaces"] if name != "lo"], line["reached"]
    return not foreign and not reached, f"interfaces: {_list(line['interfaces'])}; reached: {_list(reached)}"


def _root(_: Observed, line: Mapping[str, Any]) -> Finding:
    written = [path for path, ended in line["tried"].items() if ended == "done"]
    mounted = "read-only" if line["read_only"] else "writable"
    return line["read_only"] is True and bool(line["tried"]) and not written, f"{mounted}; written: {_list(written)}"


def _mounts(observed: Observed, line: Mapping[str, Any]) -> Finding:
    filled: Mapping[str, Mapping[str, Any]] = line["filled"]
    # A message queue counts as a file, but holds only what the kernel's own limit on queues lets it.
    bounds = {**observed.promised, QUEUES: MIB}
    holds = observed.promised.keys() <= filled.keys() and all(
        path in bounds and each["ended"] and each["bytes"] <= bounds[path] for path, each in filled.items()
    )
    took = [f"{path} {each['bytes'] / MIB:.1f} MiB {each['ended'] or 'and more'}" for path, each in filled.items()]
    return holds, f"took: {_list(took)}"


def _calls(observed: Observed, line: Mapping[str, Any]) -> Finding:
    done = [name for name, ended in line["tried"].items() if ended == "done"]
    if not done:
        return bool(line["tried"]), f"refused: {_list(line['tried'])}"
    if observed.emulated(line):
        return True, f"answered by a kernel of the runtime's own ({line['kernel']}), not the host's: {_list(done)}"
    return False, f"answered by the host's kernel: {_list(done)}"


def _capabilities(_: Observed, line: Mapping[str, Any]) -> Finding:
    held = [f"{name} {value}" for name, value in line["capabilities"].items() if int(value, 16)]
    holds = bool(line["capabilities"]) and not held and line["no_new_privileges"] == 1
    seen = f"held: {_list(held)}; no_new_privs {line['no_new_privileges']}; setuid(0): {line['become_root']}"
    return holds and line["become_root"] != "done", seen


def _user(_: Observed, line: Mapping[str, Any]) -> Finding:
    return set(line["ids"]) == {UID}, f"user and groups: {_list(map(str, line['ids']))}"


def _host(observed: Observed, line: Mapping[str, Any]) -> Finding:
    variables = [name for name in line["variables"] if _OURS.search(name)]
    mounts = [(str(point), str(root), str(kind)) for point, root, kind in line["mounts"]]
    bound = foreign_mounts(mounts, observed.promised)
    nodes = foreign_nodes(line["nodes"], emulated=observed.emulated(line))
    shown = [*variables, *(f"/run/secrets/{name}" for name in line["secrets"]), *bound, *nodes]
    told = {point for point, _, _ in mounts} >= {"/", *observed.promised} and bool(line["nodes"])
    return told and not shown, f"of the host's: {_list(shown)}" if told else "its mounts or devices were not told"


def _ceilings(observed: Observed, line: Mapping[str, Any]) -> Finding:
    largest = max(observed.promised.values())
    holds = 0 < line["files"] <= OPEN_FILES and 0 < line["size"] <= largest and line["larger"] == "EFBIG"
    seen = f"{line['files']} files open of {OPEN_FILES}; a file above {line['size']} bytes: {line['larger']}"
    return holds and line["core"] == 0, f"{seen}; core files of {line['core']} bytes"


def _first(observed: Observed, line: Mapping[str, Any]) -> Finding:
    forged = any(FORGED in name for name in observed.result.results)
    holds = not forged and line["traced"] != "done" and line["memory"] != "done"
    said = "forged results were taken for real" if forged else "no forged results were taken"
    return holds, f"trace: {line['traced']}; memory: {line['memory']}; {said}"


def _memory(observed: Observed) -> Finding:
    result, line = observed.result, observed.about("memory")
    if result.verdict is Verdict.OOM:
        return True, "killed for lack of memory"
    if result.verdict is Verdict.EXITED and result.exit_code == KILLED and line is None:
        # gVisor's sandbox dies at its cgroup's limit too, but engines do not always hear why.
        return True, "killed, though the engine did not say that it was for lack of memory"
    taken = f"{line.get('bytes')} bytes were had" if line else _ending(result)
    return False, f"{taken}, at a limit of {observed.limits.memory + sum(observed.promised.values())}"


def _pids(observed: Observed, line: Mapping[str, Any]) -> Finding:
    result, children, allowed = observed.result, line["children"], observed.limits.pids
    ended = (observed.about("refused") or {}).get("ended")
    # gVisor counts its own threads, and ends when it can have no more; a lack of memory or of time looks different.
    broke = ended is None and observed.emulated(line) and result.verdict is Verdict.EXITED
    broke = broke and result.exit_code == BROKE_DOWN
    how = "then the runtime itself ended" if broke else f"then {ended}" if ended else _ending(result)
    return 0 < children < allowed and (ended == "EAGAIN" or broke), f"{children} children of {allowed} allowed; {how}"


def _share(observed: Observed, line: Mapping[str, Any]) -> Finding:
    cpus, quota = observed.limits.cpus, line["quota"]
    holds = 0 < line["cores"] <= cpus * SHARE_TOLERANCE and (quota is None or 0 < quota <= cpus * QUOTA_TOLERANCE)
    shown = "not shown" if quota is None else "none" if quota < 0 else f"{quota:g}"
    return holds, f"{line['cores']} cores of {cpus} allowed; the kernel's quota: {shown}"


def _flood(observed: Observed) -> Finding:
    kept, allowed = len(observed.result.output), observed.limits.output_kept
    return observed.result.verdict is Verdict.OUTPUT_LIMIT, f"{_verdict(observed)}; {kept} bytes kept of {allowed}"


def _deadline(observed: Observed) -> Finding:
    late = observed.result.seconds - observed.limits.wall_seconds
    holds = observed.result.verdict is Verdict.TIMEOUT and late < KILL_SECONDS
    return holds, f"{_verdict(observed)}, {late:.2f} s after the deadline"


def _verdict(observed: Observed) -> str:
    return f"ended as {observed.result.verdict}"


def _list(names: Any) -> str:
    return ", ".join(names) or "none"


_CGROUPS = (
    "Rootless engines on cgroup v1 ignore limits: run the engine as root, or delegate {} on cgroup v2 to its user. For "
    "gVisor, leave --ignore-cgroups out of its runtimeArgs."
)

QUESTIONS = (
    Question(
        "memory",
        Container.MEMORY,
        _memory,
        f"{_CGROUPS.format('memory')} A kernel without swap accounting lets swap be used beyond the limit: start it "
        "with swapaccount=1, or turn swap off.",
    ),
    Question("processes", Container.PIDS, _reported("pids", _pids), _CGROUPS.format("pids")),
    Question(
        "processor",
        Container.PIDS,
        _reported("share", _share),
        f"{_CGROUPS.format('cpu')} The kernel needs CONFIG_CFS_BANDWIDTH.",
    ),
    Question(
        "network",
        Container.AROUND,
        _reported("network", _network),
        "The runtime has to honour the network mode none: for gVisor, put --network=none among its runtimeArgs in the "
        "engine's configuration.",
    ),
    Question(
        "read-only root",
        Container.AROUND,
        _reported("root", _root),
        "The runtime has to honour a read-only root file system: take runc, crun or runsc, without options that put a "
        "writable layer over it.",
    ),
    Question(
        "writable mounts",
        Container.AROUND,
        _reported("mounts", _mounts),
        "Only sized tmpfs may be writable: the runtime has to honour their size, and the engine's configuration must "
        "mount nothing of its own into containers.",
    ),
    Question(
        "system calls",
        Container.AROUND,
        _reported("calls", _calls),
        "Use a kernel and an engine with seccomp (`docker info` lists it), and a runtime that applies it: for gVisor, "
        "put --oci-seccomp among its runtimeArgs.",
    ),
    Question(
        "capabilities",
        Container.AROUND,
        _reported("powers", _capabilities),
        "The runtime has to drop all capabilities and set no_new_privs: take runc, crun or runsc.",
    ),
    Question(
        "user",
        Container.AROUND,
        _reported("powers", _user),
        "The engine has to honour the user of a container: remove what maps or adds users and groups.",
    ),
    Question(
        "host hidden",
        Container.AROUND,
        _reported("host", _host),
        "Remove what the engine's configuration gives to every container: variables (Podman's http_proxy and env), "
        "mounts, secrets, devices (/etc/containers/mounts.conf, CDI, hooks).",
    ),
    Question(
        "open and core files",
        Container.AROUND,
        _reported("ceilings", _ceilings),
        "The engine and the runtime have to honour ulimits: take runc, crun or runsc.",
    ),
    Question(
        "first process",
        Container.AROUND,
        _reported("first", _first),
        "Nothing inside may reach the first process: keep /proc/sys/kernel/yama/ptrace_scope at 1 or more, and take "
        "runc, crun or runsc.",
    ),
    Question("output", Container.FLOOD, _flood, "Look into the engine's own log: a container could not be killed."),
    Question(
        "deadline", Container.DEADLINE, _deadline, "Look into the engine's own log: a container was slow to kill."
    ),
)
"""Every limit that a check shows, in the order in which it is told."""
