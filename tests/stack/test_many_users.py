"""A hundred people at once, each with a login of their own and a table that only they may read."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from dev.stack.people import MANY, Person
from dev.stack.places import Places
from dev.stack.tables import fill_crowd
from tests.stack.serving import Serving, access_token

QUESTIONS = 2


@pytest.mark.timeout(600)
def test_a_hundred_users_at_once_each_see_their_own_rows(stack: Places, lakehouse: Serving) -> None:
    fill_crowd(stack)
    together = Barrier(len(MANY))

    def ask(person: Person) -> list[list[tuple[str]]]:
        token = access_token(stack, person.name)
        together.wait()
        with lakehouse.connected(person.name, token=token) as connection:
            sql = f"SELECT owner FROM lake.crowd.{person.name}"
            return [connection.execute(sql).fetchall() for _ in range(QUESTIONS)]

    with ThreadPoolExecutor(len(MANY)) as crowd:
        answers = list(crowd.map(ask, MANY))
    assert answers == [[[(person.name,)]] * QUESTIONS for person in MANY]


def test_nobody_of_them_reads_what_is_anothers(stack: Places, lakehouse: Serving) -> None:
    fill_crowd(stack)
    one, other = MANY[:2]
    own = f"SELECT owner FROM lake.crowd.{one.name}"
    assert lakehouse.rows(one.name, own) == [(one.name,)]
    with pytest.raises(Exception, match="does not exist"):
        lakehouse.rows(other.name, own)
