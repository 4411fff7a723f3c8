"""Catalogs of others, over the Iceberg REST protocol, as the user."""

from sqe.catalog.remote.catalog import RestCatalogs
from sqe.catalog.remote.options import RestOptions

__all__ = ["RestCatalogs", "RestOptions"]
