"""What is in the memory of a JVM, asked of the JVM itself: a Java without tools has no jmap."""

from __future__ import annotations

import mmap
import os
import signal
import socket
import time
from collections.abc import Iterable
from pathlib import Path

_WAIT_S = 60.0


def dump_heap(pid: int, file: Path) -> None:
    """Writes the heap of that process, dead objects included, over HotSpot's attach socket."""
    door = Path(f"/tmp/.java_pid{pid}")
    trigger = Path(f"/proc/{pid}/cwd/.attach_pid{pid}")
    if not door.exists():
        trigger.touch()
        os.kill(pid, signal.SIGQUIT)
    deadline = time.monotonic() + _WAIT_S
    while not door.exists():
        assert time.monotonic() < deadline, "the JVM did not open its door"
        time.sleep(0.05)
    trigger.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(_WAIT_S)
        client.connect(str(door))
        arguments = ("1", "dumpheap", str(file), "-all", "")
        client.sendall(b"".join(part.encode() + b"\0" for part in arguments))
        answer = b""
        while data := client.recv(4096):
            answer += data
    assert answer.startswith(b"0"), answer


def found_in(file: Path, texts: Iterable[str]) -> set[str]:
    """Which of the texts are in a heap dump, as Java keeps them: a byte a letter, or two."""
    found = set()
    with file.open("rb") as content, mmap.mmap(content.fileno(), 0, prot=mmap.PROT_READ) as memory:
        for text in texts:
            spellings = (text.encode(), text.encode("utf-16-be"), text.encode("utf-16-le"))
            if any(memory.find(spelling) >= 0 for spelling in spellings):
                found.add(text)
    return found
