"""The sentences of reports: of a pull request's body, and of final comments."""

from bot.pipeline.texts.said import Said


class Report(Said):
    """A sentence or a cell."""

    FIX_ISSUE = ("Fix: {title}", "Behebt: {title}")
    FIX_CHECK = ("Fix red check on {branch}: {what}", "Roten Check auf {branch} beheben: {what}")
    FIX_REVIEW = ("Follow up on the review: {what}", "Zum Review: {what}")
    PURPOSE_CHECK = ("Turns the red checks of {commit} green.", "Macht die roten Checks von {commit} grün.")
    PURPOSE_CHECK_OF = (
        "Turns the red checks of {commit} green, for #{number}.",
        "Macht die roten Checks von {commit} grün, für #{number}.",
    )
    PURPOSE_REVIEW = ("Follows up on #{number}.", "Führt #{number} weiter.")

    NO_FIX = ("**No fix.** Stopped with `{stop}`: {why}.", "**Keine Lösung.** Beendet mit `{stop}`: {why}.")
    NO_FIX_TITLE = ("No fix: {stop}", "Keine Lösung: {stop}")
    BEST = (
        "The best candidate, attempt {number}, {verdict}. It is not a fix, and nothing was published for it:",
        (
            "Der beste Vorschlag, Versuch {number}: {verdict}. Das ist keine Lösung, und nichts davon wurde "
            "veröffentlicht:"
        ),
    )
    SEARCHED = (
        (
            "This patch comes from a mutation search: small edits were tried until the tests passed. No model has "
            "understood the code. In published measurements about one in five such first hits is wrong, so this is a "
            "draft: read it as a hint to where the fault is."
        ),
        (
            "Dieser Patch kommt aus einer Mutationssuche: Kleine Änderungen wurden probiert, bis die Tests grün waren. "
            "Kein Modell hat den Code verstanden. Nach veröffentlichten Messungen ist etwa jeder fünfte solche erste "
            "Treffer falsch, deshalb ist dies ein Entwurf: als Hinweis zu lesen, wo der Fehler liegt."
        ),
    )
    UNEXPLAINED = ("The proposer gave no explanation.", "Eine Erklärung wurde nicht gegeben.")
    MORE = ("and {count} more", "und {count} weitere")

    TESTS = ("tests", "Tests")
    BEFORE = ("before", "vorher")
    AFTER = ("after", "nachher")
    ROW_FAILING = ("failing before", "vorher rot")
    ROW_PASSING = ("passing before", "vorher grün")
    ROW_NEW = ("new", "neu")
    ROW_FLAKY = ("flaky, set aside", "wackelig, beiseitegelegt")
    ROW_SKIPPED = ("skipped", "übersprungen")
    FAILING = ("{count} failing", "{count} rot")
    PASSING = ("{count} passing", "{count} grün")
    FIXED_OF = ("{fixed} fixed, {left} still failing", "{fixed} behoben, {left} weiter rot")
    PASSING_OF = ("{passing} passing, {regressed} regressed", "{passing} grün, {regressed} kaputtgegangen")
    NEW_OF = ("{passing} passing, {failing} failing", "{passing} grün, {failing} rot")
    NOT_COUNTED = ("not counted", "nicht gezählt")
    RUNS = (
        "Before: {count} runs of the whole suite{orders}.",
        "Vorher: {count} Läufe der ganzen Suite{orders}.",
    )
    FRESH = ("After: fresh containers.", "Nachher: frische Container.")

    LEFT_OUT = (
        "Earlier attempts are left out here to fit; the whole log is kept with the run.",
        "Frühere Versuche fehlen hier aus Platzgründen; das ganze Protokoll liegt beim Lauf.",
    )
    LOG_ONE = ("Reflection log: {count} attempt", "Protokoll der Überlegungen: {count} Versuch")
    LOG = ("Reflection log: {count} attempts", "Protokoll der Überlegungen: {count} Versuche")
    ATTEMPT = ("**Attempt {number}: {verdict}**", "**Versuch {number}: {verdict}**")
    PROPOSED = ("Proposed: {what}", "Vorgeschlagen: {what}")
    COUNTS = (
        "{fixed} fixed, {left} still failing, {regressed} regressed; {passed} of {total} tests passed; {seconds} s.",
        "{fixed} behoben, {left} weiter rot, {regressed} kaputtgegangen; {passed} von {total} Tests grün; {seconds} s.",
    )
    BROKE = ("Passed before, fails now: {test}", "Vorher grün, jetzt rot: {test}")
    REASON = ("Reason: {reason}", "Grund: {reason}")
    FACTS = (
        "Facts, put together without a model: {cause} {lesson}",
        "Tatsachen, ohne Modell zusammengestellt: {cause} {lesson}",
    )
    REFLECTION = ("Reflection: {cause} {lesson}", "Überlegung: {cause} {lesson}")

    COST = (
        "{tokens} tokens{about}, ${dollars}, {seconds} s in all",
        "{tokens} Tokens{about}, ${dollars}, {seconds} s insgesamt",
    )
    ESTIMATED = (
        " (estimated: the server reported no usage)",
        " (geschätzt: der Server hat keinen Verbrauch gemeldet)",
    )
    BY = ("Proposed by {proposer}. {cost}: {steps}.", "Vorgeschlagen von {proposer}. {cost}: {steps}.")
    DIGEST = (
        "The run log up to here has the digest `{head}`: `regreen replay` makes its decisions again.",
        (
            "Das Protokoll des Laufs hat bis hierher die Prüfsumme `{head}`: `regreen replay` trifft seine "
            "Entscheidungen noch einmal."
        ),
    )
    SPENT_ONE = (
        (
            "Spent so far: {here} of {allowed_here} here in {count} run, {day} of {allowed_day} in this repository "
            "within 24 hours."
        ),
        (
            "Bisher ausgegeben: {here} von {allowed_here} hier in {count} Lauf, {day} von {allowed_day} in diesem "
            "Repository in 24 Stunden."
        ),
    )
    SPENT = (
        (
            "Spent so far: {here} of {allowed_here} here in {count} runs, {day} of {allowed_day} in this repository "
            "within 24 hours."
        ),
        (
            "Bisher ausgegeben: {here} von {allowed_here} hier in {count} Läufen, {day} von {allowed_day} in diesem "
            "Repository in 24 Stunden."
        ),
    )
    SO_FAR = ("So far it took {cost}.", "Bisher hat es {cost} gekostet.")
    TOOK = ("It took {cost}.", "Es hat {cost} gekostet.")

    UNCOVERED = (
        "Faults that no test covers: only what the repository's own tests check was measured.",
        "Fehler, die kein Test abdeckt: Gemessen wurde nur, was die eigenen Tests des Repositorys prüfen.",
    )
    UNSURE_TESTS = ("Whether the tests themselves are right.", "Ob die Tests selbst richtig sind.")
    UNSURE_FIX = (
        "Whether a simpler or more general fix exists.",
        "Ob es eine einfachere oder allgemeinere Lösung gibt.",
    )
    SEVERAL = (
        "Which of {count} different patches is right: all of them pass every test, and this is one.",
        "Welcher von {count} verschiedenen Patches der richtige ist: Alle machen jeden Test grün, und dies ist einer.",
    )
    ASIDE_ONE = (
        "{count} flaky test was set aside; what it covers is unmeasured.",
        "{count} wackeliger Test wurde beiseitegelegt; was er abdeckt, ist nicht gemessen.",
    )
    ASIDE = (
        "{count} flaky tests were set aside; what they cover is unmeasured.",
        "{count} wackelige Tests wurden beiseitegelegt; was sie abdecken, ist nicht gemessen.",
    )
    FLAKY = (
        "These do not always do the same on the same code. They were set aside, and what they cover is unmeasured:",
        (
            "Diese tun beim selben Code nicht immer dasselbe. Sie wurden beiseitegelegt; was sie abdecken, ist nicht "
            "gemessen:"
        ),
    )
    FLAGGED = (
        "Look at these lines first: a patch that only pleases its tests would hold them, too. So this is a draft.",
        (
            "Zuerst diese Zeilen ansehen: Auch ein Patch, der nur seinen Tests gefallen will, hätte sie. Deshalb ist "
            "dies ein Entwurf."
        ),
    )
    DOUBTED = (
        "A test is never edited here, but these may themselves be wrong:",
        "Ein Test wird hier nie geändert, aber diese sind vielleicht selbst falsch:",
    )
    UNPUBLISHED = (
        "a fix was found but not published: {cause}",
        "eine Lösung ist da, aber nicht veröffentlicht: {cause}",
    )
    THE_FIX = ("The fix:", "Die Lösung:")

    GREEN_ONE = (
        "{count} failing test turned green, nothing broke",
        "{count} roter Test wurde grün, nichts ging kaputt",
    )
    GREEN = ("{count} failing tests turned green, nothing broke", "{count} rote Tests wurden grün, nichts ging kaputt")
    GREEN_UNSHOWN = (
        "Nothing broke, and no test shows the change",
        "Nichts ging kaputt, und kein Test zeigt die Änderung",
    )
    WHOLE_RUN = ("[The whole run]({page})", "[Der ganze Lauf]({page})")
    CHANGED_FOR = ("Changed to turn {tests} green", "Geändert, damit grün wird: {tests}")
    CHANGED_FOR_MORE = (
        "Changed to turn {tests} and others green",
        "Geändert, damit grün wird: {tests} und andere",
    )
    CHANGED_ON_REQUEST = (
        "Changed since somebody asked for it; no test shows this",
        "Geändert, weil jemand darum bat; kein Test zeigt das",
    )
    CUT = (
        "**Cut here**: the rest is longer than GitHub takes.",
        "**Hier gekürzt**: Der Rest ist länger, als GitHub annimmt.",
    )


class Press(Said):
    """What stands on a button, at most 20 characters, and what it does, at most 40."""

    FIX = ("Fix this", "Beheben")
    FIX_DOES = ("Start a run about this", "Hierzu einen Lauf beginnen")
    STOP = ("Stop", "Anhalten")
    STOP_DOES = ("Cancel the run that is under way", "Den laufenden Lauf abbrechen")
