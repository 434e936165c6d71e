"""The client of Sluice: write records into, and search records in, the SaaS accounts of your customers."""

from .client import AuthenticatedClient, Client
from .connect import body_of, connect, iterate, iterate_async, wait_for_operation, wait_for_operation_async
from .events import WebhookEvent
from .installations import ensure_installation, ensure_installation_async
from .problems import (
    SluiceApiError,
    SluiceAuthenticationError,
    SluiceConflictError,
    SluiceConnectionError,
    SluiceError,
    SluiceForbiddenError,
    SluiceNotFoundError,
    SluiceRateLimitError,
    SluiceRecordError,
    SluiceRequestError,
    SluiceServerError,
    SluiceTimeoutError,
)
from .webhooks import SluiceWebhookError, verify_webhook

__all__ = (
    "AuthenticatedClient",
    "Client",
    "SluiceApiError",
    "SluiceAuthenticationError",
    "SluiceConflictError",
    "SluiceConnectionError",
    "SluiceError",
    "SluiceForbiddenError",
    "SluiceNotFoundError",
    "SluiceRateLimitError",
    "SluiceRecordError",
    "SluiceRequestError",
    "SluiceServerError",
    "SluiceTimeoutError",
    "SluiceWebhookError",
    "WebhookEvent",
    "body_of",
    "connect",
    "ensure_installation",
    "ensure_installation_async",
    "iterate",
    "iterate_async",
    "verify_webhook",
    "wait_for_operation",
    "wait_for_operation_async",
)
