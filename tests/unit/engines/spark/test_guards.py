"""The names in a guarded text: nobody can guess them, and no key is among them."""

from __future__ import annotations

import re

from sqe.broker.handles import make_grant
from sqe.engines.spark.guards import Guards
from sqe.model.identity import Secret


def test_a_key_has_a_new_marker_each_time_and_goes_beside_the_text() -> None:
    of_one_query = Guards(make_grant(()))
    guards = [of_one_query, of_one_query, Guards(make_grant(()))]
    markers = [one.key(Secret("the key")) for one in guards]
    assert all(re.fullmatch(":sqe_key_[0-9a-f]{32}", marker) for marker in markers)
    assert len(set(markers)) == len(markers)
    assert [of_one_query.arguments[one[1:]].string for one in markers[:2]] == ["the key"] * 2
