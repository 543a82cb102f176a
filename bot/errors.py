"""The one exception tree of the bot. Every error names its cause and a remedy, and survives a durable step.

RegreenError
├── ConfigurationError        a setting that is missing or wrong
├── PayloadError              bytes from outside that are not what they claim to be
├── GitHubError               GitHub refused or failed
│   ├── NotFoundError         404: gone, or never visible to this installation
│   ├── BranchMovedError      a branch that others pushed to meanwhile, and that was left alone
│   ├── ForbiddenError        401, 403: a permission that the App lacks
│   └── GitHubUnavailableError  502, timeouts, exhausted rate limits, after the retries
├── FetchError                git could not bring the commit
│   └── BranchMissingError    the branch was deleted meanwhile
├── WorkspaceError            the repository's tests could not be run
│   ├── EngineDownError       no container engine answers
│   ├── SetUpError            no recipe, or a dependency that does not install
│   ├── NoTestsError          nothing was collected
│   ├── CollectionFailedError tests that cannot be imported
│   ├── SuiteTimeoutError     the suite hangs
│   ├── SuiteOutputError      the suite floods its output, runs out of memory, or forges its results
│   ├── TreeError             too large, or not a plain tree of files
│   └── NoRoomError           a disk without room
├── ModelError                the model server is down, slow, refuses, or is not configured
│   ├── ContextOverflowError  a prompt that is longer than the model's context
│   └── BudgetError           a call that the run's budget has no room for, and that was not made
├── EditError                 a reply whose edits do not apply
├── StoreError                the database or the artifact store cannot be read or written
│   └── StoreDownError        the database does not answer now; it may in a moment
├── LogError                  a run log that does not verify
└── UnexpectedError           a value that should have been refused by name, and was not: a fault of Regreen
"""

SET_UP = "Run `regreen setup --url https://your.host`, which registers an App and stores its id, key and secret"
"""Begins the remedy wherever something of the App is missing."""


class RegreenError(Exception):
    """The root: `cause` says what happened, `remedy` what a person can do about it."""

    def __init__(self, cause: str, remedy: str) -> None:
        """Keep both parts; every subclass takes exactly these, so that an error can be recorded and raised again."""
        super().__init__(f"{cause.rstrip('.')}. {remedy}")
        self.cause = cause
        self.remedy = remedy


class ConfigurationError(RegreenError):
    """A setting that is missing or wrong."""


class PayloadError(RegreenError):
    """Bytes from outside that are not what they claim to be."""


class GitHubError(RegreenError):
    """GitHub refused or failed."""


class NotFoundError(GitHubError):
    """404: gone, or never visible to this installation."""


class ForbiddenError(GitHubError):
    """401 or 403: a permission that the App lacks."""


class CredentialsError(ForbiddenError):
    """401: the App's id or key is wrong, or this machine's clock; what is mended by the operator is not to be lost."""


class BranchTakenError(GitHubError):
    """A branch that was to be made holds other commits, and is left alone, or git or a rule does not let it be made."""


class BranchMovedError(GitHubError):
    """A branch that others pushed to meanwhile, and that was left alone."""


class GitHubUnavailableError(GitHubError):
    """502, timeouts, exhausted rate limits, after the retries."""


class FetchError(RegreenError):
    """Git could not bring the commit."""


class BranchMissingError(FetchError):
    """The branch was deleted meanwhile."""


class WorkspaceError(RegreenError):
    """The repository's tests could not be run."""


class EngineDownError(WorkspaceError):
    """No container engine answers."""


class SetUpError(WorkspaceError):
    """No recipe, or a dependency that does not install."""


class NoTestsError(WorkspaceError):
    """Nothing was collected."""


class CollectionFailedError(WorkspaceError):
    """Tests that cannot be imported."""


class SuiteTimeoutError(WorkspaceError):
    """The suite hangs."""


class SuiteOutputError(WorkspaceError):
    """The suite floods its output, runs out of memory, or forges its results."""


class TreeError(WorkspaceError):
    """Too large, or not a plain tree of files."""


class NoRoomError(WorkspaceError):
    """A disk without room."""


class ModelError(RegreenError):
    """The model server is down, slow, refuses, or is not configured."""


class ContextOverflowError(ModelError):
    """A prompt that is longer than the model's context: a shorter one may be answered, the same one never."""


class BudgetError(ModelError):
    """A call that the run's budget has no room for, and that was not made."""


class EditError(RegreenError):
    """A reply whose edits do not apply."""


class StoreError(RegreenError):
    """The database or the artifact store cannot be read or written."""


class StoreDownError(StoreError):
    """The database does not answer now; it may in a moment."""


class LogError(RegreenError):
    """A run log that does not verify."""


class UnexpectedError(RegreenError):
    """A value that should have been refused by name where it came in, and was not: a fault of Regreen."""
