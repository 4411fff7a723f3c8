from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.cli.exit_codes import ExitCode
from sqe.errors import ErrorCode, error_of
from sqe.store.database import Database
from sqe.store.grants import GrantStore
from tests.unit.cli.fakes import FakeGateway, nothing, run
from tests.unit.server.certificates import Authority


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "lakehouse"
    folder.mkdir()
    return folder


def checks(home: Path, *arguments: str, gateway: FakeGateway | None = None) -> dict[str, str]:
    result = run(gateway or FakeGateway(), "doctor", "--json", *arguments, home=home)
    return {check["name"]: check["state"] for check in json.loads(result.stdout)}


def test_the_doctor_looks_at_everything(home: Path) -> None:
    expected = "python packages java jars home disk catalog access policy port memory"
    assert set(expected.split()) == checks(home).keys()


def test_a_certificate_that_ends_soon_is_warned_of(home: Path) -> None:
    settings = '[tls]\ncertificate = "cert.pem"\nkey = "key.pem"\n'
    (home / "sqe.toml").write_text(settings)
    assert checks(home)["access"] == "fail"  # the files are not there
    for days, state in ((30, "ok"), (9, "warn"), (-0.5, "fail")):
        pair = Authority().server(until=days)
        (home / "cert.pem").write_bytes(pair.certificate)
        (home / "key.pem").write_bytes(pair.key)
        assert checks(home)["access"] == state


def test_a_server_that_would_not_start_is_a_failed_check(home: Path) -> None:
    (home / "sqe.toml").write_text('[flight]\nhost = "0.0.0.0"\n')
    result = run(FakeGateway(), "doctor", home=home)
    assert "no users" in result.stdout
    assert "-> Add users under [auth.users]" in result.stdout


def test_rules_that_cannot_be_had_are_a_failed_check(home: Path) -> None:
    rules = home / "rules.json"
    (home / "sqe.toml").write_text('[policy.file]\npath = "rules.json"\n')
    assert checks(home)["policy"] == "fail"
    rules.write_text('{"tables": []}')
    assert checks(home)["policy"] == "ok"
    rules.write_text('{"table": []}')
    assert "table: Extra inputs" in run(FakeGateway(), "doctor", home=home).stdout
    nobody = '[policy.opa]\nallow_url = "http://127.0.0.1:9/allow"\n'
    (home / "sqe.toml").write_text(nobody)
    assert "127.0.0.1:9 cannot be reached" in run(FakeGateway(), "doctor", home=home).stdout
    assert not (home / "sqe.db").exists()


def test_a_damaged_catalog_is_a_failure_with_advice(home: Path) -> None:
    (home / "catalog.db").write_bytes(b"not a database, really not one" * 100)
    result = run(FakeGateway(), "doctor", home=home)
    assert result.exit_code == ExitCode.UPSTREAM
    assert "catalog.db cannot be read" in result.stdout
    assert "-> Restore the file from a backup" in result.stdout


def test_schemas_and_tables_are_counted(home: Path) -> None:
    with closing(sqlite3.connect(home / "catalog.db")) as db:
        db.execute("CREATE TABLE iceberg_tables (table_namespace TEXT, table_name TEXT)")
        db.execute("CREATE TABLE iceberg_namespace_properties (namespace TEXT)")
        db.execute("INSERT INTO iceberg_tables VALUES ('demo', 'a'), ('demo', 'b')")
        db.commit()
    result = run(FakeGateway(), "doctor", home=home)
    assert "catalog.db: 1 schemas, 2 tables and views" in result.stdout


def test_the_store_of_rules_is_not_taken_for_a_damaged_catalog(home: Path) -> None:
    with closing(Database(home)) as store:
        GrantStore(store).read()
    assert (home / "sqe.db").is_file()
    assert checks(home)["catalog"] == "ok"


def test_damaged_jars_are_found(home: Path) -> None:
    (home / "jars").mkdir()
    (home / "jars" / "iceberg-aws-bundle-1.12.0.jar").write_bytes(b"evil")
    result = run(FakeGateway(), "doctor", home=home)
    assert "iceberg-aws-bundle-1.12.0.jar: damaged" in result.stdout


def test_wrong_settings_are_a_failed_check(home: Path) -> None:
    (home / "sqe.toml").write_text("nonsense = 1\n")
    assert checks(home) == {"settings": "fail"}


def test_spark_is_started_only_if_asked(home: Path) -> None:
    gateway = FakeGateway(
        {"SET SESSION sqe.engine = spark": nothing, "SELECT 1": pa.table({"x": [1]})}
    )
    assert "spark" not in checks(home, gateway=gateway)
    assert checks(home, "--spark", gateway=gateway)["spark"] == "ok"


def test_a_spark_that_does_not_start_is_a_failure(home: Path) -> None:
    down = error_of(ErrorCode.ENGINE_UNAVAILABLE, "Spark did not start.")
    gateway = FakeGateway({"SET SESSION sqe.engine = spark": nothing, "SELECT 1": down})
    assert checks(home, "--spark", gateway=gateway)["spark"] == "fail"
