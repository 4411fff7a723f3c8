"""Writes ``src/sqe/flight_messages`` from Arrow's public FlightSql.proto and Flight.proto.

    python dev/flight_sql_proto.py <folder with both files>      (needs grpcio-tools==1.76.0)

They are in ``format/`` of the Apache Arrow repository. That compiler's output works with every
protobuf from 6.31 on. The messages live in a pool of their own: in the default one they would
collide with any other Flight SQL library in the same process.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

TARGET = Path(__file__).parent.parent / "src" / "sqe" / "flight_messages"
FILES = ("Flight", "FlightSql")
POOL = "from sqe.flight_messages.pool import POOL as _POOL\n"


def main(folder: Path) -> None:
    subprocess.run(
        [
            *(sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}"),
            *(f"--python_out={TARGET}", f"--pyi_out={TARGET}"),
            *(f"{name}.proto" for name in FILES),
        ],
        check=True,
    )
    for name in FILES:
        module = TARGET / f"{name}_pb2.py"
        text = module.read_text()
        start = text.index("# @@protoc_insertion_point(imports)")
        body = text[start:].replace("_descriptor_pool.Default()", "_POOL")
        module.write_text(text[:start] + POOL + body)
        types = TARGET / f"{name}_pb2.pyi"
        types.write_text(_strict(types.read_text()))


def _strict(types: str) -> str:
    """The compiler's types as mypy wants them."""
    types = re.sub(r"\b_Mapping\]", "_Mapping[str, object]]", types)
    return re.sub(r"^(\w+): _ClassVar\[(\w+)\]", r"\1: \2", types, flags=re.MULTILINE)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
