"""The parts of the matrix, in the order of the page."""

from __future__ import annotations

from tests.embedded.matrix.feature import FEATURES
from tests.embedded.matrix.features import (
    create,
    evolution,
    history,
    maintenance,
    metadata,
    partitions,
    row_level,
    types,
    version_3,
    views,
    write,
)

AREAS = [
    module.AREA.name
    for module in (
        create,
        types,
        partitions,
        write,
        row_level,
        evolution,
        history,
        metadata,
        maintenance,
        views,
        version_3,
    )
]
ROWS = sorted(FEATURES, key=lambda feature: AREAS.index(feature.area))
