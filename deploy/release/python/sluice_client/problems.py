"""What the calls of a connected client raise: one tree, by what its caller can do about it."""

from __future__ import annotations

import email.utils
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from .models import Operation


class SluiceError(Exception):
    """Anything that a call raises, and a webhook that is not to be believed."""


class SluiceConnectionError(SluiceError):
    """There was no reply, or it broke off. It is not known whether the request arrived."""


class SluiceTimeoutError(SluiceError):
    """The operation was still in progress when the time was over. It goes on: ask again."""

    def __init__(self, operation: Operation, timeout_seconds: float) -> None:
        super().__init__(f"Operation {operation.id} is in progress after {timeout_seconds} s.")
        self.operation = operation


class SluiceApiError(SluiceError):
    """A reply of status 400 and more. What is raised is a class below, by status, or this one.

    problem: the reply's body, {} where it is no JSON object
    retryable: the same request may succeed later, without doubling a write
    retry_after: not before then
    """

    def __init__(self, status: int, problem: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        self.status = status
        self.problem = problem
        self.code: str | None = problem.get("code")
        self.detail: str = (
            problem.get("detail") or _first_message(problem) or f"status {status} without a problem document"
        )
        self.remedy: str | None = problem.get("remedy")
        self.issues: list[dict[str, Any]] = problem.get("issues") or []
        self.request_id: str | None = problem.get("requestId") or headers.get("x-request-id")
        self.operation_id: str | None = problem.get("operationId")
        # A proxy that has no service behind it sends no problem document.
        self.retryable: bool = problem.get("retryable", not problem and status in (429, 502, 503, 504))
        self.retry_after = _moment(problem.get("retryAfter") or headers.get("retry-after"))
        super().__init__(" ".join(text for text in (str(status), self.code, self.detail, self.remedy) if text))


class SluiceRequestError(SluiceApiError):
    """400, 413, 415, and 422 with a code: the request has to change. `issues` names each broken rule."""


class SluiceAuthenticationError(SluiceApiError):
    """401: no key or token, or one that is wrong or was revoked."""


class SluiceForbiddenError(SluiceApiError):
    """403: the key may not do this, or the customer's config does not allow it."""


class SluiceNotFoundError(SluiceApiError):
    """404 and 410: it does not exist, or no longer."""


class SluiceConflictError(SluiceApiError):
    """409: the current state forbids it, such as a connection whose credentials the provider refuses."""


class SluiceRateLimitError(SluiceApiError):
    """429: too many requests, or the provider's quota is used up. Not before `retry_after`."""


class SluiceServerError(SluiceApiError):
    """5xx: Sluice or the provider is not available."""


class SluiceRecordError(SluiceApiError):
    """422 without a code: the provider refused the record, or every record of the batch."""

    @property
    def problems(self) -> list[dict[str, Any]]:
        """Why it was not written, by field: of the record, or of every record of the batch in their order."""
        results = self.problem.get("results")
        refused = [self.problem] if results is None else results
        return [problem for result in refused for problem in result.get("problems") or []]


_by_status: dict[int, type[SluiceApiError]] = {
    400: SluiceRequestError,
    401: SluiceAuthenticationError,
    403: SluiceForbiddenError,
    404: SluiceNotFoundError,
    409: SluiceConflictError,
    410: SluiceNotFoundError,
    413: SluiceRequestError,
    415: SluiceRequestError,
    422: SluiceRequestError,
    429: SluiceRateLimitError,
}


def api_error(status: int, body: bytes, headers: Mapping[str, str]) -> SluiceApiError:
    """The error of a reply."""
    try:
        parsed = json.loads(body)
    except ValueError:
        parsed = None
    problem = parsed if isinstance(parsed, dict) else {}
    fallback = SluiceServerError if status >= 500 else SluiceApiError
    is_record = status == 422 and "code" not in problem and "operationId" in problem
    return (SluiceRecordError if is_record else _by_status.get(status, fallback))(status, problem, headers)


def _first_message(problem: Mapping[str, Any]) -> str | None:
    """The refusal of a record lists sentences in place of a detail."""
    errors = problem.get("errors")
    first = errors[0] if isinstance(errors, list) and errors else None
    return first.get("message") if isinstance(first, dict) else None


def _moment(text: object) -> datetime | None:
    """Of a date-time, an HTTP date, or a number of seconds. Source: RFC 9110, Retry-After."""
    text = "" if text is None else str(text)
    if text.isdecimal():
        return datetime.now(UTC) + timedelta(seconds=min(int(text), 10**9))
    for read in (datetime.fromisoformat, email.utils.parsedate_to_datetime):
        try:
            moment = read(text)
        except ValueError:
            continue
        # One without a zone cannot be compared with the clock's.
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None
