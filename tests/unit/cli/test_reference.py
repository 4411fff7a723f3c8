from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_reference_pages_say_what_the_code_says() -> None:
    command = [sys.executable, str(ROOT / "dev" / "reference.py"), "--check"]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert (answer.returncode, answer.stdout + answer.stderr) == (0, "")
