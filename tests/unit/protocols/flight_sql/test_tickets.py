from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.protocols.flight_sql.tickets import Tickets


class Ends:
    """What was told about tickets that ended."""

    def __init__(self) -> None:
        self.told: list[tuple[str, bool]] = []
        self.happened = threading.Event()

    def __call__(self, value: str, being_read: bool) -> None:
        self.told.append((value, being_read))
        self.happened.set()


@pytest.fixture
def ends() -> Ends:
    return Ends()


@pytest.fixture
def tickets() -> Iterator[Tickets[str]]:
    made: Tickets[str] = Tickets(3600.0, 100)
    yield made
    made.close()


def refused(tickets: Tickets[str], handle: bytes, owner: str) -> str:
    with pytest.raises(SqeError) as raised:
        tickets.read(handle, owner)
    assert raised.value.code is ErrorCode.QUERY_NOT_FOUND
    return str(raised.value)


def test_a_result_is_read_once(tickets: Tickets[str], ends: Ends) -> None:
    handle = tickets.issue("a", "ann", "s", ends, once=True)
    assert tickets.read(handle, "ann") == "a"
    refused(tickets, handle, "ann")


def test_what_may_be_read_again(tickets: Tickets[str], ends: Ends) -> None:
    handle = tickets.issue("a", "ann", "s", ends, once=False)
    assert [tickets.read(handle, "ann") for _ in range(3)] == ["a"] * 3


def test_anothers_ticket_looks_like_none(tickets: Tickets[str], ends: Ends) -> None:
    handle = tickets.issue("a", "ann", "s", ends, once=True)
    used = tickets.issue("b", "bob", "s", ends, once=True)
    tickets.read(used, "bob")
    texts = {refused(tickets, handle, "bob"), refused(tickets, used, "bob")}
    assert texts == {refused(tickets, b"never issued", "bob")}
    assert tickets.read(handle, "ann") == "a"


def test_handles_are_long_and_differ(tickets: Tickets[str], ends: Ends) -> None:
    handles = {tickets.issue("a", "ann", "s", ends, once=True) for _ in range(100)}
    assert len(handles) == 100
    assert {len(handle) for handle in handles} == {32}


def test_who_never_comes_loses_it(ends: Ends) -> None:
    tickets: Tickets[str] = Tickets(0.05, 100)
    handle = tickets.issue("a", "ann", "s", ends, once=True)
    assert ends.happened.wait(10)
    assert ends.told == [("a", False)]
    refused(tickets, handle, "ann")
    assert len(tickets) == 0
    tickets.close()


def test_what_is_being_read_does_not_expire(ends: Ends) -> None:
    tickets: Tickets[str] = Tickets(0.2, 100)
    handle = tickets.issue("a", "ann", "s", ends, once=True)
    tickets.read(handle, "ann")
    other = tickets.issue("b", "ann", "s", ends, once=True)
    assert ends.happened.wait(10)
    assert ends.told == [("b", False)]
    assert tickets.look(handle, "ann") == "a"
    refused(tickets, other, "ann")
    tickets.close()
    assert ends.told[1:] == [("a", True)]


def test_renewing_makes_it_last(ends: Ends) -> None:
    tickets: Tickets[str] = Tickets(0.5, 100)
    kept = tickets.issue("kept", "ann", "s", ends, once=True)
    tickets.issue("left", "ann", "s", ends, once=True)
    while not ends.happened.wait(0.05):
        tickets.renew(kept, "ann")
    assert ends.told == [("left", False)]
    assert tickets.read(kept, "ann") == "kept"
    tickets.close()


def test_the_end_of_a_session_is_that_of_its_tickets(tickets: Tickets[str], ends: Ends) -> None:
    gone = tickets.issue("a", "ann", "s1", ends, once=True)
    stays = tickets.issue("b", "ann", "s2", ends, once=True)
    tickets.drop_session("s1")
    assert ends.told == [("a", False)]
    refused(tickets, gone, "ann")
    assert tickets.read(stays, "ann") == "b"


def test_a_reader_that_is_done_drops_it_silently(tickets: Tickets[str], ends: Ends) -> None:
    handle = tickets.issue("a", "ann", "s", ends, once=True)
    tickets.read(handle, "ann")
    tickets.drop(handle, "bob")
    assert len(tickets) == 1
    tickets.drop(handle, "ann")
    assert (len(tickets), ends.told) == (0, [])


def test_one_owner_keeps_so_many_and_no_more(ends: Ends) -> None:
    tickets: Tickets[str] = Tickets(3600.0, 2)
    first, _ = [tickets.issue("a", "ann", "s", ends, once=True) for _ in range(2)]
    with pytest.raises(SqeError) as raised:
        tickets.issue("c", "ann", "s", ends, once=True)
    assert raised.value.code is ErrorCode.TOO_MANY_QUERIES
    tickets.issue("d", "bob", "s", ends, once=True)
    tickets.drop(first, "ann")
    tickets.issue("e", "ann", "s", ends, once=True)
    tickets.close()
    assert len(tickets) == 0
