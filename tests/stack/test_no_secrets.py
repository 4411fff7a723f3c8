"""A full run over all protocols, well and badly, and then a search for every secret that was in it.

Secrets are known from the wire: whatever the issuer and the catalog handed out, all passwords,
and what was only tried.
"""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import sqe.client
from dev.stack.minio import BUCKET, USERS
from dev.stack.people import CATALOG, SQE
from dev.stack.places import REALM, Places
from sqe.model.identity import Secret
from sqe.settings.identity import OidcSettings
from sqe.testing import PolarisLikeCatalog, S3Keys, S3Storage, oidc_tokens
from tests.stack.front import Front
from tests.stack.serving import PASSWORDS
from tests.stack.wiretap import Wiretap, files, places_with, processes

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(900)]

WRONG_PASSWORD = "never-anybodys-password-4711"
FORGED = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJjYXJvbCJ9.Zm9yZ2VkLXNpZ25hdHVyZQ"
_OUTPUT = "serve.txt"  # beside the home
NO_SECRET = "marker-in-the-environment"
_ADDRESSES = re.compile(r"Flight SQL is at (\S+)\n.*?Trino's protocol is at (\S+)", re.DOTALL)

# The kinds of secrets that such a run hands out.
AT_STAKE = {
    "access_token",
    "refresh_token",
    "id_token",
    "s3.access-key-id",
    "s3.secret-access-key",
    "s3.session-token",
}
# What people do, well and badly. The first word is who does it by.
WELL = (
    "local SELECT count(*) FROM lake.ns1.t",
    "spark SELECT sum(id) FROM lake.ns1.t",
    "spark INSERT INTO lake.ns1.t VALUES (4)",
    "auto SHOW TABLES IN lake.ns1",
)
BADLY = (
    "spark SELECT id / 0 FROM lake.ns1.t",
    "local SELECT nothing FROM lake.ns1.t",
    "auto SELECT * FROM lake.ns1.absent",
    "auto SELEC 1",
    "auto DROP TABLE lake.ns2.not_there",
)


@dataclass
class Run:
    """A server in a process of its own, everything that was said, and every secret."""

    process: subprocess.Popen[str]
    home: Path
    catalog: PolarisLikeCatalog
    storage: Front
    wiretap: Wiretap
    flight: str
    trino: str
    said: list[str] = field(default_factory=list)

    def by_flight(self, statement: str, **login: Any) -> None:
        engine, _, sql = statement.partition(" ")
        try:
            with sqe.client.connect(self.flight, **login) as connection:
                connection.execute(f"SET SESSION sqe.engine = '{engine}'")
                cursor = connection.execute(sql)
                self.said.append(repr(cursor.fetchall()) if cursor.description else "done")
                self.said.append(f"{connection!r} {cursor!r}")
        except sqe.client.Error as error:
            self.said += [f"{error} {error!r} {error.__cause__!r}", "failed"]

    def by_trino(self, statement: str, authorization: str) -> None:
        engine, _, sql = statement.partition(" ")
        headers = {
            "Authorization": authorization,
            "X-Trino-User": "carol",
            "X-Trino-Session": f"sqe.engine={engine}",
        }
        url, body = f"{self.trino}/v1/statement", sql.encode() or None
        while url:
            request = urllib.request.Request(url, body, headers)
            body = None
            try:
                with urllib.request.urlopen(request, timeout=120) as answer:
                    text = answer.read().decode()
            except urllib.error.HTTPError as error:
                with error:
                    self.said += [f"{error.headers}", error.read().decode(), "failed"]
                return
            self.said.append(text)
            page = json.loads(text)
            if "error" in page:
                self.said.append("failed")
            url = page.get("nextUri", "")

    def by_cli(self, sql: str, password: str) -> int:
        command = [sys.executable, "-m", "sqe", "sql", "--server", self.flight]
        done = subprocess.run(
            [*command, "--user", "carol", "--password-stdin", sql],
            input=password + "\n",
            capture_output=True,
            text=True,
            check=False,
        )
        self.said += [done.stdout, done.stderr]
        return done.returncode


@pytest.fixture(scope="module")
def run(
    _isolated_session: None,
    stack: Places,
    tmp_path_factory: pytest.TempPathFactory,
    jar_cache: Path,
) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("secrets")
    wiretap = Wiretap()
    with ExitStack() as services:
        issuer = services.enter_context(Front(stack.keycloak, rewrite=wiretap.listen).running())
        realm = f"{issuer.url}/realms/{REALM}"
        storage = services.enter_context(Front(stack.minio).running())
        catalog = services.enter_context(_catalog(storage.url, folder, realm))
        front = Front(catalog.url.removesuffix("/api/catalog"), rewrite=wiretap.listen)
        services.enter_context(front.running())
        config = folder / "sqe.toml"
        config.write_text(_settings(realm, front.url, jar_cache))
        process, flight, trino = services.enter_context(_served(folder / "home", config))
        yield Run(process, folder / "home", catalog, storage, wiretap, flight, trino)


@contextmanager
def _catalog(storage_url: str, folder: Path, realm: str) -> Iterator[PolarisLikeCatalog]:
    oidc = OidcSettings(issuer=realm, audience=(CATALOG.name,), roles_claim="polaris.roles")
    keys = S3Keys("testcatalog", Secret(USERS["testcatalog"]))
    with PolarisLikeCatalog(folder / "polaris", oidc_tokens(oidc)) as catalog:
        root = f"s3://{BUCKET}/secrets-{uuid.uuid4().hex[:8]}"
        storage = S3Storage(root, keys, storage_url)
        catalog.admin.add_catalog("lake", ["ns1", "ns2"], storage=storage)
        catalog.admin.add_principal("carol", ["admin"])
        catalog.admin.grant("admin", ["CATALOG_MANAGE_CONTENT"], catalog="lake")
        yield catalog


def _settings(realm: str, catalog: str, jars: Path) -> str:
    return f"""\
default_schema = "ns1"
log.level = "debug"

[auth.oidc.keycloak]
issuer = "{realm}"
client_id = "{SQE.name}"
client_secret = "{SQE.secret}"
password_grant = true

[catalogs.lake]
type = "rest"
uri = "{catalog}/api/catalog"
warehouse = "lake"

[trino]
allow_plain_http_credentials = true

[spark]
jars = "{jars}"
master = "local[2]"
driver_memory = "1g"
class_data_sharing = false
"""


@contextmanager
def _served(home: Path, config: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """With the addresses of Flight SQL and of Trino's protocol."""
    command = [sys.executable, "-m", "sqe", "--config", str(config), "--home", str(home), "serve"]
    output = home.with_name(_OUTPUT)
    with output.open("w") as written:
        process = subprocess.Popen(
            [*command, "--port", "0", "--flight-port", "0", "--trino-port", "0"],
            env={**os.environ, "NO_SECRET": NO_SECRET},
            stderr=written,
            stdout=written,
            text=True,
        )
    try:
        yield process, *_addresses(process, output)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(120)


def _addresses(process: subprocess.Popen[str], output: Path) -> tuple[str, str]:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        found = _ADDRESSES.search(output.read_text())
        if found is not None:
            return found.group(1), found.group(2)
        time.sleep(0.1)
    raise AssertionError(output.read_text())


def test_no_secret_is_anywhere_after_a_full_run(run: Run) -> None:
    carol: dict[str, Any] = {"user": "carol", "password": PASSWORDS["carol"]}
    run.by_flight("spark CREATE TABLE lake.ns1.t AS SELECT id FROM range(3)", **carol)
    assert "failed" not in run.said, run.said[-2:]
    basic = base64.b64encode(f"carol:{PASSWORDS['carol']}".encode()).decode()
    for statement in WELL:
        run.by_flight(statement, **carol)
        run.by_trino(statement, f"Basic {basic}")
        assert "failed" not in run.said, run.said[-2:]
    assert run.by_cli("SELECT count(*) FROM lake.ns1.t", PASSWORDS["carol"]) == 0

    before = run.said.count("failed")
    _go_wrong(run, carol, basic)
    assert run.said.count("failed") - before == 2 * len(BADLY) + 6, run.said[-2:]
    assert run.by_cli("SELECT nothing FROM lake.ns1.t", PASSWORDS["carol"]) != 0
    assert run.by_cli("SELECT 1", WRONG_PASSWORD) != 0

    secrets = run.wiretap.secrets(
        PASSWORDS["carol"], basic, SQE.secret, WRONG_PASSWORD, FORGED.rsplit(".")[-1]
    )
    assert set(run.wiretap.heard) == AT_STAKE
    said = ("what was said", "\n".join(run.said).encode())
    printed = ("what was printed", run.home.with_name(_OUTPUT).read_bytes())
    assert b"sqe is ready" in printed[1]
    assert places_with(secrets, [said, printed, *processes(run.process.pid)]) == set()
    assert places_with(secrets, files(run.home)) == set()
    _control(run)


def _go_wrong(run: Run, carol: dict[str, Any], basic: str) -> None:
    for statement in BADLY:
        run.by_flight(statement, **carol)
        run.by_trino(statement, f"Basic {basic}")
    run.by_flight("auto SELECT 1", user="carol", password=WRONG_PASSWORD)
    run.by_flight("auto SELECT 1", token=FORGED)
    run.by_trino("auto SELECT 1", f"Bearer {FORGED}")
    admin = run.catalog.admin
    fault = admin.inject("status", status=503, endpoint="load_table")
    run.by_flight("spark SELECT sum(id) FROM lake.ns1.t", **carol)
    run.by_trino("local SELECT sum(id) FROM lake.ns1.t", f"Basic {basic}")
    admin.heal(fault)
    run.storage.refuse = lambda who, path: (403, _refusal(who))
    run.by_flight("spark SELECT sum(id) FROM lake.ns1.t", **carol)
    run.storage.refuse = lambda who, path: None


def _refusal(key_id: str) -> bytes:
    """As S3 words it, the key's name included."""
    known = f"<AWSAccessKeyId>{key_id}</AWSAccessKeyId>"
    return f"<Error><Code>InvalidAccessKeyId</Code><Message>No.</Message>{known}</Error>".encode()


def _control(run: Run) -> None:
    """The search finds what is there: a name in the logs, a word in the environment of SQE, which
    its children do not inherit, and a path in its command."""
    found = places_with([b"carol"], files(run.home))
    assert "logs/audit.jsonl" in found and "logs/sqe.log" in {name for name, _ in files(run.home)}
    visible = places_with([NO_SECRET.encode()], processes(run.process.pid))
    assert visible == {f"{run.process.pid} environ"}
    seen = places_with([b"sqe.toml"], processes(run.process.pid))
    assert {"ps", f"{run.process.pid} cmdline"} <= seen
