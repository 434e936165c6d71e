"""What a webhook endpoint is sent."""

from __future__ import annotations

from typing import Literal, TypedDict, Union


class _OfConnection(TypedDict):
    projectId: str
    provider: str
    connectionId: str
    groupRef: str
    groupName: str
    consumerRef: str
    consumerName: str


class _OfInstallation(_OfConnection):
    integrationId: str
    integrationName: str
    installationId: str


class _Event(TypedDict):
    version: Literal["1"]
    id: str
    createTime: str


class ProblemCount(TypedDict, total=False):
    """Records with the same problem; `records` is always there."""

    field: str
    providerField: str
    code: str
    records: int


class _WriteDone(_OfInstallation):
    objectName: str
    operationId: str
    status: Literal["success", "failure"]
    success: bool
    recordsSucceeded: int
    recordsFailed: int
    successfulRecordIds: list[str]
    errors: list[str]
    problems: list[ProblemCount]


class WriteDoneEvent(_Event):
    """An asynchronous write, a batch or an auto-batch ended."""

    notificationType: Literal["write.async.done"]
    data: _WriteDone


class _Connection(_OfConnection):
    status: Literal["created", "working", "bad_credentials"]


class ConnectionEvent(_Event):
    """A connection changed; of `connection.error` the status is `bad_credentials`."""

    notificationType: Literal[
        "connection.created",
        "connection.error",
        "connection.refreshed",
        "connection.updated",
        "connection.deleted",
    ]
    data: _Connection


class InstallationEvent(_Event):
    """An installation was made, changed or deleted."""

    notificationType: Literal["installation.created", "installation.updated", "installation.deleted"]
    data: _OfInstallation


class _Unhealthy(_OfInstallation):
    reason: Literal["bad_credentials", "operations_failed"]


class InstallationUnhealthyEvent(_Event):
    """The `healthStatus` of an installation turned `unhealthy`; sent once until it is healthy again."""

    notificationType: Literal["installation.unhealthy"]
    data: _Unhealthy


class _OfEndpoint(TypedDict):
    projectId: str
    endpointId: str


class _Disabled(_OfEndpoint):
    reason: str


class EndpointDisabledEvent(_Event):
    """Another endpoint of the project was disabled."""

    notificationType: Literal["endpoint.disabled"]
    data: _Disabled


class EndpointTestEvent(_Event):
    """Somebody asked for it."""

    notificationType: Literal["endpoint.test"]
    data: _OfEndpoint


WebhookEvent = Union[
    WriteDoneEvent,
    ConnectionEvent,
    InstallationEvent,
    InstallationUnhealthyEvent,
    EndpointDisabledEvent,
    EndpointTestEvent,
]
"""`notificationType` says which. Members and types may be added."""
