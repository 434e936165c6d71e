"""Verifies the messages of a webhook endpoint."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Literal, cast

from .events import WebhookEvent
from .problems import SluiceError

_prefix = "whsec_"


class SluiceWebhookError(SluiceError):
    """A message that is not to be believed: `reason` says which rule it breaks. Answer 400."""

    def __init__(
        self, reason: Literal["header-missing", "too-old", "too-new", "signature-wrong"], message: str
    ) -> None:
        super().__init__(message)
        self.reason = reason


def verify_webhook(
    payload: bytes,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """The event of a message, once its signature is verified.

    payload: the body as it came. JSON that was parsed and printed again has another signature
    headers: their names in any case
    secret: of the endpoint, whsec_…; several while the receiver changes from one to the next
    tolerance_seconds: how far the message's moment may be from this clock's
    now: seconds since 1970; by default the clock's
    raises: SluiceWebhookError for a message that is forged, altered or repeated later, ValueError for a secret that
    is none
    Source: https://docs.svix.com/receiving/verifying-payloads/how-manual
    """
    lower = {name.lower(): value for name, value in headers.items()}
    for name in ("svix-id", "svix-timestamp", "svix-signature"):
        if not lower.get(name):
            raise SluiceWebhookError("header-missing", f"The header {name} is missing.")
    timestamp = lower["svix-timestamp"]
    keys = [_key_of(each) for each in ([secret] if isinstance(secret, str) else secret)]
    _check_moment(timestamp, tolerance_seconds, time.time() if now is None else now)
    signed = f"{lower['svix-id']}.{timestamp}.".encode() + payload
    wanted = [base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in keys]
    given = [part[3:].encode() for part in lower["svix-signature"].split(" ") if part.startswith("v1,")]
    if not any(hmac.compare_digest(one, other) for one in wanted for other in given):
        raise SluiceWebhookError("signature-wrong", "No signature of svix-signature is one of this body and secret.")
    return cast(WebhookEvent, json.loads(payload))


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_prefix), validate=True) if secret.startswith(_prefix) else b""
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError(f"The secret of a webhook endpoint begins with {_prefix}, and base64 follows.")
    return key


def _check_moment(timestamp: str, tolerance_seconds: float, now: float) -> None:
    age = now - (int(timestamp) if timestamp.isdecimal() else 0)
    if abs(age) <= tolerance_seconds:
        return
    word = "past" if age > 0 else "future"
    said = f'svix-timestamp is "{timestamp}", more than {tolerance_seconds:g} s in the {word}.'
    raise SluiceWebhookError("too-old" if age > 0 else "too-new", said)
