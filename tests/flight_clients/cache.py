"""Where foreign clients are kept between test runs: jars, Go modules and what is built of them."""

from __future__ import annotations

import os
from pathlib import Path

# Read before the tests' environment takes the developer's home away.
CACHE = Path(os.environ.get("SQE_TEST_CACHE") or Path.home() / ".cache" / "sqe-test")
