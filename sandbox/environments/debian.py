"""Builds a Debian or Ubuntu root file system with debootstrap, from the suite and mirror that this host itself uses."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sandbox.errors import ImageMissingError

PACKAGES = ("ca-certificates", "git", "python3", "python3-venv", "python3-pip")
"""What every base image has: Python for what starts the install steps, git for versions that are taken from tags."""

_FALLBACK_SUITE = "bookworm"
_BUNDLE = Path("/etc/ssl/certs/ca-certificates.crt")
_MOUNTS = Path("/proc/self/mountinfo")
_RELEASE = Path("/etc/os-release")
_LEFT_OUT = (
    "./dev/*",
    "./proc/*",
    "./sys/*",
    "./run/*",
    "./tmp/*",
    "./var/cache/*",
    "./var/lib/apt/lists/*",
    "./var/log/*",
    "./usr/share/doc/*",
    "./usr/share/info/*",
    "./usr/share/locale/*",
    "./usr/share/man/*",
    "./etc/hostname",
    "./etc/machine-id",
    "./etc/resolv.conf",
)

Log = Callable[[str], None]


class Debootstrap:
    """A builder of minimal root file systems; needs root, since it makes one that root owns."""

    def __init__(self, reference: str, packages: Sequence[str] = ()) -> None:
        """`packages` come on top of `PACKAGES`; `reference` is only named in what a person is told to do."""
        self._reference = reference
        self._packages = tuple(packages)

    def build(self, work: Path, log: Log) -> Path:
        """The tar of a fresh root file system, below `work`; what an earlier, killed build left there goes first.

        Raises `ImageMissingError` naming the command to run, or the last lines of the one that failed.
        """
        root = work / "root"
        remove_tree(root)
        release = read_release(_RELEASE)
        bootstrap = (*_bootstrap_argv(release), str(root), *_mirror(_suite(release)))
        self._check(release, bootstrap, root, log)
        try:
            _stream(bootstrap, log)
            if self._packages:
                _add(root, self._packages, log)
            rootfs_tar = work / "rootfs.tar"
            # Modification times stay: the compiled Python files name their sources' times.
            exclude = (f"--exclude={pattern}" for pattern in _LEFT_OUT)
            _stream(
                ("tar", "-C", str(root), "--sort=name", "--numeric-owner", *exclude, "-cf", str(rootfs_tar), "."), log
            )
        finally:
            remove_tree(root)
        return rootfs_tar

    def _check(self, release: Mapping[str, str], bootstrap: Sequence[str], root: Path, log: Log) -> None:
        cause = f"The base image {self._reference} is not here, no registry gave it, and building it takes "
        if os.geteuid() != 0:
            steps = [bootstrap, *(_chroot(root, each) for each in _additions(self._packages))]
            script = " && ".join(map(shlex.join, steps))
            script += f" && tar -C {shlex.quote(str(root))} -c . | docker import - {self._reference}"
            raise ImageMissingError(f"{cause}root", f"Run: sudo sh -c {shlex.quote(script)}")
        if shutil.which("debootstrap"):
            return
        if not is_debian_like(release) or not shutil.which("apt-get"):
            raise ImageMissingError(f"{cause}debootstrap", "Install it with this system's package manager.")
        log("Installing debootstrap")
        _stream(("apt-get", "update"), log)
        _stream(("apt-get", "install", "-y", "--no-install-recommends", "debootstrap"), log)


def read_release(path: Path) -> dict[str, str]:
    """The fields of an os-release file, empty where there is none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {name.strip(): value.strip().strip("\"'") for name, _, value in pairs}


def is_debian_like(release: Mapping[str, str]) -> bool:
    """Whether this host can bootstrap its own suite."""
    return release.get("ID") in {"debian", "ubuntu"} and bool(release.get("VERSION_CODENAME"))


def remove_tree(root: Path) -> None:
    """Remove a root file system, unmounting first what a killed debootstrap left mounted in it."""
    mounted = (line.split()[4] for line in _MOUNTS.read_text(encoding="utf-8").splitlines())
    for point in sorted((point for point in mounted if point.startswith(f"{root.resolve()}/")), reverse=True):
        argv = ("umount", "--lazy", point)
        subprocess.run(argv, check=False)  # noqa: S603 - a path below our own directory
    shutil.rmtree(root, ignore_errors=True)


def _suite(release: Mapping[str, str]) -> str:
    return release["VERSION_CODENAME"] if is_debian_like(release) else _FALLBACK_SUITE


def _bootstrap_argv(release: Mapping[str, str]) -> tuple[str, ...]:
    components = ("--components=main,universe",) if release.get("ID") == "ubuntu" else ()
    return ("debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", *components, _suite(release))


def _additions(packages: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Apt's, since debootstrap's own resolver knows neither alternatives nor virtual packages."""
    if not packages:
        return ()
    return ("apt-get", "update"), ("apt-get", "install", "-y", "--no-install-recommends", *packages)


def _chroot(root: Path, argv: Sequence[str]) -> tuple[str, ...]:
    return ("chroot", str(root), *argv)


def _add(root: Path, packages: Sequence[str], log: Log) -> None:
    trust: tuple[str, ...] = ()
    if _BUNDLE.is_file():
        # The mirror may be one that only this host's bundle vouches for. /tmp is left out of the image.
        shutil.copyfile(_BUNDLE, root / "tmp" / _BUNDLE.name)
        trust = ("-o", f"Acquire::https::CAInfo=/tmp/{_BUNDLE.name}")
    for argv in _additions(packages):
        _stream(_chroot(root, (*argv, *trust)), log)


def _mirror(suite: str) -> tuple[str, ...]:
    """The mirror that apt uses for the suite; none leaves the choice to debootstrap."""
    argv = ("apt-get", "indextargets", "--format", "$(CREATED_BY) $(RELEASE) $(COMPONENT) $(REPO_URI)")
    try:
        done = subprocess.run(argv, check=True, capture_output=True, text=True)  # noqa: S603 - our own literal argv
    except (OSError, subprocess.CalledProcessError):
        return ()
    wanted = ["Packages", suite, "main"]
    return next(((line.split()[3],) for line in done.stdout.splitlines() if line.split()[:3] == wanted), ())


def _stream(argv: Sequence[str], log: Log) -> None:
    last: list[str] = []
    command = ("env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", *argv)
    with subprocess.Popen(  # noqa: S603 - our own argv, no shell
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        close_fds=False,  # the lock that says somebody builds here is inherited on purpose
    ) as process:
        for line in process.stdout or ():
            log(line.rstrip())
            last = [*last[-9:], line.rstrip()]
    if process.returncode:
        raise ImageMissingError(
            f"`{shlex.join(argv)}` failed:\n" + "\n".join(last), "Correct what it says, then run this again."
        )
