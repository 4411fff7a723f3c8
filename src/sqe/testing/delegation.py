"""What a loaded table comes with: the storage's address, credentials, restrictions."""

from __future__ import annotations

from urllib.parse import quote

from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.catalog.rest.wire import SEPARATOR
from sqe.testing.answers import bad_request
from sqe.testing.policy import locations_of
from sqe.testing.privileges import Privilege
from sqe.testing.visit import SIGNED, VENDED, Visit


def load_operation(visit: Visit, ident: Ident, *, delegated: bool = False) -> bool:
    """Checks a load; whether the caller may write the data, if credentials are asked for.

    Nobody can ask for less: who may write gets write credentials even for a SELECT.
    """
    target = visit.target(ident)
    if not delegated and not visit.delegation:
        visit.require("LOAD_TABLE", (Privilege.TABLE_READ_PROPERTIES, target))
        return False
    if visit.may(Privilege.TABLE_WRITE_DATA, target):
        return True
    visit.require("LOAD_TABLE_WITH_READ_DELEGATION", (Privilege.TABLE_READ_DATA, target))
    return False


def beside(visit: Visit, ident: Ident, loaded: Loaded, *, write: bool) -> Json:
    """The fields of an answer beside the metadata."""
    storage = visit.lake.storage
    config = storage.address() if storage is not None else {}
    fields: Json = {"config": config}  # not sent if it stays empty
    if visit.delegation == SIGNED and not visit.options.remote_signing:
        raise bad_request("Unsupported access delegation mode: REMOTE_SIGNING")
    if storage is not None and visit.delegation == SIGNED:
        config |= {"s3.remote-signing-enabled": "true", "s3.signer": "S3V4RestSigner"}
        config |= {"s3.signer.endpoint": _endpoint(visit, ident, "sign")}
    elif storage is not None and visit.delegation == VENDED and not visit.options.remote_signing:
        fields |= credentials(visit, ident, loaded, write=write)
        refresh = _endpoint(visit, ident, "credentials")
        (entry,) = fields["storage-credentials"]
        config |= {**entry["config"], "client.refresh-credentials-endpoint": refresh}
    restrictions = visit.lake.restrictions(ident, visit.caller.name)
    if restrictions is not None:
        fields["read-restrictions"] = restrictions
    return fields


def credentials(visit: Visit, ident: Ident, loaded: Loaded, *, write: bool) -> Json:
    """New keys to the table's files and no others."""
    storage = visit.lake.storage
    if storage is None or visit.options.remote_signing:
        raise bad_request(
            f"Credential vending was requested for table {ident}, but no credentials are available"
        )
    keys = storage.vend(locations_of(loaded.metadata), visit.options, write=write)
    return {"storage-credentials": [{"prefix": loaded.metadata["location"], "config": keys}]}


def _endpoint(visit: Visit, ident: Ident, what: str) -> str:
    """Relative to the catalog's address, as Polaris has it."""
    namespace = quote(SEPARATOR.join(ident.namespace), safe="")
    table = quote(ident.name, safe="")
    catalog = quote(visit.lake.name, safe="")
    return f"v1/{catalog}/namespaces/{namespace}/tables/{table}/{what}"
