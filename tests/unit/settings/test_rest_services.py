"""Services that speak Iceberg REST: what their documents say is what they are asked."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import Any, get_args
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import ValidationError

from sqe.catalog.catalog_type import Listeners
from sqe.catalog.protocol import Ident
from sqe.catalog.remote.entry import REST
from sqe.errors import SqeError
from sqe.settings import RestCatalogSettings, Settings
from sqe.settings.rest_services import SERVICES
from tests.unit.catalog.remote.serving import Reply, Served, error, person, scripted

# Of each service the first request that its documents show, and a warehouse as they write it.
DOCUMENTED = {
    "polaris": ("/api/catalog/v1/config", "quickstart_catalog"),
    "nessie": ("/iceberg/v1/config", ""),
    "lakekeeper": ("/catalog/v1/config", "0194afb8-2a9e-7ae0-8f4b-0d6f8a0b1c2d/demo"),
    "gravitino": ("/iceberg/v1/config", "hive_backend"),
    "unity": ("/api/2.1/unity-catalog/iceberg-rest/v1/config", "main"),
    "horizon": ("/polaris/api/catalog/v1/config", "MY_DATABASE"),
}
ON_THIS_MACHINE = sorted(name for name in SERVICES if not SERVICES[name].host)


def ask(service: str, warehouse: str) -> Served:
    """What the service sees when a user looks for a table."""
    config = Reply(body=b'{"overrides": {"prefix": "p"}}')

    def answer(method: str, path: str) -> Reply:
        return config if "/v1/config" in path else error(404, "NoSuchTableException")

    with scripted(answer) as there:
        values: dict[str, Any] = {"service": service, "uri": there.url, "warehouse": warehouse}
        settings = RestCatalogSettings.model_validate(values)
        made = REST.make("x", settings, Settings(), Listeners())
        with closing(made), pytest.raises(SqeError):
            made.open(person("ann", "ann-token")).load_table(Ident(("s",), "t"))
    return there


@pytest.mark.parametrize("service", ON_THIS_MACHINE)
def test_a_service_is_asked_as_its_documents_say(service: str) -> None:
    path, warehouse = DOCUMENTED[service]
    config, load = ask(service, warehouse).seen
    assert urlsplit(config[1]).path == path
    assert parse_qs(urlsplit(config[1]).query).get("warehouse", [""]) == [warehouse]
    assert load[1] == path.replace("config", "p/namespaces/s/tables/t")
    for _, _, headers in (config, load):
        assert headers["authorization"] == "Bearer ann-token"
    assert "vended-credentials" in load[2]["x-iceberg-access-delegation"]


def test_horizon_is_at_snowflake() -> None:
    path, warehouse = DOCUMENTED["horizon"]
    uri = "https://org-account.snowflakecomputing.com"
    values = {"service": "horizon", "uri": uri, "warehouse": warehouse}
    settings = RestCatalogSettings.model_validate(values)
    assert f"{settings.uri}/v1/config" == uri + path
    with pytest.raises(ValidationError, match="is not an address of horizon"):
        RestCatalogSettings.model_validate({**values, "uri": "https://snow.test"})


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_a_warehouse_of_another_form_is_refused(service: str) -> None:
    host = "a.snowflakecomputing.com" if SERVICES[service].host else "c.test"
    values = {"service": service, "uri": f"https://{host}", "warehouse": "s3://bucket/lake"}
    with pytest.raises(ValidationError, match=re.escape(SERVICES[service].warehouse)):
        RestCatalogSettings.model_validate(values)
    if not SERVICES[service].optional:
        with pytest.raises(ValidationError, match="warehouse must be"):
            RestCatalogSettings.model_validate({**values, "warehouse": ""})


def test_what_is_said_is_not_replaced() -> None:
    values = {
        "service": "lakekeeper",
        "uri": "https://c.test/behind/a/proxy",
        "warehouse": "demo",
        "unique_locations": True,
    }
    settings = RestCatalogSettings.model_validate(values)
    assert (settings.uri, settings.unique_locations) == ("https://c.test/behind/a/proxy", True)


def test_every_service_can_be_named_and_has_its_section() -> None:
    named = set(get_args(RestCatalogSettings.model_fields["service"].annotation)) - {""}
    assert named == SERVICES.keys() == DOCUMENTED.keys()
    guide = (Path(__file__).parents[3] / "docs" / "guides" / "catalogs.md").read_text()
    assert all(f'service = "{name}"' in guide for name in SERVICES)
