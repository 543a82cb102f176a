"""What is said of red checks, and of fixes of them that get no pull request of their own."""

from bot.pipeline.texts.said import Said


class Red(Said):
    """A sentence or a title."""

    COMMIT = ("{count} commit", "{count} Commit")
    COMMITS = ("{count} commits", "{count} Commits")
    ALIKE = (
        "These fail on {base} too, and are left alone:",
        "Diese sind auch auf {base} rot und bleiben, wie sie sind:",
    )
    STALE = (
        "These pass on {base} by now: bring the branch up to date.",
        "Diese sind auf {base} inzwischen grün: Den Branch auf den neuesten Stand bringen.",
    )
    UNLIKE = (
        "Whether {base} fails alike is not known: {cause}.",
        "Ob {base} ebenso fehlschlägt, ist nicht bekannt: {cause}.",
    )
    OLD_BASE = (
        (
            "**Nothing to fix here**: the check is red only because the branch's base is old. It is {behind} behind "
            "{base}, and what fails here failed where the branch began and passes on {base} ({commit}) now:"
        ),
        (
            "**Hier nichts zu beheben**: Der Check ist nur rot, weil der Branch auf altem Stand ist. Er liegt {behind} "
            "hinter {base}; was hier rot ist, war es schon, wo der Branch begann, und ist auf {base} ({commit}) jetzt "
            "grün:"
        ),
    )
    UPDATED = (
        "The branch has been brought up to date: {commit} merges {base} into it.",
        "Der Branch ist auf den neuesten Stand gebracht: {commit} mergt {base} hinein.",
    )
    UPDATE = (
        "Merge {base} into the branch, or rebase it: that is all it takes.",
        "{base} in den Branch mergen oder ihn rebasen: Mehr braucht es nicht.",
    )
    UPDATED_TITLE = ("Brought the branch up to date", "Branch auf den neuesten Stand gebracht")
    OLD_BASE_TITLE = (
        "Nothing to fix: only the branch's base is old",
        "Nichts zu beheben: Nur der Stand des Branches ist alt",
    )
    INHERITED = (
        "**Nothing to fix here**: what failed fails on {base} too, and is not the fault of #{number}:",
        "**Hier nichts zu beheben**: Was fehlschlug, schlägt auch auf {base} fehl und liegt nicht an #{number}:",
    )
    BELONGS = (
        "A fix belongs there: a red check on {base}, or an issue with Regreen's label, starts one.",
        "Eine Lösung gehört dorthin: Ein roter Check auf {base} oder ein Issue mit dem Label von Regreen beginnt eine.",
    )
    INHERITED_TITLE = ("Nothing to fix: {base} fails too", "Nichts zu beheben: {base} ist auch rot")
    MERGED = (
        (
            "**Only together with {base}**: these pass on the branch, and fail once it is merged with {base}, which "
            "went on by {behind}:"
        ),
        (
            "**Nur zusammen mit {base}**: Diese sind auf dem Branch grün und werden rot, sobald er mit {base} gemergt "
            "ist, das um {behind} weiter ist:"
        ),
    )
    MERGE = (
        "Merge {base} into the branch: if its checks are red then, a new run starts from what shows.",
        "{base} in den Branch mergen: Sind seine Checks dann rot, beginnt ein neuer Lauf mit dem, was sich zeigt.",
    )
    MERGED_TITLE = ("Fails only once merged with its base", "Erst rot, wenn mit der Basis gemergt")
    OTHERS_FAIL = ("{count} other tests fail here", "{count} andere Tests sind hier rot")
    ALL_PASS = ("all {count} tests pass here", "alle {count} Tests sind hier grün")
    NOT_REPRODUCED = (
        "**Could not reproduce**: the tests that failed in the check do not fail in the sandbox; {seen}.",
        "**Nicht nachzustellen**: Die Tests, die im Check rot waren, sind es in der Sandbox nicht; {seen}.",
    )
    UNNAMED = (
        "The failed jobs' logs name no test that Regreen can read.",
        "Die Logs der fehlgeschlagenen Jobs nennen keinen Test, den Regreen lesen kann.",
    )
    EXPLAINED = (
        (
            "The sandbox has no network, secrets or services; a flaky test, a missing service or a stale base explains "
            "this."
        ),
        (
            "Die Sandbox hat kein Netz, keine Secrets und keine Dienste; ein wackeliger Test, ein fehlender Dienst "
            "oder ein alter Stand erklärt das."
        ),
    )
    SHAKY = ("Flaky, so no code was changed for them:", "Wackelig, deshalb wurde ihretwegen kein Code geändert:")
    SHAKY_TITLE = ("Flaky: it fails only now and then", "Wackelig: nur ab und zu rot")
    NOT_REPRODUCED_TITLE = ("Could not reproduce the failure", "Der Fehlschlag war nicht nachzustellen")
    READ_LOGS = ("read the logs of {jobs}", "die Logs von {jobs} gelesen")
    NO_LOGS = (
        "looked for the failed jobs' logs, which are not there",
        "die Logs der fehlgeschlagenen Jobs gesucht, die nicht da sind",
    )
    WHOLE = (
        "{runs} runs of the whole suite on {commit}, each in a fresh container",
        "{runs} Läufe der ganzen Suite auf {commit}, jeder in einem frischen Container",
    )
    APART = (
        "{often} more runs of the {count} tests that the logs name, apart from the rest",
        "{often} weitere Läufe der {count} Tests, die die Logs nennen, getrennt vom Rest",
    )
    ON_BASE = ("the same tests on {base} at {commit}", "dieselben Tests auf {base}, Stand {commit}")
    UNTESTED = (
        "other commits, which could not be tested: {cause}",
        "andere Commits, die sich nicht testen ließen: {cause}",
    )

    DOES_ONE = ("turns 1 failing test green; nothing broke", "macht 1 roten Test grün; nichts ging kaputt")
    DOES = ("turns {count} failing tests green; nothing broke", "macht {count} rote Tests grün; nichts ging kaputt")
    DONE = ("**Done**: {commit} {does}.", "**Fertig**: {commit} {does}.")
    PUSHED = ("**Pushed** {commit}: it {does}.", "**Gepusht**: {commit} {does}.")
    PUSHED_TITLE = ("Pushed a fix to #{number}", "Lösung zu #{number} gepusht")
    A_FIX = (
        "**A fix** for the red checks of {commit}: it {does}. Nothing was pushed.",
        "**Ein Vorschlag** zu den roten Checks von {commit}: Er {does}. Gepusht wurde nichts.",
    )
    ON_LINES = (
        "[The same as suggestions on the lines]({page}), which you can commit at a click, or as a patch:",
        "[Dasselbe als Vorschläge an den Zeilen]({page}), die sich mit einem Klick committen lassen, oder als Patch:",
    )
    APPLY = ("Apply it on {branch} with `git apply`:", "Auf {branch} mit `git apply` anzuwenden:")
    MEASURED = ("What was measured", "Was gemessen wurde")
    SUGGESTED_TITLE = ("Suggested a fix on #{number}", "Lösung zu #{number} vorgeschlagen")
    SUGGESTED = (
        "**Done**: a comment on #{number} {does}.",
        "**Fertig**: Ein Kommentar an #{number} enthält eine Lösung; sie {does}.",
    )
    HANDED_OVER = (
        (
            "**Not pushed**: {cause}. This is a fix for the red checks of {commit}, where it {does}: apply it on top "
            "of them if it is still wanted."
        ),
        (
            "**Nicht gepusht**: {cause}. Dies ist eine Lösung zu den roten Checks von {commit}; sie {does}. Sie lässt "
            "sich darauf anwenden, wenn sie noch gewünscht ist."
        ),
    )
