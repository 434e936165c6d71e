"""What a backend does at each of its starts: a customer's installation, found or made."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from types import ModuleType
from typing import Any, cast

from .api.connections import delete_connection, generate_connection, list_connections
from .api.installations import create_installation, list_installations
from .api.integrations import get_integration
from .client import AuthenticatedClient
from .connect import body_of
from .models import Connection, CreateInstallationRequest, GenerateConnectionRequest, Installation
from .problems import SluiceConflictError

# The module of an operation, the names of its path, its other parameters.
_Call = tuple[ModuleType, tuple[str, ...], dict[str, Any]]


def ensure_installation(
    client: AuthenticatedClient,
    project: str,
    integration: str,
    group_ref: str,
    *,
    connection: Mapping[str, Any] | None = None,
    content: Mapping[str, Any] | None = None,
) -> Installation:
    """The group's installation of the integration: the one that is there, or a new one.

    Safe to repeat, also at once in several processes: one installation and one connection are left.

    client: of management
    integration: its name or its id
    group_ref: your customer, as you name it
    connection: who connects and with which credentials, as JSON: consumerRef and those of generateConnection. Used
    only where the group has no connection to the provider that works
    content: of a new installation's config, as JSON without its provider; one that is there keeps its config
    raises: SluiceApiError for what the provider or Sluice refuses; a connection that was made then is used by the next
    call. TypeError for a member that a request does not have
    """
    steps = _steps(project, integration, group_ref, connection, content)
    resume: Callable[[Any], _Call] = steps.send
    given: Any = None
    while True:
        try:
            operation, names, parameters = resume(given)
        except StopIteration as end:
            return cast(Installation, end.value)
        try:
            resume, given = steps.send, operation.sync(*names, client=client, **parameters)
        except SluiceConflictError as error:
            resume, given = steps.throw, error


async def ensure_installation_async(
    client: AuthenticatedClient,
    project: str,
    integration: str,
    group_ref: str,
    *,
    connection: Mapping[str, Any] | None = None,
    content: Mapping[str, Any] | None = None,
) -> Installation:
    """As ensure_installation."""
    steps = _steps(project, integration, group_ref, connection, content)
    resume: Callable[[Any], _Call] = steps.send
    given: Any = None
    while True:
        try:
            operation, names, parameters = resume(given)
        except StopIteration as end:
            return cast(Installation, end.value)
        try:
            resume, given = steps.send, await operation.asyncio(*names, client=client, **parameters)
        except SluiceConflictError as error:
            resume, given = steps.throw, error


def _steps(
    project: str,
    integration: str,
    group_ref: str,
    credentials: Mapping[str, Any] | None,
    content: Mapping[str, Any] | None,
) -> Generator[_Call, Any, Installation]:
    installations = (list_installations, (project, integration), {"group_ref": group_ref})
    installed: list[Installation] = yield installations
    if installed:
        return installed[0]
    provider: str = (yield get_integration, (project, integration), {}).provider
    connections: list[Connection] = yield list_connections, (project,), {"group_ref": group_ref, "provider": provider}
    known = [each.id for each in connections if each.status != "bad_credentials"][-1:]
    made: list[str] = []
    if credentials is not None and not known:
        order = body_of(GenerateConnectionRequest, {**credentials, "groupRef": group_ref, "provider": provider})
        made = [(yield generate_connection, (project,), {"body": order}).id]
    request: dict[str, Any] = {"groupRef": group_ref, "config": {"content": {**(content or {}), "provider": provider}}}
    for connection_id in known or made:
        request["connectionId"] = connection_id
    try:
        body = body_of(CreateInstallationRequest, request)
        created: Installation = yield create_installation, (project, integration), {"body": body}
        return created
    except SluiceConflictError as error:
        winners: list[Installation] = (yield installations) if error.code == "installation.exists" else []
        if not winners:
            raise
    # Another process was faster, perhaps with a connection of its own.
    for connection_id in made:
        if connection_id != winners[0].connection.id:
            try:
                yield delete_connection, (project, connection_id), {}
            except SluiceConflictError as error:
                if error.code != "connection.in-use":
                    raise
    return winners[0]
