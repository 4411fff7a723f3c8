"""Settings of catalogs: SQE's own, and those of others."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    SecretStr,
    Tag,
    field_validator,
    model_validator,
)

from sqe.model.hosts import is_own_machine
from sqe.model.object_paths import SCHEME, object_path
from sqe.settings.addresses import (
    check_database,
    database_address,
    service_url,
    thrift_addresses,
)
from sqe.settings.headers import check_headers
from sqe.settings.object_stores import StorageSettings
from sqe.settings.rest_services import check_service, fill_in
from sqe.settings.secrets import SecretText
from sqe.settings.strict import Strict

_OWN_HEADERS = frozenset(
    {"authorization", "host", "content-length", "content-type", "transfer-encoding", "connection"}
    | {"if-none-match", "x-iceberg-access-delegation", "traceparent", "tracestate"}
)


class EmbeddedCatalogSettings(Strict):
    """The lakehouse in SQE's own home: SQLite and a warehouse folder."""

    type: Literal["embedded"] = "embedded"


class RestCatalogSettings(Strict):
    """A catalog behind the Iceberg REST protocol (Polaris, Nessie, …). Each call carries the
    token of the user it is for; there is no account of SQE's own."""

    type: Literal["rest"] = "rest"
    service: Literal["", "polaris", "nessie", "lakekeeper", "gravitino", "unity", "horizon"] = (
        Field(
            "",
            description="what the server is: its path, its form of a warehouse and its other wants "
            "become the defaults; see docs/guides/catalogs.md",
        )
    )
    uri: str = Field(
        description="address to which clients add /v1; https, but for one on this machine"
    )
    warehouse: str = Field("", description="which of the server's catalogs or warehouses")
    headers: dict[str, SecretText] = Field(
        default_factory=dict, description="sent with every call, e.g. Polaris-Realm"
    )
    delegation: Literal[
        "vended-credentials", "remote-signing", "vended-credentials,remote-signing", "none"
    ] = Field(
        "vended-credentials",
        description="how tables' files are reached: with keys that the catalog hands out for each "
        "table, with requests that it signs (local engine only), with either, or neither",
    )
    audience: str = Field(
        "",
        description="exchange the user's token for one with this audience before the catalog "
        "sees it (RFC 8693)",
    )
    unique_locations: bool = Field(
        True,
        description="new tables and views get folders that nothing else has had, below the "
        "location of their schema: a catalog that refuses overlapping locations then lets the old "
        "name of a renamed table be used again; false: the catalog chooses",
    )
    auth: Literal["user", "none"] = Field(
        "user",
        description="whose token the catalog is shown: the user's; none is for open servers on "
        "this machine, in tests",
    )
    timeout_s: float = Field(30.0, gt=0, description="longest wait for an answer")
    cache_s: float = Field(
        30.0,
        ge=0,
        description="how long lists of schemas and tables are kept, for each login by itself; "
        "tables are asked for anew by every query",
    )
    authorities: Path | None = Field(
        None,
        description="PEM file of those who sign the server's certificate, in the home unless "
        "absolute; unset: the system's",
    )

    @model_validator(mode="before")
    @classmethod
    def _as_the_service_expects(cls, values: Any) -> Any:
        return fill_in(values)

    @field_validator("uri")
    @classmethod
    def _uri_is_safe(cls, uri: str) -> str:
        return service_url(uri)

    @field_validator("headers")
    @classmethod
    def _headers_are_clean(cls, headers: dict[str, SecretStr]) -> dict[str, SecretStr]:
        return check_headers(headers, _OWN_HEADERS)

    @model_validator(mode="after")
    def _fits_the_service(self) -> RestCatalogSettings:
        if self.service:
            check_service(self.service, self.uri, self.warehouse)
        return self

    @model_validator(mode="after")
    def _open_servers_are_local(self) -> RestCatalogSettings:
        if self.auth == "none" and not is_own_machine(urlsplit(self.uri).hostname or ""):
            raise ValueError('auth = "none" is only for a catalog on this machine')
        return self


def _check_place(place: str) -> str:
    if place.startswith(SCHEME):
        folder = object_path(place.rstrip("/"))
        return f"{SCHEME}{folder.bucket}/{folder.key}".rstrip("/")
    if not Path(place).is_absolute():
        raise ValueError("it must be the whole path of a folder of this machine, or s3://…")
    return place


def _check_meant(auth: str) -> str:
    if auth != "shared":
        raise ValueError(
            'all users would act through one account: write auth = "shared" if that is meant'
        )
    return auth


WarehousePlace = Annotated[str, BeforeValidator(str), AfterValidator(_check_place)]
Shared = Annotated[Literal["", "shared"], AfterValidator(_check_meant)]


class WarehouseSettings(Strict):
    """Of catalogs that say where tables are and hand out no keys to their files."""

    warehouse: WarehousePlace = Field(
        description="where the tables' files are, a folder or s3://bucket/folder; what is outside "
        "of it is refused"
    )
    storage: StorageSettings | None = Field(None, description="whose keys open a warehouse in S3")

    @property
    def folder(self) -> Path | None:
        """None: it is in S3."""
        return None if self.warehouse.startswith(SCHEME) else Path(self.warehouse)

    @model_validator(mode="after")
    def _objects_have_keys(self) -> WarehouseSettings:
        if self.folder is None and self.storage is None:
            raise ValueError("a warehouse in S3 needs a section storage: whose keys open it")
        if self.folder is not None and self.storage is not None:
            raise ValueError("storage is for a warehouse in S3")
        return self


class JdbcCatalogSettings(WarehouseSettings):
    """A catalog in the tables of Iceberg's JDBC catalog, which other programs use, too. SQE has one
    account there for all users, so that its own policies alone say who may do what."""

    type: Literal["jdbc"] = "jdbc"
    url: SecretText = Field(
        description="`postgresql+psycopg://user:password@host/database`, or `sqlite:////folder/"
        "file.db`; better `env:NAME` or `file:/path`"
    )
    catalog_name: str = Field(
        "", description="name under which the tables' rows stand there; unset: the catalog's here"
    )
    schema_version: Literal["keep", "V1"] = Field(
        "keep",
        description="`V1` gives tables of layout V0 the column that views need, for all programs",
    )
    auth: Shared = Field(
        "",
        validate_default=True,
        description="must be `shared`: all users act through the one account of the url, and what "
        "each of them may do is for SQE's policies alone to say",
    )

    @field_validator("url")
    @classmethod
    def _url_is_of_a_database(cls, url: SecretStr) -> SecretStr:
        check_database(url.get_secret_value())
        return url

    @property
    def address(self) -> str:
        """The database without anything secret."""
        return database_address(self.url.get_secret_value())


class FilesCatalogSettings(WarehouseSettings):
    """A folder of tables that no catalog knows of, as Hadoop's catalog leaves them: folders are
    schemas. It is only read."""

    type: Literal["files"] = "files"
    auth: Shared = Field(
        "",
        validate_default=True,
        description="must be `shared`: the files are read by SQE itself, and what each user may "
        "see of them is for SQE's policies alone to say",
    )


def _check_meant_for_hive(auth: str) -> str:
    if auth == "kerberos":
        raise ValueError("a metastore that demands Kerberos is not supported")
    return _check_meant(auth)


class HiveCatalogSettings(WarehouseSettings):
    """A Hive metastore, spoken to over Thrift. It believes whoever asks, so that SQE's own policies
    alone say who may do what."""

    type: Literal["hive"] = "hive"
    uri: str = Field(description="thrift://host:9083; several equal ones with commas between")
    user: str = Field("sqe", description="as whom SQE asks, and whom new tables belong to there")
    locks: bool = Field(
        True,
        description="changes are made under the metastore's locks, as other programs do; false: "
        "for one that compares parameters by itself (2.3.10, 4.0 and later, HIVE-26882), if no "
        "other program relies on the locks",
    )
    lock_wait_s: float = Field(20.0, gt=0, description="longest wait for another program's lock")
    timeout_s: float = Field(30.0, gt=0, description="longest wait for an answer")
    auth: Annotated[Literal["", "shared", "kerberos"], AfterValidator(_check_meant_for_hive)] = (
        Field(
            "",
            validate_default=True,
            description="must be `shared`: all users act as `user`, and what each of them may do "
            "is for SQE's policies alone to say",
        )
    )

    @field_validator("uri")
    @classmethod
    def _uri_is_of_metastores(cls, uri: str) -> str:
        return ",".join(thrift_addresses(uri))

    @property
    def addresses(self) -> list[str]:
        return thrift_addresses(self.uri)


class GlueCatalogSettings(WarehouseSettings):
    """AWS Glue's Data Catalog. Glue and the files are both reached with the keys that `storage`
    gives the user."""

    type: Literal["glue"] = "glue"
    storage: StorageSettings = Field(description="whose keys open Glue and the warehouse in S3")
    region: str = Field(description="region of the catalog", pattern=r"^[a-z0-9-]{3,63}$")
    catalog_id: str = Field(
        "", description="account whose catalog it is; unset: that of the keys", pattern=r"^\d*$"
    )
    endpoint: str = Field("", description="address of Glue; empty: Amazon's")
    skip_archive: bool = Field(
        True, description="Glue keeps no older versions of an entry: Iceberg's own metadata does"
    )

    @field_validator("endpoint")
    @classmethod
    def _endpoint_is_safe(cls, endpoint: str) -> str:
        return service_url(endpoint) if endpoint else ""

    @property
    def address(self) -> str:
        china = ".cn" if self.region.startswith("cn-") else ""
        return self.endpoint or f"https://glue.{self.region}.amazonaws.com{china}"


def _type(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return str(kind or "embedded")


CatalogSettings = Annotated[
    Annotated[EmbeddedCatalogSettings, Tag("embedded")]
    | Annotated[RestCatalogSettings, Tag("rest")]
    | Annotated[JdbcCatalogSettings, Tag("jdbc")]
    | Annotated[FilesCatalogSettings, Tag("files")]
    | Annotated[HiveCatalogSettings, Tag("hive")]
    | Annotated[GlueCatalogSettings, Tag("glue")],
    Discriminator(_type),
]


def only_our_own() -> dict[str, CatalogSettings]:
    return {"lake": EmbeddedCatalogSettings()}


def overlap_of_warehouses(catalogs: Mapping[str, CatalogSettings]) -> str:
    """Which two catalogs have files in common, as a message; empty where none have. The rules for
    a table of the one would not be asked for the same files in the other."""
    places = {
        name: one.folder.resolve() if one.folder else PurePosixPath(one.warehouse)
        for name, one in catalogs.items()
        if isinstance(one, WarehouseSettings)
    }
    for (first, one), (second, other) in combinations(places.items(), 2):
        if one.is_relative_to(other) or other.is_relative_to(one):
            return f"the warehouses of {first} and {second} have folders in common"
    return ""
