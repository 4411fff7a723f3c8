"""Where a new table or view is to lie.

A renamed table stays where it is, and catalogs that refuse overlapping locations do not let another
one be made at the default location of its old name. So each gets a folder that nothing has had.
"""

from __future__ import annotations

import re
import uuid

_UNUSUAL = re.compile(r"[^A-Za-z0-9_.-]")
_LONGEST = 100


def new_folder(parent: str, name: str) -> str:
    """Below the location of the schema; the name is for people who look into the storage."""
    return f"{parent.rstrip('/')}/{_UNUSUAL.sub('_', name)[:_LONGEST]}-{uuid.uuid4().hex}"
