"""Refusals: why something is not begun, and what would change that."""

from enum import Enum

from bot.policy import Language


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
    HEAD_GONE = (
        ("the pull request's branch {branch} is gone", "Restore it, then ask again."),
        ("der Branch {branch} des Pull Requests ist weg", "Nach der Wiederherstellung neu fragen."),
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

    NO_TEST = (
        ("no test was shown here that could be approved", "Put the label on, so that one is written."),
        ("hier wurde kein Test vorgelegt, der gutzuheißen wäre", "Das Label setzen, dann wird einer geschrieben."),
    )
    OTHER_TEST = (
        ("no test that was shown here begins with {digits}", "Copy the line below the test."),
        ("kein Test, der hier vorgelegt wurde, beginnt mit {digits}", "Die Zeile unter dem Test kopieren."),
    )
    SEVERAL_TESTS = (
        ("{count} tests were shown here", "Name the one you approve, with the line below it."),
        ("hier wurden {count} Tests vorgelegt", "Den gutgeheißenen nennen, mit der Zeile darunter."),
    )
    ATTEMPTS = (
        (
            "{there} runs were made for this already, and {allowed} are allowed",
            "`/regreen retry` allows as many again, once; beyond that, raise `max_attempts` in the policy file.",
        ),
        (
            "{there} Läufe gab es hierfür schon, und {allowed} sind erlaubt",
            "`/regreen retry` erlaubt einmal ebenso viele weitere; darüber hinaus `max_attempts` erhöhen.",
        ),
    )
    BUDGET_PULL_REQUEST = (
        (
            "the budget of this issue or pull request is used up: {there} of {allowed}",
            "Raise `budget.pull_request` in the policy file, up to the operator's own limit.",
        ),
        (
            "das Budget dieses Issues oder Pull Requests ist verbraucht: {there} von {allowed}",
            "`budget.pull_request` in der Richtliniendatei erhöhen, bis zur Grenze des Betreibers.",
        ),
    )
    BUDGET_REPOSITORY = (
        (
            "the budget of this repository within 24 hours is used up: {there} of {allowed}",
            "Wait until older runs are a day old, or raise `budget.repository_day`, up to the operator's own limit.",
        ),
        (
            "das Budget dieses Repositorys für 24 Stunden ist verbraucht: {there} von {allowed}",
            "Warten, bis ältere Läufe einen Tag alt sind, oder `budget.repository_day` erhöhen.",
        ),
    )
    BUDGET_INSTALLATION = (
        (
            "the budget of the whole installation within 24 hours is used up: {there} of {allowed}",
            "Wait until older runs are a day old, or raise the operator's limit.",
        ),
        (
            "das Budget der ganzen Installation für 24 Stunden ist verbraucht: {there} von {allowed}",
            "Warten, bis ältere Läufe einen Tag alt sind, oder die Grenze des Betreibers erhöhen.",
        ),
    )

    def say(self, language: Language, **values: object) -> tuple[str, str]:
        """Reason and remedy with their values."""
        reason, remedy = self.by_language[language]
        return reason.format(**values), remedy.format(**values)
