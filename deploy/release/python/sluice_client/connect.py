"""A client whose calls raise what the API refuses, and repeat what may be repeated."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from datetime import UTC, datetime
from types import ModuleType
from typing import Any, Protocol, Self, TypeVar

import httpx

from .api.operations import get_operation
from .client import AuthenticatedClient
from .models import Operation
from .problems import SluiceApiError, SluiceConnectionError, SluiceTimeoutError, api_error
from .types import Unset

# First pause before a repeat where the reply names none, in seconds, and the longest that is waited for.
_pause_seconds = 0.25
_pause_seconds_max = 10.0
# The longest wait that getOperation takes. Source: its parameter waitSeconds.
_wait_seconds_max = 30


def connect(
    base_url: str,
    *,
    api_key: str = "",
    token: str | Callable[[], str] = "",
    timeout_seconds: float = 60.0,
    retries: int = 2,
) -> AuthenticatedClient:
    """The client of one API, for the functions of `sluice_client.api`, also for their coroutines.

    base_url: with its /v1
    api_key: of the project; in its place
    token: of a group, or what makes one: tokens live ten minutes at most
    timeout_seconds: of one attempt
    retries: repeats of a GET, or of a request with an idempotency key, that may succeed later
    raises: ValueError for both or neither of a key and a token. From each call: SluiceApiError for a status of 400 and
    more, SluiceConnectionError for no reply
    """
    if bool(api_key) == bool(token):
        raise ValueError("connect takes an api_key or a token, one of both.")
    client = AuthenticatedClient(base_url=base_url, token="")
    auth = _Credentials("x-api-key", api_key) if api_key else _Credentials("authorization", token)
    given: dict[str, Any] = {"base_url": base_url, "auth": auth, "timeout": timeout_seconds}
    client.set_httpx_client(httpx.Client(**given, transport=_Transport(retries)))
    client.set_async_httpx_client(httpx.AsyncClient(**given, transport=_AsyncTransport(retries)))
    return client


class _Credentials(httpx.Auth):
    def __init__(self, header: str, value: str | Callable[[], str]) -> None:
        self._header = header
        self._value = value

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        value = self._value() if callable(self._value) else self._value
        request.headers[self._header] = f"Bearer {value}" if self._header == "authorization" else value
        yield request


class _Model(Protocol):
    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self: ...

    def to_dict(self) -> dict[str, Any]: ...


_M = TypeVar("_M", bound=_Model)


def body_of(model: type[_M], members: Mapping[str, Any]) -> _M:
    """The body of a request, from its JSON.

    raises: TypeError for a member that it does not have, KeyError for one that it lacks
    """
    body = model.from_dict(members)
    lost = list(_lost(members, body.to_dict(), ""))
    if lost:
        raise TypeError(f"{model.__name__} takes no {', '.join(lost)}.")
    return body


def _lost(given: Any, kept: Any, path: str) -> Iterator[str]:
    if isinstance(given, Mapping) and isinstance(kept, Mapping):
        for name, value in given.items():
            if name in kept:
                yield from _lost(value, kept[name], f"{path}{name}.")
            else:
                yield f"{path}{name}"
    elif isinstance(given, list) and isinstance(kept, list):
        for at, (value, own) in enumerate(zip(given, kept, strict=False)):
            yield from _lost(value, own, f"{path}{at}.")


def wait_for_operation(
    client: AuthenticatedClient, project: str, operation_id: str, *, timeout_seconds: float = 60.0
) -> Operation:
    """The operation, once it has ended. The service waits, so few requests are sent.

    client: of management
    raises: SluiceTimeoutError, which has the operation as it was last
    """
    ends_at = time.monotonic() + timeout_seconds
    while True:
        operation = get_operation.sync(project, operation_id, client=client, wait_seconds=_wait_until(ends_at))
        if _has_ended(operation, ends_at, timeout_seconds):
            return operation
        time.sleep(0.1)


async def wait_for_operation_async(
    client: AuthenticatedClient, project: str, operation_id: str, *, timeout_seconds: float = 60.0
) -> Operation:
    """As wait_for_operation."""
    ends_at = time.monotonic() + timeout_seconds
    while True:
        operation = await get_operation.asyncio(project, operation_id, client=client, wait_seconds=_wait_until(ends_at))
        if _has_ended(operation, ends_at, timeout_seconds):
            return operation
        await asyncio.sleep(0.1)


def _wait_until(ends_at: float) -> int:
    return min(_wait_seconds_max, max(1, round(ends_at - time.monotonic())))


def _has_ended(operation: Any, ends_at: float, timeout_seconds: float) -> bool:
    if operation.status != "in_progress":
        return True
    if time.monotonic() >= ends_at:
        raise SluiceTimeoutError(operation, timeout_seconds)
    return False


def iterate(operation: ModuleType, *names: str, client: AuthenticatedClient, **parameters: Any) -> Iterator[Any]:
    """Every item of a list, page by page: iterate(list_operations_for_project, project, client=management, status=…).

    operation: a module of sluice_client.api whose function takes page_token
    """
    page: dict[str, str] = {}
    while True:
        reply = operation.sync_detailed(*names, client=client, **parameters, **page)
        items, token = _page_of(reply)
        yield from items
        if token is None:
            return
        page = {"page_token": token}


async def iterate_async(
    operation: ModuleType, *names: str, client: AuthenticatedClient, **parameters: Any
) -> AsyncIterator[Any]:
    """As iterate."""
    page: dict[str, str] = {}
    while True:
        reply = await operation.asyncio_detailed(*names, client=client, **parameters, **page)
        items, token = _page_of(reply)
        for item in items:
            yield item
        if token is None:
            return
        page = {"page_token": token}


def _page_of(reply: Any) -> tuple[list[Any], str | None]:
    """Lists that are bare arrays name the next page in a header. Source: RFC 8288."""
    if isinstance(reply.parsed, list):
        link = httpx.Response(200, headers={"link": reply.headers.get("link", "")}).links.get("next")
        return reply.parsed, httpx.URL(link["url"]).params.get("pageToken") if link else None
    token = reply.parsed.pagination.next_page_token
    return reply.parsed.results, None if isinstance(token, Unset) else token


class _Transport(httpx.BaseTransport):
    def __init__(self, retries: int) -> None:
        self._wire = httpx.HTTPTransport()
        self._retries = retries

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        for repeats in itertools.count():
            try:
                response = self._wire.handle_request(request)
                if response.status_code < 400:
                    return response
                error = api_error(response.status_code, response.read(), response.headers)
                response.close()
            except httpx.TransportError as cause:
                error = _unanswered(request, cause)
            time.sleep(_pause_of(request, error, repeats, self._retries))

    def close(self) -> None:
        self._wire.close()


class _AsyncTransport(httpx.AsyncBaseTransport):
    def __init__(self, retries: int) -> None:
        self._wire = httpx.AsyncHTTPTransport()
        self._retries = retries

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        for repeats in itertools.count():
            try:
                response = await self._wire.handle_async_request(request)
                if response.status_code < 400:
                    return response
                error = api_error(response.status_code, await response.aread(), response.headers)
                await response.aclose()
            except httpx.TransportError as cause:
                error = _unanswered(request, cause)
            await asyncio.sleep(_pause_of(request, error, repeats, self._retries))

    async def aclose(self) -> None:
        await self._wire.aclose()


def _unanswered(request: httpx.Request, cause: httpx.TransportError) -> SluiceConnectionError:
    error = SluiceConnectionError(f"{request.method} {request.url} was not answered: {cause or type(cause).__name__}")
    error.__cause__ = cause
    return error


def _pause_of(
    request: httpx.Request, error: SluiceApiError | SluiceConnectionError, repeats: int, retries: int
) -> float:
    """Seconds until the repeat. What took too long is not asked for again.

    raises: the error, where there is no repeat
    """
    # Half of it by chance: clients that failed together do not come back together.
    pause = _pause_seconds * 2**repeats * random.uniform(0.5, 1)
    is_safe = request.method == "GET" or "idempotency-key" in request.headers
    if isinstance(error, SluiceApiError):
        may_repeat = error.retryable
        if error.retry_after is not None:
            pause = max(0.0, (error.retry_after - datetime.now(UTC)).total_seconds())
    else:
        may_repeat = not isinstance(error.__cause__, httpx.TimeoutException)
    if not (is_safe and may_repeat) or repeats >= retries or pause > _pause_seconds_max:
        raise error
    return pause
