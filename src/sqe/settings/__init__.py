"""Typed, frozen, strict settings: one TOML file, ``SQE_*`` variables, flags."""

from sqe.settings.load import load_settings
from sqe.settings.settings import (
    EmbeddedCatalogSettings,
    LimitSettings,
    LoadSettings,
    LogSettings,
    MaintenanceSettings,
    ServeSettings,
    Settings,
    SparkSettings,
)

__all__ = [
    "EmbeddedCatalogSettings",
    "LimitSettings",
    "LoadSettings",
    "LogSettings",
    "MaintenanceSettings",
    "ServeSettings",
    "Settings",
    "SparkSettings",
    "load_settings",
]
