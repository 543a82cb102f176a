"""The short texts that people see, in each language: status lines, refusals, headings. Longer reports are English.

Values that come from outside are escaped by whoever says a text. Markers, commands and keys are the same everywhere.
"""

from enum import Enum

from bot.policy import Language


class _Said(Enum):
    """A text in each language."""

    def __init__(self, en: str, de: str) -> None:
        """English, then German."""
        self.by_language: dict[Language, str] = {"en": en, "de": de}

    def say(self, language: Language, **values: object) -> str:
        """The text with its values."""
        return self.by_language[language].format(**values)


class Text(_Said):
    """One text, in English and in German."""

    WORKING = ("**Working on it**: {step}.", "**In Arbeit**: {step}.")
    WORKING_TITLE = ("Working on it", "In Arbeit")
    SETTING_UP = (
        "fetching the repository and setting up its tests",
        "das Repository wird geholt, seine Tests werden eingerichtet",
    )
    NOT_STARTED = ("**Not started**: {reason}. {remedy}", "**Nicht begonnen**: {reason}. {remedy}")
    NOT_STARTED_TITLE = ("Not started: {reason}", "Nicht begonnen: {reason}")
    NOT_FINISHED = ("**Could not finish**: {cause}", "**Nicht zu Ende gekommen**: {cause}")
    NOT_FINISHED_TITLE = ("Could not finish: {cause}", "Nicht zu Ende gekommen: {cause}")
    WOULD_HELP = ("What would help: {remedy}", "Was helfen würde: {remedy}")
    DONE = (
        "**Done**: #{number} turns {fixed} failing tests green; nothing broke.",
        "**Fertig**: #{number} macht {fixed} rote Tests grün; nichts ging kaputt.",
    )
    DONE_ONE = (
        "**Done**: #{number} turns 1 failing test green; nothing broke.",
        "**Fertig**: #{number} macht 1 roten Test grün; nichts ging kaputt.",
    )
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


class Heading(_Said):
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
    LACKING = ("What the sandbox lacks:", "Was der Sandbox fehlt:")


def headed(report: str, language: Language) -> str:
    """A report with its headings in this language. What stands inside of a code block is left as it is."""
    said = {one.by_language["en"]: one.by_language[language] for one in Heading}
    lines, fence = [], ""
    for line in report.split("\n"):
        mark = line.strip()
        if fence:
            fence = "" if mark == fence else fence
        elif mark.startswith("```"):
            fence = mark[: len(mark) - len(mark.lstrip("`"))]
        lines.append(line if fence else said.get(line, line))
    return "\n".join(lines)


class Why(Enum):
    """Why something is not begun, and what would change that: both in English, then both in German."""

    def __init__(self, en: tuple[str, str], de: tuple[str, str]) -> None:
        """Reason and remedy in English, then in German."""
        self.by_language: dict[Language, tuple[str, str]] = {"en": en, "de": de}

    ARCHIVED = (
        ("the repository is archived", "Unarchive it to have fixes made."),
        ("das Repository ist archiviert", "Wird die Archivierung aufgehoben, geht es."),
    )
    DISABLED = (
        ("the repository is disabled", "Ask GitHub why it was disabled."),
        ("das Repository ist gesperrt", "Den Grund dafür kennt GitHub."),
    )
    EMPTY = (
        ("there is no commit on {branch}: the repository is empty, or its branch is gone", "Push one, then ask again."),
        ("auf {branch} ist kein Commit: Das Repository ist leer oder der Branch weg", "Nach einem Push neu fragen."),
    )
    FORK = (
        ("the repository is a fork, whose red checks are mostly upstream's", "Put the label on an issue here instead."),
        (
            "das Repository ist ein Fork, dessen rote Checks meist vom Original kommen",
            "Ein Issue hier mit dem Label beginnt einen Lauf.",
        ),
    )
    LACKING = (
        (
            "the App lacks permissions: {permissions}",
            "Grant them on the App's page, and accept them in the installation's settings.",
        ),
        (
            "der App fehlen Berechtigungen: {permissions}",
            "Sie lassen sich auf der Seite der App erteilen und sind in der Installation anzunehmen.",
        ),
    )
    ISSUE_CLOSED = (
        ("the issue is closed", "Reopen it and put the label on again."),
        ("das Issue ist geschlossen", "Wird es wieder geöffnet, beginnt das Label einen neuen Lauf."),
    )
    APPROVER = (
        ("who approved the test may not write to the repository now", "Let somebody else approve it."),
        ("wer den Test gutgeheißen hat, darf hier nicht mehr schreiben", "Jemand anderes kann ihn gutheißen."),
    )
    ASSIGNED = (
        (
            "somebody is assigned to the issue already ({people}), and the policy says `skip_assigned`",
            "Take them off the issue, or let them ask.",
        ),
        (
            "das Issue ist schon jemandem zugewiesen ({people}), und die Richtlinie sagt `skip_assigned`",
            "Die Zuweisung aufheben, oder die Zugewiesenen fragen lassen.",
        ),
    )
    CLOSING = (
        (
            "a pull request of {author} closes this issue already: {url}",
            "Merge or close that one; `/regreen retry` starts a run all the same.",
        ),
        (
            "ein Pull Request von {author} schließt dieses Issue schon: {url}",
            "Diesen mergen oder schließen; `/regreen retry` beginnt trotzdem einen Lauf.",
        ),
    )
    STANDING = (
        ("a pull request for this is open already: {url}", "Review, merge or close that one first."),
        ("ein Pull Request hierzu ist schon offen: {url}", "Erst diesen prüfen, mergen oder schließen."),
    )
    DECLINED = (
        (
            "a person closed our last pull request for this without merging it: {url}",
            "That means no. `/regreen retry` in a comment there asks for another one.",
        ),
        (
            "jemand hat unseren letzten Pull Request hierzu geschlossen, ohne ihn zu mergen: {url}",
            "Das heißt nein. `/regreen retry` in einem Kommentar dort verlangt einen neuen.",
        ),
    )
    PROTECTED = (
        (
            "what the issue names may not be changed by Regreen: {paths}",
            "Name the code or the failing test that it is about or change `protected`; workflows are people's work.",
        ),
        (
            "was das Issue nennt, darf Regreen nicht ändern: {paths}",
            "Den betroffenen Code oder den roten Test nennen, oder `protected` ändern; Workflows ändern nur Menschen.",
        ),
    )
    SUBMODULE = (
        (
            "what the issue names lies in a submodule: {paths}",
            "Ask in the submodule's own repository; its content belongs there.",
        ),
        (
            "was das Issue nennt, liegt in einem Submodul: {paths}",
            "Im Repository des Submoduls fragen, wohin sein Inhalt gehört.",
        ),
    )
    LFS = (
        (
            "what the issue names is kept in Git LFS, of which only pointers are seen here: {paths}",
            "Change such files by hand, or name the code that reads them.",
        ),
        (
            "was das Issue nennt, liegt in Git LFS, wovon hier nur Zeiger zu sehen sind: {paths}",
            "Solche Dateien von Hand ändern, oder den Code nennen, der sie liest.",
        ),
    )
    BRANCH_GONE = (
        ("the branch {branch} is gone", "Nothing to do, unless it was deleted by mistake."),
        ("der Branch {branch} ist weg", "Es ist nichts zu tun, wenn er nicht versehentlich gelöscht wurde."),
    )
    MOVED_ON = (
        (
            "{branch} moved on to {head} after the red check of {red}",
            "The newer commit's own checks will start a new run if they are red.",
        ),
        (
            "{branch} steht nach dem roten Check von {red} inzwischen auf {head}",
            "Sind die Checks des neueren Commits rot, beginnen sie einen neuen Lauf.",
        ),
    )
    RECOVERED = (
        ("the checks of {commit} are not red any more", "Nothing to do: CI ran again and ended well."),
        ("die Checks von {commit} sind nicht mehr rot", "Es ist nichts zu tun: Die CI lief neu und endete gut."),
    )
    PULL_CLOSED = (
        ("pull request #{number} is closed", "Reopen it, then ask again."),
        ("Pull Request #{number} ist geschlossen", "Wird er wieder geöffnet, geht es nach einer neuen Bitte."),
    )
    NOT_OURS = (
        ("pull request #{number} is no open one of Regreen's", "Regreen pushes to no branch but its own."),
        ("Pull Request #{number} ist kein offener von Regreen", "Regreen pusht nur auf seine eigenen Branches."),
    )
    FORK_PULL = (
        (
            "pull request #{number} comes from a fork, and nobody who may write here asked",
            "`/regreen fix` in a comment on it, by somebody who may write, asks.",
        ),
        (
            "Pull Request #{number} kommt aus einem Fork, und niemand mit Schreibrecht hat darum gebeten",
            "`/regreen fix` in einem Kommentar darin, von jemandem mit Schreibrecht, tut das.",
        ),
    )
    PULLS_OFF = (
        (
            "the policy says `ci_pull_requests: off`, so red checks of pull requests start nothing",
            "`/regreen fix` in a comment on the pull request asks all the same.",
        ),
        (
            "die Richtlinie sagt `ci_pull_requests: off`, rote Checks von Pull Requests beginnen also nichts",
            "`/regreen fix` in einem Kommentar am Pull Request bittet trotzdem darum.",
        ),
    )
    POLICY = (
        (
            "the policy file cannot be used: {faults}",
            "Correct {path} on the default branch; a check run there marks the lines.",
        ),
        (
            "die Richtliniendatei ist nicht verwendbar: {faults}",
            "{path} auf dem Standard-Branch berichtigen; ein Check dort markiert die Zeilen.",
        ),
    )

    def say(self, language: Language, **values: object) -> tuple[str, str]:
        """Reason and remedy with their values."""
        reason, remedy = self.by_language[language]
        return reason.format(**values), remedy.format(**values)
