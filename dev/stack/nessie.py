"""Nessie: an Iceberg REST catalog of somebody else's, with rules of its own.

Its rules, by the token's claims: alice reads ``ns1``; engineers read and write ``ns2``; admins do
everything. What is denied is answered with HTTP 500, which SQE must take for a no.
"""

from __future__ import annotations

import json
from pathlib import Path

from dev.stack.fetch import SHORT_LIVED, fetch, java
from dev.stack.keycloak import token_of
from dev.stack.messages import StackError
from dev.stack.minio import BUCKET, REGION, USERS
from dev.stack.people import ADMINISTRATOR, CATALOG
from dev.stack.places import HOST, Places
from dev.stack.processes import Command
from dev.stack.service import answers, status
from sqe.engines.spark.ivy import Artifact

VERSION = "0.99.0"
_JAR = Artifact(
    "org.projectnessie.nessie",
    "nessie-quarkus",
    VERSION,
    "ce9fa33e2878bf5ea3981876b9e6204cabc0362b3dd82326b10e47271a78c417",
    classifier="runner",
)
NAMESPACES = ("ns1", "ns2")
_READ = "op in ['READ_CONTENT_KEY','READ_ENTITY_VALUE']"
_WRITE = (
    "op in ['READ_CONTENT_KEY','READ_ENTITY_VALUE','CREATE_ENTITY','UPDATE_ENTITY','DELETE_ENTITY']"
)
# Nothing is allowed but what a rule allows. `role` is the user's name, `roles` the claim.
_RULES = {
    "admins": "'admin' in roles",
    "references": "op in ['VIEW_REFERENCE','READ_ENTRIES'] "
    "&& ('analyst' in roles || 'engineer' in roles || 'reader' in roles)",
    "alice_reads": f"{_READ} && role=='alice' && (path=='ns1' || path.startsWith('ns1.'))",
    "engineers": f"{_WRITE} && 'engineer' in roles && (path=='ns2' || path.startsWith('ns2.'))",
    "engineers_commit": "op=='COMMIT_CHANGE_AGAINST_REFERENCE' && 'engineer' in roles",
}


class Nessie:
    name = "nessie"
    needs = ("keycloak", "minio")

    def __init__(self, places: Places) -> None:
        self._places = places
        self.port = places.port(19120)
        self._jar = places.cache / _JAR.file_name

    def prepare(self) -> None:
        fetch(_JAR, self._places.cache)

    def command(self, folder: Path) -> Command:
        settings = "".join(f"{key}={value}\n" for key, value in self._settings().items())
        file = folder / "nessie.properties"
        file.write_text(settings)
        arguments = (
            str(java() / "bin" / "java"),
            SHORT_LIVED,
            "-Xms64m",
            "-Xmx384m",
            f"-Dsmallrye.config.locations={file}",
            "-jar",
            str(self._jar),
        )
        return Command(arguments, {}, settings)

    def ready(self) -> bool:
        return answers(f"http://{HOST}:{self._places.nessie_management}/q/health/ready")

    def provision(self) -> None:
        token = token_of(self._places, ADMINISTRATOR)
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        for namespace in NAMESPACES:
            body = json.dumps({"namespace": [namespace]}).encode()
            url = f"{self._places.nessie}/iceberg/v1/main%7C{BUCKET}/namespaces"
            code = status(url, body, headers)
            if code not in (200, 409):  # 409: it is there
                raise StackError(f"Nessie refused the namespace {namespace}: HTTP {code}.")

    def _settings(self) -> dict[str, str]:
        storage = "nessie.catalog.service.s3.default-options"
        return {
            "quarkus.http.host": HOST,
            "quarkus.http.port": str(self.port),
            "quarkus.management.host": HOST,
            "quarkus.management.port": str(self._places.nessie_management),
            "nessie.version.store.type": "IN_MEMORY",
            "nessie.server.authentication.enabled": "true",
            "quarkus.oidc.auth-server-url": self._places.issuer,
            "quarkus.oidc.client-id": CATALOG.name,
            "quarkus.oidc.token.audience": CATALOG.name,
            "quarkus.oidc.token.principal-claim": "preferred_username",
            "quarkus.oidc.roles.role-claim-path": "roles",
            "nessie.server.authorization.enabled": "true",
            "nessie.server.authorization.type": "CEL",
            **{f"nessie.server.authorization.rules.{k}": rule for k, rule in _RULES.items()},
            "nessie.catalog.default-warehouse": BUCKET,
            f"nessie.catalog.warehouses.{BUCKET}.location": f"s3://{BUCKET}/nessie",
            f"{storage}.endpoint": self._places.minio,
            f"{storage}.sts-endpoint": self._places.minio,
            f"{storage}.path-style-access": "true",
            f"{storage}.region": REGION,
            f"{storage}.access-key": "urn:nessie-secret:quarkus:store.s3",
            f"{storage}.client-iam.enabled": "true",
            f"{storage}.client-iam.assume-role": "arn:aws:iam::000000000000:role/any",
            "store.s3.name": "nessie",
            "store.s3.secret": USERS["nessie"],
        }
