"""What a pull request and a comment say of flaky tests and of how often the suite was run. Pure text from values."""

from bot.pipeline.reports.markdown import code, inline
from bot.pipeline.texts import Heading, Report
from bot.policy import Language
from bot.repair.types import Baseline

MAX_FLAKY = 20
MAX_EVIDENCE = 400


def flaky_tests(baseline: Baseline, language: Language = "en") -> str:
    """A section that names each flaky test with its evidence; empty where there is none."""
    if not baseline.flaky:
        return ""
    known = {flake.node_id: flake.evidence for flake in baseline.flakes}
    lines = [_line(node_id, known.get(node_id, "")) for node_id in baseline.flaky[:MAX_FLAKY]]
    if len(baseline.flaky) > MAX_FLAKY:
        lines.append(f"- {Report.MORE.say(language, count=len(baseline.flaky) - MAX_FLAKY)}")
    return "\n".join([f"{Heading.FLAKY.say(language)}\n", f"{Report.FLAKY.say(language)}\n", *lines, ""])


def runs(baseline: Baseline, language: Language = "en") -> str:
    """A sentence on the baseline's runs."""
    orders = f", {inline(baseline.orders, MAX_EVIDENCE)}" if baseline.orders else ""
    return Report.RUNS.say(language, count=baseline.runs, orders=orders)


def _line(node_id: str, evidence: str) -> str:
    return f"- {code(node_id)}" + (f": {inline(evidence, MAX_EVIDENCE)}" if evidence else "")
