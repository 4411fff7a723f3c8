"""One request of one principal, and the checks that handlers make of it."""

from __future__ import annotations

import base64
import re
import uuid
from collections.abc import Container
from dataclasses import dataclass
from typing import TypeVar

from sqe.catalog.embedded.store import Pointer
from sqe.catalog.protocol import Ident, Json, Namespace
from sqe.catalog.rest.handlers import changes_of
from sqe.catalog.rest.wire import RestCall
from sqe.testing.access import Access, CatalogCaller, Need, Target
from sqe.testing.answers import PolarisError, bad_request
from sqe.testing.lake import Lake
from sqe.testing.options import Options
from sqe.testing.privileges import Privilege

T = TypeVar("T")
_FORBIDDEN = re.compile(r'[/\\:*?"<>|#+`\x00-\x1f\x7f]')
_DELEGATION = "x-iceberg-access-delegation"
_PURGE = "polaris.config.drop-with-purge.enabled"
VENDED, SIGNED = "vended-credentials", "remote-signing"


@dataclass(frozen=True, slots=True)
class Visit:
    call: RestCall
    caller: CatalogCaller
    lake: Lake
    access: Access
    options: Options

    def target(self, ident: Ident | None = None, *, is_view: bool = False) -> Target:
        """Of an identifier, or of the namespace in the address."""
        if ident is None:
            return Target(self.lake.name, self.call.namespace)
        return Target(self.lake.name, ident.namespace, ident.name, is_view)

    def namespace(self, namespace: Namespace) -> Target:
        """404 where it is not there."""
        if namespace:
            self.lake.catalog.load_namespace(namespace)
        return Target(self.lake.name, namespace)

    def table(self, ident: Ident) -> Pointer:
        """404 where it is not there, or is a view."""
        pointer = self.lake.catalog.find(ident)
        if pointer is None or pointer.is_view:
            raise no_such_table(ident)
        return pointer

    def view(self, ident: Ident) -> None:
        pointer = self.lake.catalog.find(ident)
        if pointer is None or not pointer.is_view:
            raise no_such_view(ident)

    def may(self, privilege: Privilege, target: Target) -> bool:
        return self.access.may(self.caller, privilege, target)

    def require(self, operation: str, *needs: Need) -> None:
        self.access.require(self.caller, operation, *needs)

    @property
    def delegation(self) -> str:
        """What is asked for: vended credentials, signatures, or nothing ("")."""
        words = [word.strip() for word in self.call.headers.get(_DELEGATION, "").split(",")]
        if [word.lower() for word in words] == ["true"]:
            words = [VENDED]
        first, second = (SIGNED, VENDED) if self.options.remote_signing else (VENDED, SIGNED)
        return first if first in words else second if second in words else ""

    @property
    def idempotency_key(self) -> str:
        return self.call.headers.get("idempotency-key", "") if self.options.idempotency else ""

    def page(self, entries: list[T]) -> tuple[list[T], str | None]:
        """Everything, unless paging is on and a size was given, now or in the token."""
        if not self.options.paging:
            return entries, None
        token = self.call.query.get("pageToken") or ""
        start, size = _page_token(token) if token else (0, None)
        if asked := self.call.query.get("pageSize"):
            size = _page_size(asked)
        if size is None:
            return entries[start:], None
        end = start + size
        more = end < len(entries)
        token = base64.urlsafe_b64encode(f"{end}:{size}".encode()).decode()
        return entries[start:end], token if more else None


def no_such_table(ident: Ident) -> PolarisError:
    return PolarisError(404, "NoSuchTableException", f"Table does not exist: {ident}")


def no_such_view(ident: Ident) -> PolarisError:
    return PolarisError(404, "NoSuchViewException", f"View does not exist: {ident}")


def check_idempotency_key(call: RestCall, options: Options) -> None:
    key = call.headers.get("idempotency-key")
    if options.idempotency and key is not None:
        try:
            uuid.UUID(key)
        except ValueError:
            message = "Invalid Idempotency-Key header; expected a UUID"
            raise bad_request(message, "InvalidIdempotencyKey") from None


def check_name(name: object) -> None:
    """Of something that is being made; what is not a text is for the catalog to refuse."""
    if not isinstance(name, str):
        return
    if not name:
        raise bad_request("Entity name must not be empty")
    match = _FORBIDDEN.search(name)
    if match:
        raise bad_request(f"Entity name must not contain '{match.group()}': {name}")
    if name != name.strip():
        raise bad_request(f"Entity name must not begin or end with a blank: {name}")


def check_properties(properties: object) -> None:
    if not isinstance(properties, dict):
        return
    for key, value in properties.items():
        if key.startswith("polaris."):
            raise bad_request(f"Property '{key}' matches reserved prefix 'polaris.'")
        if key == "io-impl":
            message = f"Cannot set property 'io-impl' to '{value}' for this catalog."
            raise bad_request(message, "ValidationException")


def refuse_unknown_changes(body: Json, known: Container[str]) -> Json:
    """A commit, once all of its updates are some that there are."""
    changes = changes_of(body)
    for update in changes.get("updates") or ():
        action = update.get("action") if isinstance(update, dict) else None
        if action not in known:
            message = f"Cannot convert metadata update action to json: {action}"
            raise bad_request(message, "WebApplicationException")
    return changes


def check_purge(visit: Visit, ident: Ident) -> None:
    """Files are removed where the realm's or the catalog's configuration lets them be."""
    if not visit.options.purge and visit.lake.properties.get(_PURGE, "").lower() != "true":
        raise PolarisError(
            403,
            "ForbiddenException",
            f"Unable to purge entity: {ident.name}. To enable this feature, set the Polaris"
            f" configuration DROP_WITH_PURGE_ENABLED or the catalog configuration {_PURGE}",
        )


def _page_token(token: str) -> tuple[int, int]:
    try:
        start, _, size = base64.urlsafe_b64decode(token.encode()).decode().partition(":")
        return int(start), int(size)
    except ValueError:
        raise bad_request("Invalid page token") from None


def _page_size(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise bad_request("Invalid page size")
    return int(text)
