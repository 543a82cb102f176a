"""How GitHub says no."""

from typing import Any

DOCS = "https://docs.github.com/rest"


class RefusalError(Exception):
    """An answer with an error status; `errors` are GitHub's: objects with a `code`, or texts."""

    def __init__(self, status: int, message: str, errors: list[Any] | None = None) -> None:
        """Keep the parts of the answer."""
        super().__init__(f"{status} {message}")
        self.status = status
        self.message = message
        self.errors = errors

    def body(self) -> dict[str, Any]:
        """The JSON that GitHub would answer."""
        shape: dict[str, Any] = {"message": self.message, "documentation_url": DOCS, "status": str(self.status)}
        return shape if self.errors is None else shape | {"errors": self.errors}


def missing() -> RefusalError:
    """404, also for what the caller may not see."""
    return RefusalError(404, "Not Found")


def forbidden() -> RefusalError:
    """403 for a permission that the token lacks."""
    return RefusalError(403, "Resource not accessible by integration")


def invalid(resource: str, field: str, message: str, code: str = "custom") -> RefusalError:
    """422 with one error."""
    error = {"resource": resource, "field": field, "code": code, "message": message}
    return RefusalError(422, "Validation Failed", [error])
