"""Brings a package's source distribution here with pip's own index client, without building anything of it.

Run as `fetch_sdist.py NAME[==VERSION] DIRECTORY`, without a version for the newest: prints the file's path. pip's
`download` command would run the package's build.
"""

import sys
from pathlib import Path

from pip._internal.commands.download import DownloadCommand
from pip._internal.network.download import Downloader
from pip._vendor.packaging.requirements import Requirement

MOST = 64 << 20


def main(name: str, directory: str) -> None:
    """Find and fetch it, past whatever caches or local directories pip is configured with."""
    command = DownloadCommand("download", "")
    options, _ = command.parse_args(["--no-deps", "--no-binary", ":all:", "--dest", directory, name])
    with command.main_context():
        session = command.get_default_session(options)
        finder = command._build_package_finder(options, session)
        wanted = Requirement(name)
        best = finder.find_best_candidate(wanted.name, wanted.specifier).best_candidate
        if best is None:
            sys.exit(f"no source distribution of {name}")
        try:
            path, _ = Downloader(session, "off")(best.link, directory)
        except TypeError:  # since pip 25.2 the bar comes with a number of attempts to resume
            path, _ = Downloader(session, "off", 1)(best.link, directory)
    if Path(path).stat().st_size > MOST:
        sys.exit(f"{name} is too large")
    print(path)  # noqa: T201 - its caller reads it


if __name__ == "__main__":
    main(*sys.argv[1:])
