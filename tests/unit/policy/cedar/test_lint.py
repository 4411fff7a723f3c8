"""A permit is said to permit nothing only where that is certain."""

from __future__ import annotations

import pytest

from sqe.policy.cedar.lint import lint_cedar
from sqe.policy.cedar.policies import read_policies

PERMIT = 'permit(principal in SQE::Group::"g", action == SQE::Action::"select", resource {});'
IN_HR = 'in SQE::Schema::"lake.hr"'


def findings(permitted: str, forbid: str) -> int:
    text = PERMIT.format(permitted) + forbid
    return len(list(lint_cedar(read_policies({"a.cedar": text.encode()}))))


@pytest.mark.parametrize(
    "forbid",
    [
        "forbid(principal, action, resource);",
        'forbid(principal, action, resource in SQE::Catalog::"lake");',
        'forbid(principal in SQE::Group::"g", action == SQE::Action::"select",'
        ' resource in SQE::Schema::"lake.hr");',
        'forbid(principal, action in [SQE::Action::"select", SQE::Action::"insert"], resource);',
    ],
)
def test_a_forbid_of_all_of_it_is_found(forbid: str) -> None:
    assert findings(IN_HR, forbid) == 1


@pytest.mark.parametrize(
    "forbid",
    [
        'forbid(principal, action, resource) when { principal.name == "x" };',
        "forbid(principal, action, resource is SQE::Property);",
        'forbid(principal, action == SQE::Action::"insert", resource);',
        'forbid(principal, action in [SQE::Action::"insert", SQE::Action::"update"], resource);',
        'forbid(principal in SQE::Group::"h", action, resource);',
        'forbid(principal, action, resource in SQE::Schema::"lake.h");',
        'forbid(principal, action, resource == SQE::Schema::"lake.hr");',
        'forbid(principal, action, resource in SQE::Table::"lake.hr.emp");',
    ],
)
def test_a_forbid_of_a_part_of_it_is_not(forbid: str) -> None:
    assert findings(IN_HR, forbid) == 0


def test_the_kind_of_a_thing_makes_a_permit_smaller() -> None:
    forbid = 'forbid(principal, action, resource in SQE::Catalog::"lake");'
    assert findings(f"is SQE::Table {IN_HR}", forbid) == 1
    assert findings('is SQE::Table in SQE::Schema::"sea.hr"', forbid) == 0


def test_what_is_in_one_user_is_all_that_the_user_is() -> None:
    text = 'permit(principal == SQE::User::"a", action, resource);'
    text += 'forbid(principal in SQE::User::"a", action, resource);'
    assert len(list(lint_cedar(read_policies({"a.cedar": text.encode()})))) == 1
