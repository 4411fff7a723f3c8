"""What a person or a program is told about a running stack."""

from __future__ import annotations

from dev.stack.catalog import NAME
from dev.stack.keycloak import ADMIN, ADMIN_PASSWORD
from dev.stack.minio import BUCKET, ROOT_PASSWORD, ROOT_USER
from dev.stack.people import CLI, MANY, PARTNERS, PEOPLE, SHORT, SHORT_S, SQE
from dev.stack.places import Places


def summary(places: Places) -> str:
    """Addresses and users."""
    people = "\n".join(
        f"  {person.name:10} {person.password:18} {person.role}"
        f"{'' if person.enabled else ', disabled'}"
        for person in PEOPLE
    )
    partners = "\n".join(f"  {p.name:10} {p.password:18} {p.role}" for p in PARTNERS)
    return f"""\
Keycloak   {places.keycloak}   {ADMIN} / {ADMIN_PASSWORD}
MinIO      {places.minio}   {ROOT_USER} / {ROOT_PASSWORD}, bucket {BUCKET}
Nessie     {places.nessie}/iceberg
Catalog    {places.catalog}/api/catalog
OPA        {places.opa}/v1/data/trino
Logs       {places.state}

Users of {places.issuer}, with passwords and roles:
{people}
  {MANY[0].name} to {MANY[-1].name}, passwords {MANY[0].password} and so on, role {MANY[0].role}
Users of {places.partner_issuer}:
{partners}
Clients: {SQE.name} / {SQE.secret}, {CLI.name} (public), \
{SHORT.name} / {SHORT.secret} (tokens of {SHORT_S} s)"""


def addresses(places: Places) -> dict[str, str]:
    """By the names of variables. None begins with SQE_, which would make it a setting of SQE."""
    return {
        "STACK_KEYCLOAK": places.keycloak,
        "STACK_ISSUER": places.issuer,
        "STACK_PARTNER_ISSUER": places.partner_issuer,
        "STACK_MINIO": places.minio,
        "STACK_NESSIE": places.nessie,
        "STACK_CATALOG": places.catalog,
        "STACK_OPA": places.opa,
    }


def settings(places: Places) -> str:
    """Of an SQE server that has the stack's users and catalogs."""
    return f"""\
default_catalog = "lake"
default_schema = "sales"

[auth.oidc.keycloak]
issuer = "{places.issuer}"
client_id = "{SQE.name}"
client_secret = "{SQE.secret}"
cli_client_id = "{CLI.name}"
password_grant = true

[catalogs.lake]
type = "rest"
uri = "{places.catalog}/api/catalog"
warehouse = "{NAME}"

[catalogs.nessie]
type = "rest"
uri = "{places.nessie}/iceberg"
warehouse = "{BUCKET}"
delegation = "vended-credentials,remote-signing"
"""
