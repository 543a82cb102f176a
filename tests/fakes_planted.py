"""A repository whose own git configuration runs commands: each leaves a file of its name in a directory of marks."""

from pathlib import Path

from fakes_forge import git

MECHANISMS = frozenset({
    "fsmonitor", "included", "hook", "clean", "smudge", "process", "external-diff", "textconv", "ssh", "upload-pack",
    "signature",
})  # fmt: skip

ATTRIBUTES = b"""*.dirty filter=evil diff=evil
*.long filter=lasting
*.py ident eol=crlf
"""


def plant(root: Path, marks: Path) -> None:
    """Make `root` a git repository that runs something at every turn. Its files stay, and are committed first."""
    marks.mkdir(exist_ok=True)
    (root / "a.dirty").write_text("1\n")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "c")
    (root / ".gitattributes").write_bytes(ATTRIBUTES)
    (root / ".git/config").write_text(_configuration(root, marks))
    (root / ".git/more").write_text(f'[credential]\n\thelper = "!touch {marks}/included"\n')
    (root / ".git/hooks").mkdir(exist_ok=True)
    for name in ("post-checkout", "post-index-change", "pre-commit", "reference-transaction", "pre-auto-gc"):
        hook = root / ".git/hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {marks}/hook\n")
        hook.chmod(0o755)
    (root / ".git/objects/info/alternates").write_text(f"{marks}\n")


def _configuration(root: Path, marks: Path) -> str:
    return f"""[core]
\trepositoryformatversion = 0
\tbare = false
\tfsmonitor = "touch {marks}/fsmonitor; false"
\tsshCommand = "touch {marks}/ssh; false"
[includeIf "gitdir:**"]
\tpath = more
[diff]
\texternal = "touch {marks}/external-diff; true"
[diff "evil"]
\ttextconv = "touch {marks}/textconv; cat"
[filter "evil"]
\tclean = "touch {marks}/clean; cat"
\tsmudge = "touch {marks}/smudge; cat"
[filter "lasting"]
\tprocess = "touch {marks}/process; false"
[gpg]
\tprogram = {marks.parent}/sign
[remote "origin"]
\turl = {root}
\tuploadpack = "touch {marks}/upload-pack; false"
[remote "far"]
\turl = ssh://nowhere.invalid/x
"""


def use(root: Path) -> None:
    """What a tool that trusts git would do there: look, compare, add, check out, fetch, verify."""
    sign = root.parent / "sign"
    sign.write_text(f"#!/bin/sh\ntouch {next(root.parent.glob('marks'))}/signature\nexit 1\n")
    sign.chmod(0o755)
    (root / "a.dirty").write_text("2\n")
    for command in (
        ("status",),
        ("diff",),
        ("diff", "--no-ext-diff"),
        ("add", "a.dirty"),
        ("checkout", "-f", "HEAD", "--", "a.dirty"),
        ("checkout", "HEAD"),
        ("fetch", "origin"),
        ("fetch", "far"),
        ("commit", "-S", "--allow-empty", "-m", "c"),
        ("credential", "fill"),
    ):
        _try(root, *command)
    (root / "a.long").write_text("1\n")
    _try(root, "add", "a.long")


def _try(root: Path, *command: str) -> None:
    try:
        git(root, *command, given=b"protocol=https\nhost=x\n\n")
    except OSError:
        raise
    except Exception:  # noqa: BLE001 - what was planted makes most of them fail; the marks are what counts
        return


def nested(root: Path, marks: Path) -> None:
    """Make `root` a bare repository of plain files, which git takes for one when it is started there."""
    for folder in ("objects", "refs", "hooks"):
        (root / folder).mkdir(parents=True)
        (root / folder / "kept").write_text("")
    (root / "HEAD").write_text("ref: refs/heads/main\n")
    (root / "config").write_text(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n"
        f'\tfsmonitor = "touch {marks}/bare-monitor; false"\n'
    )
    hook = root / "hooks" / "post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch {marks}/bare-hook\n")
    hook.chmod(0o755)


def shadow(root: Path, marks: Path) -> None:
    """Put modules and programs into `root` that are found before others where that directory is searched."""
    for module in ("git", "docker", "pip", "yaml", "sitecustomize", "conftest"):
        (root / f"{module}.py").write_text(
            f"import contextlib, pathlib\n"
            f"with contextlib.suppress(OSError):\n    pathlib.Path({str(marks / module)!r}).touch()\n"
        )
    for program in ("git", "pip", "python3", "npm", "node", "go", "docker"):
        (root / program).write_text(f"#!/bin/sh\ntouch {marks}/{program}\n")
        (root / program).chmod(0o755)
    (root / ".npmrc").write_text("registry=https://evil.invalid/\n")
    (root / "pip.conf").write_text("[global]\nindex-url = https://evil.invalid/simple\n")
    (root / ".env").write_text("REGREEN_ALLOWED_HOSTS=evil.invalid\n")
