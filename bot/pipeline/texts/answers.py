"""What is said in the threads of a review, and of a follow-up as a whole."""

from bot.pipeline.texts.said import Said


class Answered(Said):
    """A sentence, a title, or a reason behind a colon."""

    READING = (
        "reading what was said, and setting up the tests",
        "gelesen wird, was gesagt wurde; die Tests werden eingerichtet",
    )
    OUTSIDER = (
        "who wrote it may not write to this repository, and its policy leaves such words out",
        "wer das schrieb, hat hier kein Schreibrecht, und die Richtlinie lässt solche Worte aus",
    )
    EDITED = (
        "it was edited after the review was submitted, and only what was said then is read; ask again",
        "es wurde nach dem Absenden des Reviews geändert, und gelesen wird nur, was da stand; bitte neu fragen",
    )
    CROWDED = (
        "only {most} threads are worked on at once; ask again for this one",
        "es werden nur {most} Threads auf einmal bearbeitet; für diesen bitte neu fragen",
    )
    CHANGED = ("Changed in {commit}: {why}", "Geändert in {commit}: {why}")
    UNEXPLAINED = ("no explanation was given", "eine Erklärung wurde nicht gegeben")
    ELSEWHERE = (
        "{commit} was made for this review, but it changes nothing in {path}: see whether it answers this.",
        "{commit} entstand zu diesem Review, ändert aber nichts in {path}: Bitte sehen, ob das genügt.",
    )
    GUARD = (
        "all {passing} tests that passed before still pass",
        "alle {passing} Tests, die vorher grün waren, sind es noch",
    )
    UNSHOWN = ("No test shows this change; {guard}. Read it.", "Kein Test zeigt diese Änderung; {guard}. Bitte lesen.")
    SHOWN = (
        "{tests}; {guard}. What is asked for beyond that is shown by no test.",
        "{tests}; {guard}. Was darüber hinaus gewünscht ist, zeigt kein Test.",
    )
    SEARCHED = (
        "It comes from a search that tried small edits, not from an understanding of the code.",
        "Sie kommt aus einer Suche, die kleine Änderungen probiert hat, nicht aus einem Verständnis des Codes.",
    )
    NEW_TEST = (
        "A new test in {path}, which nobody has reviewed, failed before and passes now",
        "Ein neuer Test in {path}, den niemand geprüft hat, war vorher rot und ist jetzt grün",
    )
    GREEN_ONE = ("1 failing test is green", "1 roter Test ist grün")
    GREEN = ("{count} failing tests are green", "{count} rote Tests sind grün")
    NOT_DONE = ("Not done: {reason}", "Nicht gemacht: {reason}")
    LEFT_OUT = ("Not worked on: {reason}", "Nicht bearbeitet: {reason}")
    FROM_WORDS = (
        (
            "Nothing was red, so this was made from words alone: no test shows that it does what was asked for. All "
            "{passing} tests that passed before pass with it. Read the change."
        ),
        (
            "Nichts war rot, also entstand dies nur nach Worten: Kein Test zeigt, dass es tut, was gewünscht war. Alle "
            "{passing} Tests, die vorher grün waren, sind es damit auch. Bitte die Änderung lesen."
        ),
    )
    FROM_WORDS_TRIED = (
        (
            "Nothing was red, and no test could be written that shows it, so this was made from words alone: no test "
            "shows that it does what was asked for. All {passing} tests that passed before pass with it. Read the "
            "change."
        ),
        (
            "Nichts war rot, und es ließ sich kein Test dafür schreiben, also entstand dies nur nach Worten: Kein Test "
            "zeigt, dass es tut, was gewünscht war. Alle {passing} Tests, die vorher grün waren, sind es damit auch. "
            "Bitte die Änderung lesen."
        ),
    )
    PARTLY_SHOWN = (
        "Tests show what they turn green. What was asked for beyond that is shown by none.",
        "Tests zeigen, was sie grün machen. Was darüber hinaus gewünscht war, zeigt keiner.",
    )

    NOTHING_ASKED = ("nothing was asked for", "es wurde um nichts gebeten")
    NOTHING_ASKED_TITLE = ("Nothing was asked for", "Es wurde um nichts gebeten")
    NOTHING_ASKED_TEXT = (
        "**Nothing to do**: nothing was asked for.",
        "**Nichts zu tun**: Es wurde um nichts gebeten.",
    )
    COULD_NOT_FINISH = ("could not finish: {cause}", "nicht zu Ende gekommen: {cause}")
    NO_CHANGE_TITLE = ("No change: {stop}", "Keine Änderung: {stop}")
    PASS_HERE = ("{count} tests pass here", "{count} Tests sind hier grün")
    RED_TOO = (
        "{count} tests pass here, and what is red fails on {base} too",
        "{count} Tests sind hier grün, und was rot ist, ist es auf {base} auch",
    )
    BASE_MERGED = (
        "the base was merged, and there was nothing else to do",
        "die Basis wurde gemergt, und sonst war nichts zu tun",
    )
    BASE_MERGED_TITLE = ("Merged the base", "Basis gemergt")
    DONE = ("**Done**: {what}.", "**Fertig**: {what}.")
    NOTHING_TO_DO = ("**Nothing to do**: {what}.", "**Nichts zu tun**: {what}.")
    NOTHING_TO_DO_TITLE = ("Nothing to do: {what}", "Nichts zu tun: {what}")
    NOT_DONE_TEXT = ("**Not done**: {reason}.", "**Nicht gemacht**: {reason}.")
    NOTHING_FOUND = ("nothing was found to do", "es fand sich nichts zu tun")
    NO_MODEL = (
        "nothing is red, and there is no model here that could make a change from words alone",
        "nichts ist rot, und hier gibt es kein Modell, das nur nach Worten etwas ändern könnte",
    )
    NO_GUARD = (
        "no test passes here that would show whether a change breaks anything",
        "hier ist kein Test grün, der zeigen würde, ob eine Änderung etwas kaputt macht",
    )
    NOT_PUSHED_CAUSE = (
        "a change was found but could not be pushed: {cause}",
        "eine Änderung ist da, ließ sich aber nicht pushen: {cause}",
    )
    THE_CHANGE = ("The change:", "Die Änderung:")
    PUSHED_TITLE = ("Pushed {commit} to #{number}", "{commit} zu #{number} gepusht")
    NOT_PUSHED = (
        (
            "**Not pushed**: {cause}. This is the change, against {commit}, where it passed: apply it on top of them "
            "if it is still wanted, or ask again."
        ),
        (
            "**Nicht gepusht**: {cause}. Dies ist die Änderung gegenüber {commit}, wo sie bestand: Sie lässt sich "
            "darauf anwenden, wenn sie noch gewünscht ist; sonst bitte neu fragen."
        ),
    )
    PATCH_THERE = (
        "**Not pushed**: {cause}. [The patch is in a comment]({url}).",
        "**Nicht gepusht**: {cause}. [Der Patch steht in einem Kommentar]({url}).",
    )
    NOT_PUSHED_TITLE = ("Not pushed: {cause}", "Nicht gepusht: {cause}")
    IN_COMMENT = (
        "the branch got other commits meanwhile, and they are left alone; the patch is in a comment",
        "der Branch bekam inzwischen andere Commits, und sie bleiben, wie sie sind; der Patch steht in einem Kommentar",
    )
    IN_STATUS = (
        "the branch got other commits meanwhile, and they are left alone; the patch is in the status comment",
        "der Branch bekam inzwischen andere Commits, und sie bleiben, wie sie sind; der Patch steht im Statuskommentar",
    )
    LINE = ("{commit}, for what {person} asked: {shown}", "{commit}, worum {person} bat: {shown}")
    AS_OF = ("As of {commit}, against {head}:", "Stand {commit}, gegenüber {head}:")
    REPORTED = (
        "**Done**: {commit} on #{number}; {what}.",
        "**Fertig**: {commit} an #{number}; {what}.",
    )
    NO_TEST_SHOWS = ("no test shows it", "kein Test zeigt es")
    NOTHING_BROKE = ("{tests}; nothing broke", "{tests}; nichts ging kaputt")

    CURRENT = ("The branch holds all of {base} already.", "Der Branch enthält schon alles von {base}.")
    BEHIND = ("{count} commits behind {base}", "{count} Commits hinter {base}")
    BEHIND_ONE = ("{count} commit behind {base}", "{count} Commit hinter {base}")
    ASK_MERGE = (
        "The branch is {behind}; ask for a merge of {base} to have it made.",
        "Der Branch liegt {behind}; auf Bitte wird {base} gemergt.",
    )
    CONFLICT = (
        (
            "The branch is {behind} and conflicts with it. Regreen resolves no conflicts: none is resolved, and {base} "
            "is not merged. Merge it by hand."
        ),
        (
            "Der Branch liegt {behind} und steht damit im Konflikt. Regreen löst keine Konflikte: Keiner ist gelöst, "
            "und {base} ist nicht gemergt. Bitte von Hand mergen."
        ),
    )
    MERGED = (
        "{base} was merged into the branch for real ({commit}), without a conflict.",
        "{base} wurde wirklich in den Branch gemergt ({commit}), ohne Konflikt.",
    )
