"""While what must be recorded cannot be, nobody gets in; then all is as before, and the gap shows.

The disk is full by the limit of the process on the size of files, which writes as much of a line as
fits, as a disk does."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sqe.audit.chain import ChainedFile, verify
from sqe.audit.events import Events, RuleEvent
from sqe.audit.jsonl import AuditFile
from sqe.audit.repeats import Repeats
from sqe.auth.chain import Authenticators
from sqe.auth.protocol import Bearer, Credential, Password
from sqe.errors import ErrorCode, UpstreamError
from sqe.model.access_event import AccessEvent, AccessKind
from sqe.model.identity import Identity, Secret

RULE = RuleEvent("root", 12.5, "GRANT")


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file grows beyond this."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("more", [0, 1, 20])
def test_a_line_that_does_not_fit_leaves_no_trace(tmp_path: Path, more: int) -> None:
    path = tmp_path / "a.jsonl"
    file = ChainedFile(path)
    file.append('{"n": 1}')
    before = path.read_bytes()
    with room_for(len(before) + more), pytest.raises(OSError):
        file.append('{"n": 2}')
    assert path.read_bytes() == before
    file.append('{"n": 3}')
    file.close()
    verdict = verify(path)
    assert (verdict.lines, verdict.faults) == (2, [])


def test_a_gap_refuses_until_there_is_room_and_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    log = AuditFile(path)
    events = Events([log], required=[log])
    events.note_change(RULE)
    events.check()
    with room_for(path.stat().st_size + 10):
        for _ in range(3):
            events.note_change(RULE)
        for _ in range(2):
            with pytest.raises(UpstreamError) as raised:
                events.check()
            assert raised.value.code is ErrorCode.AUDIT_UNAVAILABLE
    events.check()
    events.check()
    events.note_change(RULE)
    events.close()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    names = [(line["event"], line.get("count")) for line in lines]
    assert names == [("rule_changed", None), ("events_lost", 3), ("rule_changed", None)]
    assert verify(path).faults == []
    assert events.failures == {"AuditFile": 3}


def test_a_sink_that_is_not_required_refuses_nobody(tmp_path: Path) -> None:
    log = AuditFile(Path("/dev/full"))
    other = AuditFile(tmp_path / "a.jsonl")
    events = Events([log, other], required=[other])
    events.note_change(RULE)
    events.check()
    assert events.failures["AuditFile"] == 1
    events.close()


class Door:
    def __init__(self) -> None:
        self.asked = 0

    def authenticate(self, credential: Credential) -> Identity | None:
        self.asked += 1
        return Identity("ann") if isinstance(credential, Password) else None


def test_nobody_logs_in_or_guesses_unrecorded() -> None:
    log, door = AuditFile(Path("/dev/full")), Door()
    chain = Authenticators([door], Events([log], required=[log]))
    good: Credential = Password("ann", Secret("good"))
    bad: Credential = Bearer(Secret("bad"))
    for credential in (good, bad, good, bad):
        with pytest.raises(UpstreamError) as raised:
            chain.identify(credential)
        assert raised.value.code is ErrorCode.AUDIT_UNAVAILABLE
    assert door.asked == 1  # by the first, whose login could not be recorded
    with pytest.raises(OSError):  # the login that waits
        log.close()


def test_repeats_that_cannot_be_written_are_counted_further() -> None:
    written: list[AccessEvent] = []
    now, full = [0.0], [False]

    def write(event: AccessEvent) -> None:
        if full[0]:
            raise OSError("no room")
        written.append(event)

    repeats = Repeats(write, 60.0, lambda: now[0])
    event = AccessEvent(AccessKind.LOGIN_FAILED, 0.0, "ann")
    for _ in range(5):
        repeats.note(event)
    now[0], full[0] = 61.0, True
    with pytest.raises(OSError):
        repeats.note(event)
    full[0] = False
    repeats.close()
    assert sum(event.count for event in written) == 6
