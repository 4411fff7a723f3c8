"""Rules that change while a user's instances live on: the next answer is by the new rule."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.engines.local.house import DENIED, ROOT, House, open_house

ROUNDS = 120


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as house:
        yield house


def grant(columns: str, region: str) -> str:
    return f"GRANT SELECT ON hr.emp TO bob ROWS WHERE (region = '{region}') COLUMNS ({columns})"


PLAIN, MASKED = "id, region, salary", "id, region, salary MASKED WITH (NULL)"
QUESTION = "SELECT id, salary FROM emp ORDER BY id"
# What root says, and what bob sees from then on.
RULES: list[tuple[str, list[tuple[int, int | None]] | str]] = [
    (grant(PLAIN, "EU"), [(1, 10), (3, 30)]),
    ("REVOKE SELECT ON hr.emp FROM bob", DENIED),
    (grant(MASKED, "US"), [(2, None), (4, None)]),
    ("REVOKE SELECT ON hr.emp FROM bob", DENIED),
    (grant(PLAIN, "US"), [(2, 20), (4, 40)]),
    ("REVOKE SELECT ON hr.emp FROM bob", DENIED),
]


def test_the_next_question_is_answered_by_the_new_rule(house: House) -> None:
    """Between two identical questions of one session, with others of it on the way all the time."""
    root, bob, asking = house.session(ROOT), house.session("bob"), threading.Event()
    wrong: list[object] = []

    def keep_asking() -> None:
        while not asking.is_set():
            seen = house.ask(bob, QUESTION)
            if seen not in [answer for _, answer in RULES]:
                wrong.append(seen)

    crowd = [threading.Thread(target=keep_asking) for _ in range(2)]
    for thread in crowd:
        thread.start()
    try:
        for number in range(ROUNDS):
            rule, answer = RULES[number % len(RULES)]
            house.ask(root, rule)
            seen = [house.ask(bob, QUESTION) for _ in range(2)]
            if seen != [answer, answer]:
                wrong.append((number, rule, seen))
    finally:
        asking.set()
        for thread in crowd:
            thread.join()
    assert not wrong
    assert house.reused > ROUNDS / 4  # or nothing was tried


def test_after_a_change_no_query_is_in_an_instance_of_before(house: House) -> None:
    root, bob = house.session(ROOT), house.session("bob")
    for number, (rule, answer) in enumerate(RULES):
        house.ask(root, rule)
        before = house.reused if number else 0
        assert house.ask(bob, QUESTION) == answer
        assert house.reused == before
        assert house.ask(bob, QUESTION) == answer
        assert house.reused == before + (answer != DENIED)


def test_users_with_the_same_question_see_their_own(house: House) -> None:
    root = house.session(ROOT)
    house.ask(root, "GRANT SELECT ON hr.emp TO cat ROWS WHERE (id > 2)")
    house.ask(root, grant(MASKED, "US"))
    bob, cat = house.session("bob"), house.session("cat")
    for _ in range(5):
        assert house.ask(bob, QUESTION) == [(2, None), (4, None)]
        assert house.ask(cat, QUESTION) == [(3, 30), (4, 40)]
        assert house.ask(house.session("dan"), QUESTION) == DENIED
    assert house.reused == 8


def test_a_session_that_closes_leaves_no_instance(house: House) -> None:
    house.ask(house.session(ROOT), grant(PLAIN, "EU"))
    bob = house.session("bob")
    house.ask(bob, QUESTION)
    figures = house.server.state.local.figures
    assert figures is not None and figures.idle == 1
    bob.close()
    figures = house.server.state.local.figures
    assert figures is not None and figures.idle == 0
