"""What is said of tests that were written for an issue or a review."""

from bot.pipeline.texts.said import Said


class Shown(Said):
    """A sentence."""

    TEST = (
        "{path}, written by {author}, fails with {how}:",
        "{path}, geschrieben von {author}, schlägt fehl mit {how}:",
    )
    APPROVE = ("To approve it, by a new comment:", "Gutheißen lässt er sich mit einem neuen Kommentar:")
    WAITING = ("Shown for approval:", "Zum Gutheißen vorgelegt:")
    TO_APPROVE = (
        (
            "**A test to approve**: it shows this issue, {counted}. Nothing is fixed before somebody who may write to "
            "this repository approves it."
        ),
        (
            "**Ein Test, der gutzuheißen ist**: Er zeigt dieses Issue, {counted}. Behoben wird nichts, bevor ihn "
            "jemand mit Schreibrecht in diesem Repository gutheißt."
        ),
    )
    NOT_MEANT = (
        (
            "Not what is meant? Say in the issue what is expected, or add a failing test of your own to the branch; "
            "then put the label on again."
        ),
        (
            "Ist das nicht gemeint? Im Issue sagen, was erwartet wird, oder selbst einen roten Test auf den Branch "
            "bringen; danach das Label neu setzen."
        ),
    )
    TO_APPROVE_TITLE = ("A test to approve: {test}", "Ein Test, der gutzuheißen ist: {test}")
    ABOUT_ISSUE = (
        "{path} was written by {author}, before any fix, from the issue alone; {counted}, with {how}. {approval}",
        (
            "{path} wurde von {author} vor jeder Lösung und nur nach dem Issue geschrieben; {counted}, mit {how}. "
            "{approval}"
        ),
    )
    ABOUT_REVIEW = (
        "{path} was written by {author}, before any fix, from the review alone; {counted}, with {how}. {approval}",
        (
            "{path} wurde von {author} vor jeder Lösung und nur nach dem Review geschrieben; {counted}, mit {how}. "
            "{approval}"
        ),
    )
    APPROVED = ("Approved by {person}.", "Gutgeheißen von {person}.")
    UNREVIEWED = ("Nobody has reviewed it yet.", "Noch hat ihn niemand geprüft.")
    PART = (
        "It is part of this change. Read it first: the fix is only as right as what it expects.",
        "Er gehört zu dieser Änderung. Ihn zuerst lesen: Die Lösung ist nur so richtig wie das, was er erwartet.",
    )
    NOWHERE = ("It is in no branch:", "Er liegt auf keinem Branch:")
    COUNTED_ONE = (
        "it failed on the base commit in each of {runs} runs, as was predicted",
        "er schlug auf dem Ausgangs-Commit in jedem von {runs} Läufen wie vorhergesagt fehl",
    )
    COUNTED = (
        "its {count} red tests failed on the base commit in each of {runs} runs, as was predicted",
        "seine {count} roten Tests schlugen auf dem Ausgangs-Commit in jedem von {runs} Läufen wie vorhergesagt fehl",
    )
    UNNAMED = (
        (
            "The issue names no failing test, so all {red} that fail here were taken. Check that they are what it is "
            "about."
        ),
        (
            "Das Issue nennt keinen roten Test, also gelten alle {red}, die hier rot sind. Bitte prüfen, ob es um "
            "diese geht."
        ),
    )
    BEARING = (
        (
            "The issue names no failing test, and no new one could be written for it. These red tests bear on it by "
            "their names or by where they fail: check that they are what it is about."
        ),
        (
            "Das Issue nennt keinen roten Test, und ein neuer ließ sich nicht schreiben. Diese roten Tests haben dem "
            "Namen oder der Fehlerstelle nach mit ihm zu tun: Bitte prüfen, ob es um sie geht."
        ),
    )
    APPROVED_CHANGED = (
        "**Could not reproduce**: the approved test does not fail any more as it did when it was shown.",
        "**Nicht nachzustellen**: Der gutgeheißene Test schlägt nicht mehr so fehl wie damals, als er vorgelegt wurde.",
    )
    NOT_WRITTEN = (
        "**Could not reproduce**: no test could be written that shows this issue.",
        "**Nicht nachzustellen**: Es ließ sich kein Test schreiben, der dieses Issue zeigt.",
    )
    NOT_REPRODUCED_TITLE = (
        "Could not reproduce what the issue reports",
        "Nicht nachzustellen, was das Issue meldet",
    )
    TRIED = ("What was tried:", "Was versucht wurde:")
    NO_CALL = ("nothing: the budget allows no call", "nichts: Das Budget erlaubt keine Anfrage")
    TESTER_STOPPED = (
        "the tester could not go on: {cause}",
        "das Modell für Tests kam nicht weiter: {cause}",
    )
    OTHERS_ONE = (
        (
            "{count} test fails here already; the issue names none of them, and none bears on it, so none was worked "
            "on. Name the one that is meant."
        ),
        (
            "{count} Test ist hier schon rot; das Issue nennt ihn nicht, und er hat nichts mit ihm zu tun, also wurde "
            "er nicht bearbeitet. Ist er gemeint, ihn bitte nennen."
        ),
    )
    OTHERS = (
        (
            "{count} tests fail here already; the issue names none of them, and none bears on it, so none was worked "
            "on. Name the one that is meant."
        ),
        (
            "{count} Tests sind hier schon rot; das Issue nennt keinen davon, und keiner hat mit ihm zu tun, also "
            "wurde keiner bearbeitet. Ist einer gemeint, ihn bitte nennen."
        ),
    )
    EXACT = (
        (
            "What would help: the exact call, what it gives and what it should give; or a failing test of your own on "
            "the branch. Then put the label on again."
        ),
        (
            "Was helfen würde: der genaue Aufruf, was er ergibt und was er ergeben soll; oder ein eigener roter Test "
            "auf dem Branch. Danach das Label neu setzen."
        ),
    )
