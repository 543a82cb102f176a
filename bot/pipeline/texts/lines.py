"""Status lines, and headings of reports."""

from collections.abc import Mapping

from bot.pipeline.texts.said import Said
from bot.policy import Language


class Text(Said):
    """One text, in English and in German."""

    WORKING = ("**Working on it**: {step}.", "**In Arbeit**: {step}.")
    WORKING_TITLE = ("Working on it", "In Arbeit")
    THE_RUN = ("[The run]({page})", "[Der Lauf]({page})")
    SETTING_UP = (
        "fetching the repository and setting up its tests",
        "das Repository wird geholt, seine Tests werden eingerichtet",
    )
    WAITING_ITS_TURN = (
        "queued; runs of this repository ahead of it: {others}",
        "in der Warteschlange; Läufe dieses Repositorys davor: {others}",
    )
    NOT_STARTED = ("**Not started**: {reason}. {remedy}", "**Nicht begonnen**: {reason}. {remedy}")
    NOT_STARTED_TITLE = ("Not started: {reason}", "Nicht begonnen: {reason}")
    NOT_FINISHED = ("**Could not finish**: {cause}", "**Nicht zu Ende gekommen**: {cause}")
    NOT_FINISHED_TITLE = ("Could not finish: {cause}", "Nicht zu Ende gekommen: {cause}")
    WOULD_HELP = ("What would help: {remedy}", "Was helfen würde: {remedy}")
    FAULT = ("a fault in Regreen ({kind})", "ein Fehler in Regreen ({kind})")
    REPORT_IT = ("Report it with the worker's log.", "Bitte mit dem Log des Workers melden.")
    DONE = (
        "**Done**: #{number} turns {fixed} failing tests green; nothing broke.",
        "**Fertig**: #{number} macht {fixed} rote Tests grün; nichts ging kaputt.",
    )
    DONE_ONE = (
        "**Done**: #{number} turns 1 failing test green; nothing broke.",
        "**Fertig**: #{number} macht 1 roten Test grün; nichts ging kaputt.",
    )
    LOOKING = (
        "looking for a test that shows what the issue reports",
        "gesucht wird ein Test, der zeigt, was das Issue meldet",
    )
    TRYING = (
        "{targets} to turn green, {passing} to keep green; trying fixes",
        "{targets} sollen grün werden, {passing} es bleiben; Lösungen werden probiert",
    )
    RED_ONE = ("{count} failing test", "{count} roter Test")
    RED = ("{count} failing tests", "{count} rote Tests")
    NEW_ONE = ("{count} new test", "{count} neuer Test")
    NEW = ("{count} new tests", "{count} neue Tests")
    DONE_TITLE = ("Opened pull request #{number}", "Pull Request #{number} geöffnet")
    NOTHING_YET = (
        "**Nothing to fix yet**: {passing}. Regreen needs a red test to work from.",
        "**Noch nichts zu beheben**: {passing}. Regreen braucht einen roten Test als Ausgangspunkt.",
    )
    ADD_A_TEST = (
        "Add a test that fails for the reason this issue gives, then put the label on again.",
        "Nach einem Test, der aus dem Grund fehlschlägt, den dieses Issue nennt, das Label neu setzen.",
    )
    NOTHING_YET_TITLE = ("Nothing to fix: {passing}", "Nichts zu beheben: {passing}")
    ALL_PASS = (
        "all {count} tests pass here in {runs} runs",
        "alle {count} Tests laufen hier in {runs} Läufen durch",
    )
    DRY_RUN_TITLE = ("Dry run, nothing was written: {headline}", "Probelauf, nichts wurde geschrieben: {headline}")
    POLICY_FAULTY = ("The policy file cannot be used", "Die Richtliniendatei ist nicht verwendbar")
    POLICY_FAULTY_SUMMARY = (
        "`{path}` has faults, and nothing is started in this repository before they are corrected:\n\n{faults}",
        "`{path}` hat Fehler. Bis sie behoben sind, wird in diesem Repository nichts begonnen:\n\n{faults}",
    )
    POLICY_GOOD = ("The policy file is understood", "Die Richtliniendatei ist verständlich")
    POLICY_GOOD_SUMMARY = (
        "`{path}` holds from now on. Keys that are not in it keep their defaults.",
        "`{path}` gilt ab jetzt. Was nicht darin steht, behält seine Voreinstellung.",
    )


class Heading(Said):
    """A line of a report that stands for itself; see `headed`."""

    CAUSE = ("### Cause and fix", "### Ursache und Lösung")
    MATRIX = ("### Tests before and after", "### Tests vorher und nachher")
    MATRIX_BEFORE = ("### Tests before", "### Tests vorher")
    MATRIX_BEST = (
        "### Tests before and after the best candidate",
        "### Tests vorher und nach dem besten Vorschlag",
    )
    COST = ("### What it took", "### Aufwand")
    UNKNOWN = ("### What is not known", "### Was nicht bekannt ist")
    HELP = ("### What would help", "### Was helfen würde")
    FIXED = ("Fixed:", "Behoben:")
    NOT_OURS = ("### Not this branch's fault", "### Nicht die Schuld dieses Branches")
    FOLLOW_UPS = ("### Follow-ups", "### Weitere Commits")
    FLAGGED = ("### Flagged", "### Aufgefallen")
    IN_DOUBT = ("### Tests in doubt", "### Zweifelhafte Tests")
    FLAKY = ("### Flaky tests", "### Wackelige Tests")
    WRITTEN = ("### The test that shows it", "### Der Test, der es zeigt")
    LACKING = ("What the sandbox lacks:", "Was der Sandbox fehlt:")


class Lead(Said):
    """How the text of a job's end begins: its state in a word or two; see `headed`."""

    DONE = ("**Done**", "**Fertig**")
    NO_FIX = ("**No fix.**", "**Keine Lösung.**")
    NOT_DONE = ("**Not done**", "**Nicht gemacht**")
    NOTHING_TO_DO = ("**Nothing to do**", "**Nichts zu tun**")
    NOTHING_TO_FIX = ("**Nothing to fix here**", "**Hier nichts zu beheben**")
    NOT_REPRODUCED = ("**Could not reproduce**", "**Nicht nachzustellen**")
    NOT_PUSHED = ("**Not pushed**", "**Nicht gepusht**")
    PUSHED = ("**Pushed**", "**Gepusht**")
    SUGGESTED = ("**A fix**", "**Ein Vorschlag**")
    TO_APPROVE = ("**A test to approve**", "**Ein Test, der gutzuheißen ist**")


def headed(report: str, language: Language) -> str:
    """A report with its headings and leads in this language. What stands inside of a code block is left as it is."""
    if language == "en":
        return report
    said = {one.by_language["en"]: one.by_language[language] for one in Heading}
    leads = {one.by_language["en"]: one.by_language[language] for one in Lead}
    lines, fence = [], ""
    for line in report.split("\n"):
        mark = line.strip()
        if fence:
            fence = "" if mark == fence else fence
        elif mark.startswith("```"):
            fence = mark[: len(mark) - len(mark.lstrip("`"))]
        lines.append(line if fence else _led(said.get(line, line), leads))
    return "\n".join(lines)


def _led(line: str, leads: Mapping[str, str]) -> str:
    lead = next((one for one in leads if line.startswith(one)), "")
    return leads[lead] + line[len(lead) :] if lead else line
