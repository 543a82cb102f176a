"""What a pull request and a comment say of flaky tests and of how often the suite was run. Pure text from values."""

from bot.pipeline.reports.markdown import code, inline
from bot.repair.types import Baseline

MAX_FLAKY = 20
MAX_EVIDENCE = 400
_ALWAYS = "These do not always do the same on the same code. They were set aside, and what they cover is unmeasured:"


def flaky_tests(baseline: Baseline) -> str:
    """A section that names each flaky test with its evidence; empty where there is none."""
    if not baseline.flaky:
        return ""
    known = {flake.node_id: flake.evidence for flake in baseline.flakes}
    lines = [_line(node_id, known.get(node_id, "")) for node_id in baseline.flaky[:MAX_FLAKY]]
    if len(baseline.flaky) > MAX_FLAKY:
        lines.append(f"- and {len(baseline.flaky) - MAX_FLAKY} more")
    return "\n".join(["### Flaky tests\n", f"{_ALWAYS}\n", *lines, ""])


def runs(baseline: Baseline) -> str:
    """A sentence on the baseline's runs."""
    orders = f", {inline(baseline.orders, MAX_EVIDENCE)}" if baseline.orders else ""
    return f"Before: {baseline.runs} runs of the whole suite{orders}."


def _line(node_id: str, evidence: str) -> str:
    return f"- {code(node_id)}" + (f": {inline(evidence, MAX_EVIDENCE)}" if evidence else "")
