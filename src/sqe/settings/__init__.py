"""Typed, frozen, strict settings: one TOML file, ``SQE_*`` variables, flags."""

from sqe.settings.access import AuthSettings, FlightSettings, TlsSettings, UserSettings
from sqe.settings.catalogs import (
    EmbeddedCatalogSettings,
    FilesCatalogSettings,
    GlueCatalogSettings,
    HiveCatalogSettings,
    JdbcCatalogSettings,
    RestCatalogSettings,
)
from sqe.settings.identity import OidcSettings
from sqe.settings.load import SettingsSource, find_settings, load_settings
from sqe.settings.locations import LocationSettings
from sqe.settings.settings import (
    LimitSettings,
    LoadSettings,
    LogSettings,
    MaintenanceSettings,
    ServeSettings,
    Settings,
    ShellSettings,
    SparkSettings,
    UnloadSettings,
)
from sqe.settings.trino import TrinoSettings

__all__ = [
    "AuthSettings",
    "EmbeddedCatalogSettings",
    "FilesCatalogSettings",
    "FlightSettings",
    "GlueCatalogSettings",
    "HiveCatalogSettings",
    "JdbcCatalogSettings",
    "LimitSettings",
    "LoadSettings",
    "LocationSettings",
    "LogSettings",
    "MaintenanceSettings",
    "OidcSettings",
    "RestCatalogSettings",
    "ServeSettings",
    "Settings",
    "SettingsSource",
    "ShellSettings",
    "SparkSettings",
    "TlsSettings",
    "TrinoSettings",
    "UnloadSettings",
    "UserSettings",
    "find_settings",
    "load_settings",
]
