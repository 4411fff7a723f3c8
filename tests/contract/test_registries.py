"""Every type of catalog and of policy source that the settings have is listed where it is made,
and has an adapter of a suite here."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from sqe.server.catalogs import CATALOG_TYPES
from sqe.server.policies import SOURCE_TYPES
from sqe.settings.catalogs import CatalogSettings
from sqe.settings.policy import PolicySources
from tests.contract import catalog_adapters
from tests.contract.policies import adapters


def test_every_type_of_catalog_in_the_settings_has_an_entry_and_the_reverse() -> None:
    union, _ = get_args(CatalogSettings)
    variants = {get_args(variant)[0] for variant in get_args(union)}
    assert {entry.settings for entry in CATALOG_TYPES} == variants


def test_every_type_of_catalog_passes_the_suite_of_catalogs() -> None:
    types = {entry.settings.model_fields["type"].default for entry in CATALOG_TYPES}
    adapters = {**catalog_adapters.ADAPTERS, **catalog_adapters.READ_ONLY}
    assert types == {adapter.type for adapter in adapters.values()} | {*catalog_adapters.ON_STACK}


def test_every_source_of_policies_in_the_settings_has_an_entry_and_the_reverse() -> None:
    assert {entry.name for entry in SOURCE_TYPES} == set(PolicySources.model_fields)


def test_every_source_of_policies_passes_the_suite_of_sources(tmp_path: Path) -> None:
    tried = set()
    for adapter in adapters.ADAPTERS:
        with adapter.opened((), tmp_path) as opened:
            tried.add(opened.source.name)
    assert {entry.name for entry in SOURCE_TYPES} <= tried


def test_rules_of_every_source_with_a_file_form_can_be_opened_and_checked() -> None:
    """What reads a file for `sqe policy diff` also reads the settings' rules for `lint`."""
    assert [entry.name for entry in SOURCE_TYPES if entry.read is not None] == [
        entry.name for entry in SOURCE_TYPES if entry.rules is not None
    ]
