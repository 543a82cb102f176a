"""The exceptions of PyGithub and requests → ours, with the permission that lacks or the time when a limit resets."""

from collections.abc import Mapping
from datetime import UTC, datetime

import github
import requests

from bot.errors import CredentialsError, ForbiddenError, GitHubError, GitHubUnavailableError, NotFoundError

FAILURES = (github.GithubException, requests.RequestException)
"""What a call through PyGithub may raise."""

DETAIL_LENGTH = 300
UNAUTHORIZED, FORBIDDEN, NOT_FOUND, GONE, TOO_MANY, SERVER_ERROR = 401, 403, 404, 410, 429, 500
AGAIN = "Ask again later, by removing and adding the label; nothing was lost."


def uncertain(error: Exception) -> bool:
    """Whether a write that ended so may have taken effect all the same."""
    return isinstance(error, requests.RequestException) or _status(error) >= SERVER_ERROR


def unauthorized(error: Exception) -> bool:
    """Whether the token was refused, as an expired or revoked one is."""
    return _status(error) == UNAUTHORIZED


def rate_limit_wait(error: Exception, now: float) -> float | None:
    """Seconds that GitHub asks to wait before the next request, `None` when no limit was hit. `now` is epoch time."""
    if not isinstance(error, github.GithubException) or not _limited(error):
        return None
    headers = _headers(error)
    if headers.get("retry-after", "").isdigit():
        return float(headers["retry-after"])
    if headers.get("x-ratelimit-remaining") == "0" and headers.get("x-ratelimit-reset", "").isdigit():
        return max(0.0, float(headers["x-ratelimit-reset"]) - now) + 1
    return 60.0  # what GitHub's page on best practices asks for when a secondary limit names no time


def translate(error: Exception, doing: str) -> GitHubError:
    """What happened while `doing` (such as `writing the comment`), in words."""
    if not isinstance(error, github.GithubException):
        return GitHubUnavailableError(f"GitHub did not answer while {doing} ({type(error).__name__})", AGAIN)
    if _limited(error):
        return GitHubUnavailableError(f"GitHub's rate limit was exhausted while {doing}{_reset(error)}", AGAIN)
    if error.status >= SERVER_ERROR:
        return GitHubUnavailableError(f"GitHub answered {error.status} while {doing}, also after retries", AGAIN)
    return _refusal(error, doing)


def _refusal(error: github.GithubException, doing: str) -> GitHubError:
    status, detail = error.status, _detail(error)
    if status == UNAUTHORIZED:
        return CredentialsError(
            f"GitHub refused the App's credentials while {doing}: {detail}",
            "Check REGREEN_APP_ID, the private key and this machine's clock.",
        )
    if status == FORBIDDEN:
        needed = _headers(error).get("x-accepted-github-permissions", "")
        what = f"the permission {needed}" if needed else "the permission for it"
        return ForbiddenError(
            f"GitHub forbade {doing}: {detail}", f"Grant the App {what}, and accept it in the installation's settings."
        )
    if status in {NOT_FOUND, GONE}:
        return NotFoundError(
            f"GitHub knows no such thing while {doing}: {detail}",
            "Check that it still exists and that the App is installed on the repository.",
        )
    return GitHubError(f"GitHub refused {doing} ({status}): {detail}", "See the reason that GitHub gives.")


def _status(error: Exception) -> int:
    return error.status if isinstance(error, github.GithubException) else 0


def _limited(error: github.GithubException) -> bool:
    if isinstance(error, github.RateLimitExceededException) or error.status == TOO_MANY:
        return True
    return error.status == FORBIDDEN and "retry-after" in _headers(error)


def _headers(error: github.GithubException) -> Mapping[str, str]:
    return {name.lower(): value for name, value in (error.headers or {}).items()}


def _reset(error: github.GithubException) -> str:
    headers = _headers(error)
    if headers.get("x-ratelimit-reset", "").isdigit():
        return f"; it resets at {datetime.fromtimestamp(int(headers['x-ratelimit-reset']), UTC):%Y-%m-%d %H:%M:%S} UTC"
    if "retry-after" in headers:
        return f"; it asks to wait {headers['retry-after']} s"
    return ""


def _detail(error: github.GithubException) -> str:
    data = error.data
    message = str(data.get("message") or "") if isinstance(data, dict) else str(data or "")
    problems = data.get("errors") if isinstance(data, dict) else None
    for problem in problems if isinstance(problems, list) else ():
        message += f"; {problem.get('message') or problem.get('code')}" if isinstance(problem, dict) else f"; {problem}"
    return " ".join((message or "no reason given").split())[:DETAIL_LENGTH]
