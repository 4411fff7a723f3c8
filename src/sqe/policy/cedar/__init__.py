"""Cedar policies as a source: judged in this process by ``cedarpy``, an optional dependency."""
