"""What a catalog answers instead, in SQE's terms. The only place that reads its statuses."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass

from sqe.catalog.protocol import Ident, Namespace
from sqe.errors import (
    ABSENT,
    AccessError,
    ErrorCategory,
    ErrorCode,
    SqeError,
    Unanswered,
    UpstreamError,
    error_of,
)
from sqe.http.client import Answer

_LOG = logging.getLogger(__name__)
_LONGEST = 400  # characters of a catalog's own words


@dataclass(frozen=True, slots=True)
class Act:
    """What a catalog is asked to do, as far as its failures are concerned.

    ``looks``: it names something to be read. Then "not there" and "not yours" are the same answer.
    ``lists``: a denial is said without the catalog's words, which tell whom it lets.
    ``probes``: a refusal is an answer, and no event.
    ``connects``: it is asked first of all, and fails where the settings are wrong.
    """

    words: str  # behind "does not let you", with the name
    namespace: Namespace = ()
    name: str = ""
    absent: ErrorCode = ErrorCode.SCHEMA_NOT_FOUND
    conflict: ErrorCode = ErrorCode.COMMIT_CONFLICT  # 409 that says no more
    taken: str = ""  # the name that 409 is about, if it is another one
    looks: bool = False
    lists: bool = False
    connects: bool = False
    probes: bool = False

    @property
    def verb(self) -> str:
        """The first of its words: SQE's own, where the others name something."""
        return self.words.split(" ", 1)[0]

    @property
    def subject(self) -> str:
        return str(Ident(self.namespace, self.name)) if self.name else ".".join(self.namespace)


# By the exception's name, which the specification lets catalogs choose: these are Iceberg's own,
# and those of Polaris and Nessie. Only below 500: a commit that failed so may still have happened.
_BY_TYPE = {
    "NoSuchNamespaceException": ErrorCode.SCHEMA_NOT_FOUND,
    "NoSuchTableException": ErrorCode.TABLE_NOT_FOUND,
    "NoSuchViewException": ErrorCode.VIEW_NOT_FOUND,
    "NoSuchWarehouseException": ErrorCode.CATALOG_UNAVAILABLE,
    "MissingOrInvalidRealm": ErrorCode.CATALOG_UNAVAILABLE,
    "NamespaceNotEmptyException": ErrorCode.SCHEMA_NOT_EMPTY,
    "CommitFailedException": ErrorCode.COMMIT_CONFLICT,
    "CommitConflictException": ErrorCode.COMMIT_CONFLICT,
    "CommitStateUnknownException": ErrorCode.CATALOG_UNAVAILABLE,
    "CorruptDataException": ErrorCode.CORRUPT_DATA,
    "S3Exception": ErrorCode.STORAGE_UNAVAILABLE,
    "StsException": ErrorCode.STORAGE_UNAVAILABLE,
}
_BY_STATUS = {
    400: ErrorCode.INVALID_ARGUMENT,
    401: ErrorCode.AUTHENTICATION_FAILED,
    403: ErrorCode.ACCESS_DENIED,
    405: ErrorCode.NOT_SUPPORTED,
    406: ErrorCode.NOT_SUPPORTED,
    413: ErrorCode.INVALID_ARGUMENT,
    419: ErrorCode.TOKEN_EXPIRED,
    422: ErrorCode.INVALID_ARGUMENT,
    501: ErrorCode.NOT_SUPPORTED,
}
_PURGE_FLAG = "polaris.config.drop-with-purge.enabled"
_NO_PURGE = (
    f"The catalog removes no files unless its administrator sets {_PURGE_FLAG}. DROP TABLE without "
    "PURGE leaves them; over Trino's protocol, and for a view, it always asks for their removal."
)
_NO_WAREHOUSE = re.compile(r"(?i)\bwarehouse\b")
_DENIED_AS_500 = "AccessCheckException"  # Nessie, before it does anything
_KINDS = {
    ErrorCode.TABLE_NOT_FOUND: "Table",
    ErrorCode.VIEW_NOT_FOUND: "View",
    ErrorCode.SCHEMA_NOT_FOUND: "Namespace",
}


def failure(catalog: str, act: Act, answer: Answer, hide: str = "") -> SqeError:
    """``hide``: what must not be repeated, should the answer have it."""
    kind, text = _error_of(answer, hide)
    code = code_of(act, answer.status, kind)
    level = logging.WARNING if code.category is ErrorCategory.UPSTREAM else logging.INFO
    _LOG.log(
        logging.DEBUG if act.probes or (answer.status == 404 and code in ABSENT) else level,
        "catalog %s, asked to %s, answered %d %s: %s (request %s)",
        *(catalog, act.words, answer.status, kind, text, answer.headers.get("x-request-id", "-")),
    )
    if act.connects and answer.status in (400, 404, 405):
        return _wrong_settings(catalog, kind, text)
    if answer.status == 429:  # it did not begin
        message = f"Catalog {catalog} takes no more requests for now."
        return Unanswered(code, message, timed_out=False, maybe_done=False)
    told = code.category is ErrorCategory.USER or (
        code is ErrorCode.ACCESS_DENIED and not act.lists
    )
    return _error(catalog, act, code, text if told else "")


def code_of(act: Act, status: int, kind: str) -> ErrorCode:
    if kind == _DENIED_AS_500:
        code = ErrorCode.ACCESS_DENIED
    elif status < 400 or (status >= 500 and status != 501):
        code = ErrorCode.CATALOG_UNAVAILABLE
    elif status == 404 and (act.looks or kind not in _BY_TYPE):
        code = act.absent
    elif kind == "AlreadyExistsException" or (status == 409 and kind not in _BY_TYPE):
        code = act.conflict
    else:
        code = _BY_TYPE.get(kind) or _BY_STATUS.get(status, ErrorCode.CATALOG_UNAVAILABLE)
    if status == 422 and act.looks:  # older versions of Polaris, where STS refuses
        return ErrorCode.STORAGE_UNAVAILABLE
    if code is ErrorCode.ACCESS_DENIED and act.looks:
        return act.absent
    if code is ErrorCode.SCHEMA_NOT_FOUND and act.lists and not act.namespace:  # no catalog, then
        return ErrorCode.CATALOG_UNAVAILABLE
    return code


def _error(catalog: str, act: Act, code: ErrorCode, text: str) -> SqeError:
    ending = f": {text}" if text else "."
    if code in ABSENT:
        return absent(act, code)
    if code is ErrorCode.TABLE_ALREADY_EXISTS:
        return error_of(code, f"{act.taken or act.subject} already exists.")
    if code is ErrorCode.SCHEMA_ALREADY_EXISTS:
        return error_of(code, f"Namespace already exists: {act.subject}")
    if code is ErrorCode.SCHEMA_NOT_EMPTY:
        return error_of(code, f"Namespace {act.subject} is not empty.")
    if code is ErrorCode.ACCESS_DENIED:
        hint = _NO_PURGE if _PURGE_FLAG in text else ""
        return error_of(code, f"Catalog {catalog} does not let you {act.words}{ending}", hint=hint)
    if code in (ErrorCode.AUTHENTICATION_FAILED, ErrorCode.TOKEN_EXPIRED):
        # Not more exactly: catalogs say the same of tokens that are forged and of expired ones.
        return AccessError(
            code,
            f"Catalog {catalog} did not accept your login.",
            hint="Log in again; if it stays so, the catalog may not know you.",
        )
    if code.category is ErrorCategory.UPSTREAM:
        hint = "Try again; if it stays so, tell the administrator."
        return error_of(code, f"Catalog {catalog} failed to {act.words}{ending}", hint=hint)
    return error_of(code, f"Catalog {catalog} refused to {act.words}{ending}")


def _wrong_settings(catalog: str, kind: str, text: str) -> UpstreamError:
    """Nothing is where SQE was told to look for it."""
    said = f"Catalog {catalog} says: {text.rstrip('.')}."
    if kind == "MissingOrInvalidRealm":
        header = f"catalogs.{catalog}.headers: Polaris-Realm has to name a realm of the server."
        return UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, said, hint=header)
    if _NO_WAREHOUSE.search(text) or kind == "NoSuchWarehouseException":
        name = f"catalogs.{catalog}.warehouse: for Polaris the name of a catalog, not a location."
        return UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, said, hint=name)
    return no_catalog(catalog, "has no such address")


def no_catalog(catalog: str, answered: str) -> UpstreamError:
    return UpstreamError(
        ErrorCode.CATALOG_UNAVAILABLE,
        f"Catalog {catalog} was asked for its configuration, and the server {answered}: no Iceberg "
        "REST catalog is there.",
        hint=f"catalogs.{catalog}.uri: what clients add /v1 to; Polaris's ends in /api/catalog.",
    )


def absent(act: Act, code: ErrorCode | None = None) -> SqeError:
    """The words are the embedded catalog's."""
    code = code or act.absent
    schema = code is ErrorCode.SCHEMA_NOT_FOUND
    subject = ".".join(act.namespace) if schema and act.namespace else act.subject
    return error_of(code, f"{_KINDS[code]} does not exist: {subject}")


def unreadable(catalog: str, act: Act) -> UpstreamError:
    return UpstreamError(
        ErrorCode.CATALOG_UNAVAILABLE,
        f"Catalog {catalog} was asked to {act.words}, and its answer cannot be read.",
        hint="Try again; if it stays so, tell the administrator.",
    )


def restriction_error(act: Act) -> AccessError:
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"{act.subject} has restrictions for readers that SQE does not carry out, so it is not"
        " read at all.",
    )


def _error_of(answer: Answer, hide: str) -> tuple[str, str]:
    """The exception's simple name and its words; nothing where the body is not the catalog's."""
    try:
        error = answer.json()["error"]
        kind, text = str(error.get("type") or ""), str(error.get("message") or "")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "", ""
    text = text.replace(hide, "…") if hide else text
    clean = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return kind.rpartition(".")[2], clean[:_LONGEST]
