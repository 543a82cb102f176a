"""The sandbox's exceptions.

SandboxError
├── EngineUnavailableError   no engine answers, or it missed its deadline
│   ├── EngineStuckError     it missed its deadline, or did not end what it was told to
│   └── EndedEarlyError      something ended a container before its command began
├── ImageMissingError        a base image that can neither be pulled nor built here
├── ImageRefusedError        an image whose configuration would loosen the policy
├── InstallFailedError       a recipe's install step ended badly; carries the log's last lines and the refused hosts
│   └── CacheSuspectedError  it had a package cache, and may succeed without
├── RuntimeUnfitError        the runtime lets no container connect to a unix socket of the host's
├── DetectionError           no recipe fits the tree
├── TreeTooLargeError        the tree does not fit the limits
└── DiskFullError            the host or the engine has no room left
"""


class SandboxError(Exception):
    """Something that the sandbox could not do: `cause` says what, `remedy` what would help."""

    def __init__(self, cause: str, remedy: str) -> None:
        """Keep both parts for whoever reports them."""
        super().__init__(f"{cause}. {remedy}")
        self.cause = cause
        self.remedy = remedy


class EngineUnavailableError(SandboxError):
    """No engine answers, or it missed its deadline."""


class EngineStuckError(EngineUnavailableError):
    """An engine missed its deadline, or did not end a container that it was told to kill."""


class EndedEarlyError(EngineUnavailableError):
    """Something else than its own work ended a container before its command began; another may do better."""


class ImageMissingError(SandboxError):
    """A base image that can neither be pulled nor built here; `reference` where somebody could still get it."""

    def __init__(self, cause: str, remedy: str, reference: str = "") -> None:
        """Keep the reference for whoever knows how it is got."""
        super().__init__(cause, remedy)
        self.reference = reference


class ImageRefusedError(SandboxError):
    """An image whose configuration would loosen the policy."""


class InstallFailedError(SandboxError):
    """A recipe's install step ended badly.

    `unlisted` are the hosts that the step asked for and that are not allowed, with their port where it is not 443;
    `private` those that are allowed and resolve to addresses which are not public; `told` is the log's line that tells
    most. The cause is at most 8,000 characters long.
    """

    def __init__(
        self,
        cause: str,
        remedy: str,
        unlisted: tuple[str, ...] = (),
        private: tuple[str, ...] = (),
        told: str = "",
    ) -> None:
        """Keep the hosts for whoever knows how they are listed."""
        super().__init__(cause, remedy)
        self.unlisted = unlisted
        self.private = private
        self.told = told


class CacheSuspectedError(InstallFailedError):
    """It had a package cache, and may succeed without."""


class RuntimeUnfitError(SandboxError):
    """The runtime lets no container connect to a unix socket of the host's, which an install needs."""


class DetectionError(SandboxError):
    """No recipe fits the tree."""


class TreeTooLargeError(SandboxError):
    """The tree does not fit the limits."""


class DiskFullError(SandboxError):
    """The host or the engine has no room left."""
