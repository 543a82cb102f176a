"""How runs stop, what would help then, and how attempts are judged. Members are named like the values they tell of."""

from bot.pipeline.texts.said import Said


class Stop(Said):
    """Why a run stopped, for each `StopReason`."""

    SOLVED = (
        "every target test passes and nothing that passed before broke",
        "alle Zieltests sind grün, und nichts ging kaputt",
    )
    ITERATIONS = ("all allowed rounds were used", "alle erlaubten Runden sind verbraucht")
    TOKENS = ("the token budget does not allow another call", "das Token-Budget erlaubt keine weitere Anfrage")
    DOLLARS = ("the dollar budget does not allow another call", "das Dollar-Budget erlaubt keine weitere Anfrage")
    WALL_CLOCK = ("the time allowed for one run is over", "die Zeit, die ein Lauf haben darf, ist um")
    IDENTICAL_CODE = ("the same code was proposed again", "derselbe Code wurde noch einmal vorgeschlagen")
    CYCLE = (
        "the proposals went back and forth between the same versions",
        "die Vorschläge wechselten zwischen denselben Fassungen hin und her",
    )
    SAME_FAILURE = (
        "round after round failed in exactly the same way",
        "Runde um Runde schlug auf genau dieselbe Weise fehl",
    )
    FORMAT_ERRORS = (
        "three replies in a row could not be applied",
        "drei Antworten nacheinander ließen sich nicht anwenden",
    )
    NO_SHRINK = (
        "round after round of fresh candidates came no closer",
        "Runde um Runde kamen neue Vorschläge nicht näher heran",
    )
    TARGETS_FLAKY = (
        "the tests that were to turn green fail only now and then, whatever the code",
        "die Tests, die grün werden sollten, schlagen nur ab und zu fehl, gleich bei welchem Code",
    )
    EXHAUSTED = ("there are no further candidates", "es gibt keine weiteren Vorschläge")
    MODEL_FAILED = ("the model could not be asked", "das Modell war nicht zu erreichen")
    TESTS_FAILED_TO_RUN = (
        "the tests could not be run any more",
        "die Tests ließen sich nicht mehr ausführen",
    )


class Help(Said):
    """What would help a run that stopped without a fix."""

    SMALLER = (
        "A smaller issue, a test that isolates the fault, or a larger budget.",
        "Ein kleineres Issue, ein Test, der den Fehler eingrenzt, oder ein größeres Budget.",
    )
    STUCK = (
        "More time would not. A test that isolates the fault, what exactly is expected, or another model might.",
        (
            "Mehr Zeit nicht, vielleicht aber ein Test, der den Fehler eingrenzt, eine genaue Angabe dessen, was "
            "erwartet wird, oder ein anderes Modell."
        ),
    )
    STEADY = (
        "A test that fails every time, or a fix of what makes these tests depend on chance.",
        "Ein Test, der jedes Mal fehlschlägt, oder dass behoben wird, was diese Tests vom Zufall abhängen lässt.",
    )
    FORMAT = (
        (
            "The repository needs no change. Whoever runs Regreen can choose another model, another edit format "
            "(`REGREEN_FIRST_RUNG`) or, where replies are cut off, longer ones (`REGREEN_MAX_REPLY_TOKENS`)."
        ),
        (
            "Am Repository liegt es nicht. Wer Regreen betreibt, kann ein anderes Modell wählen, ein anderes Format "
            "der Änderungen (`REGREEN_FIRST_RUNG`) oder, wo Antworten abgeschnitten werden, längere "
            "(`REGREEN_MAX_REPLY_TOKENS`)."
        ),
    )
    EXHAUSTED = (
        (
            "A test that isolates the fault. The mutation search makes single small edits only: a model, configured by "
            "whoever runs Regreen, goes further."
        ),
        (
            "Ein Test, der den Fehler eingrenzt. Die Mutationssuche macht nur einzelne kleine Änderungen: Ein Modell, "
            "das einrichtet, wer Regreen betreibt, kommt weiter."
        ),
    )
    OPERATOR = (
        "The repository needs no change. Whoever runs Regreen does what the error says, then put the label on again.",
        "Am Repository liegt es nicht. Wer Regreen betreibt, tut, was der Fehler sagt; danach das Label neu setzen.",
    )


class Judged(Said):
    """What became of an attempt, for each `Verdict`."""

    SOLVED = ("solved", "gelöst")
    REGRESSED = ("rejected: it broke a test that passed", "verworfen: ein Test, der grün war, ging kaputt")
    NOT_FIXED = ("did not fix a target test", "machte keinen Zieltest grün")
    PARTIAL = ("fixed some of the target tests", "machte einige der Zieltests grün")
    INVALID_RUN = ("its test run cannot be believed", "seinem Testlauf ist nicht zu trauen")
    REFUSED = ("refused before it ran", "vor dem Lauf abgelehnt")
    REJECTED = ("rejected although its tests passed", "verworfen, obwohl die Tests grün waren")
    DOUBTED = (
        "kept in reserve: its tests passed, and a model doubts it",
        "zurückgehalten: die Tests sind grün, aber ein Modell zweifelt daran",
    )
    NOT_APPLIED = ("could not be applied", "ließ sich nicht anwenden")
    REPEATED = ("the same code as an earlier attempt", "derselbe Code wie in einem früheren Versuch")
