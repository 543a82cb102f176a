"""Shell completion: the scripts that a shell reads, which ask `regreen` itself what may come next."""

from enum import StrEnum
from typing import Annotated

import typer

from bot.cli.reporting import Json, dump
from bot.cli.statuses import Status

_ASK = "_REGREEN_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=get-args"
"""What `regreen` answers to with a line each: a word, and after a tab what it is. No line of it is ever evaluated."""


class Shell(StrEnum):
    """A shell that there is a script for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


BASH = f"""\
# regreen's completion for bash 4.4 or newer
_regreen() {{
    local line=${{COMP_LINE:0:COMP_POINT}} word
    local begun=${{line##*[[:space:]]}}
    COMPREPLY=()
    while IFS=$'\\t' read -r word _; do
        [[ -n $word ]] && COMPREPLY+=("$word")
    done < <({_ASK} _TYPER_COMPLETE_ARGS=$line "$1" 2>/dev/null)
    # readline replaces what stands after the last colon only, and a run's id has several
    if [[ $COMP_WORDBREAKS == *:* && $begun == *:* ]]; then
        COMPREPLY=("${{COMPREPLY[@]#"${{begun%"${{begun##*:}}"}}"}}")
    fi
}}
complete -o default -F _regreen regreen
"""

ZSH = f"""\
#compdef regreen
# regreen's completion for zsh
_regreen() {{
    local answer line="${{(j: :)words[1,CURRENT]}}"
    local -a words_ shown
    for answer in "${{(@f)$(env {_ASK} _TYPER_COMPLETE_ARGS="$line" "${{words[1]}}" 2>/dev/null)}}"; do
        [[ -z $answer ]] && continue
        words_+=("${{answer%%$'\\t'*}}")
        shown+=("${{answer//$'\\t'/  }}")
    done
    if (( $#words_ )); then
        compadd -l -d shown -a words_
    else
        _files
    fi
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _regreen "$@"
else
    compdef _regreen regreen
fi
"""

FISH = f"""\
# regreen's completion for fish
function __regreen_complete
    set --local line (commandline --current-process --cut-at-cursor)
    set --local words (env {_ASK} _TYPER_COMPLETE_ARGS=$line regreen 2>/dev/null)
    if test (count $words) -gt 0
        string join \\n -- $words
    else
        __fish_complete_path (commandline --current-token)
    end
end
complete --command regreen --no-files --arguments '(__regreen_complete)'
"""

SCRIPTS = {Shell.BASH: BASH, Shell.ZSH: ZSH, Shell.FISH: FISH}


def completion(shell: Annotated[Shell, typer.Argument(help="Which shell.")], as_json: Json = False) -> None:
    """Print a shell's completion script, which knows commands, options and the ids of runs."""
    if as_json:
        dump({"shell": shell.value, "script": SCRIPTS[shell]})
    else:
        typer.echo(SCRIPTS[shell], nl=False)
    raise typer.Exit(Status.DONE)


def add_to(app: typer.Typer, kind: str) -> None:
    """Give the command line this command, listed under `kind`."""
    app.command(rich_help_panel=kind)(completion)
