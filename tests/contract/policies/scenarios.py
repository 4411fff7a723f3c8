"""What every source of policies must be able to say, in nobody's own language.

A rule gives or denies privileges on an object to somebody; a ``*`` in an object's name is every
name there. A scenario is some rules, and what is asked and answered under them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqe.model.decision import ColumnFacts, TableFacts
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import PUBLIC, SYSTEM, Object, ObjectKind, Privilege, Subject, SubjectKind

P = Privilege
COLUMNS = (
    ColumnFacts("id", "bigint", 1),
    ColumnFacts("dept", "string", 2),
    ColumnFacts("ssn", "string", 3),
)


@dataclass(frozen=True)
class Rule:
    to: Subject
    privileges: tuple[Privilege, ...]
    on: Object
    rows: str = ""  # only those; the same text in Spark's SQL and in Trino's
    masks: Mapping[str, str] = field(default_factory=dict)  # an expression, by column
    hidden: tuple[str, ...] = ()
    deny: bool = False


@dataclass(frozen=True)
class Seen:
    """Allowed with restrictions."""

    rows: tuple[str, ...] = ()
    masks: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Ask:
    """``view``: the name is a view's."""

    who: Identity
    privilege: Privilege
    on: Object
    answer: bool | Seen
    view: bool = False


@dataclass(frozen=True)
class Scenario:
    name: str
    rules: tuple[Rule, ...]
    asks: tuple[Ask, ...] = ()
    shown: tuple[tuple[Identity, Object, bool], ...] = ()  # in lists


def table(*parts: str) -> Object:
    return Object(ObjectKind.TABLE, parts)


def schema(*parts: str) -> Object:
    return Object(ObjectKind.SCHEMA, parts)


def facts(on: Object, privilege: Privilege, view: bool = False) -> TableFacts:
    catalog, *path, name = on.parts
    relation = RelationName(SchemaName(catalog, tuple(path)), name)
    return TableFacts(relation, privilege, COLUMNS, uuid="" if view else "uuid-1", view=view)


def to_user(name: str) -> Subject:
    return Subject(SubjectKind.USER, name)


ANN = Identity("ann", groups=frozenset({"hr", "staff"}), roles=frozenset({"clerk"}))
BOB = Identity("bob", groups=frozenset({"it"}), roles=frozenset({"chief"}))
EMP, PAY = table("lake", "hr", "emp"), table("lake", "hr", "pay")
HR, LAKE = schema("lake", "hr"), Object.catalog("lake")
IN_HR = table("lake", "hr", "*")
READ = (P.SELECT,)
REWRITE = Object(ObjectKind.PROCEDURE, ("lake", "system", "rewrite_data_files"))
EXPIRE = Object(ObjectKind.PROCEDURE, ("lake", "system", "expire_snapshots"))


def to_ann_alone(*rules: Rule) -> tuple[tuple[Rule, ...], tuple[Ask, ...]]:
    asks = (Ask(ANN, P.SELECT, EMP, True), Ask(BOB, P.SELECT, EMP, False))
    return rules, (*asks, Ask(ANN, P.SELECT, PAY, False), Ask(ANN, P.INSERT, EMP, False))


def a_privilege(privilege: Privilege) -> Scenario:
    """Held by whom it is given, and by nobody else."""
    return Scenario(
        f"{privilege.value} on a table",
        (Rule(to_user("ann"), (privilege,), EMP),),
        (
            Ask(ANN, privilege, EMP, True),
            Ask(BOB, privilege, EMP, False),
            Ask(ANN, privilege, PAY, False),
            Ask(ANN, P.SELECT, EMP, False),
        ),
    )


def restricted(name: str, rule: Rule, seen: Seen) -> Scenario:
    asks = (Ask(ANN, P.SELECT, EMP, seen), Ask(BOB, P.SELECT, EMP, False))
    return Scenario(name, (rule,), (*asks, Ask(ANN, P.SELECT, EMP, seen, view=True)))


def for_everybody(name: str, rule: Rule, seen: Seen) -> Scenario:
    return Scenario(name, (rule,), tuple(Ask(who, P.SELECT, EMP, seen) for who in (ANN, BOB)))


DEPT, MASK, NULL = "dept = 'it'", {"ssn": "'x'"}, {"ssn": "NULL"}
SCENARIOS = (
    Scenario(
        "nothing is given",
        (),
        (
            *(Ask(ANN, one, EMP, False) for one in (P.SELECT, P.INSERT, P.UPDATE, P.DELETE)),
            *(Ask(ANN, one, EMP, False) for one in (P.CREATE, P.DROP, P.ALTER, P.SHOW)),
            Ask(ANN, P.CREATE, HR, False),
            Ask(ANN, P.EXECUTE, REWRITE, False),
            Ask(ANN, P.IMPERSONATE, Object.user("bob"), False),
        ),
        tuple((ANN, one, False) for one in (EMP, HR, LAKE)),
    ),
    Scenario("to a user", *to_ann_alone(Rule(to_user("ann"), READ, EMP))),
    Scenario("to a group", *to_ann_alone(Rule(Subject(SubjectKind.GROUP, "hr"), READ, EMP))),
    Scenario("to a role", *to_ann_alone(Rule(Subject(SubjectKind.ROLE, "clerk"), READ, EMP))),
    Scenario(
        "to everybody",
        (Rule(PUBLIC, READ, EMP),),
        (Ask(ANN, P.SELECT, EMP, True), Ask(BOB, P.SELECT, EMP, True)),
    ),
    Scenario(
        "a name is no pattern",
        (Rule(to_user("a.n|.*"), READ, EMP),),
        (Ask(ANN, P.SELECT, EMP, False), Ask(Identity("a.n|.*"), P.SELECT, EMP, True)),
    ),
    Scenario(
        "all tables of a schema",
        (Rule(to_user("ann"), READ, IN_HR),),
        (
            Ask(ANN, P.SELECT, EMP, True),
            Ask(ANN, P.SELECT, PAY, True),
            Ask(ANN, P.SELECT, table("lake", "hr2", "emp"), False),
            Ask(ANN, P.SELECT, table("pond", "hr", "emp"), False),
        ),
    ),
    Scenario(
        "all tables of a catalog",
        (Rule(to_user("ann"), READ, table("lake", "*", "*")),),
        (
            Ask(ANN, P.SELECT, table("lake", "hr2", "emp"), True),
            Ask(ANN, P.SELECT, table("pond", "hr", "emp"), False),
        ),
    ),
    Scenario(
        "a schema of two levels",
        (Rule(to_user("ann"), READ, table("lake", "hr", "old", "emp")),),
        (
            Ask(ANN, P.SELECT, table("lake", "hr", "old", "emp"), True),
            Ask(ANN, P.SELECT, EMP, False),
            Ask(ANN, P.SELECT, table("lake", "old", "emp"), False),
        ),
    ),
    Scenario(
        "names whatever their case",
        (
            Rule(to_user("ann"), READ, PAY, deny=True),
            Rule(to_user("ann"), READ, IN_HR),
        ),
        (
            Ask(ANN, P.SELECT, table("lake", "HR", "Emp"), True),
            Ask(ANN, P.SELECT, table("lake", "hr", "PAY"), False),
        ),
    ),
    *(a_privilege(one) for one in (P.INSERT, P.UPDATE, P.DELETE, P.CREATE, P.DROP, P.ALTER)),
    for_everybody("some rows for everybody", Rule(PUBLIC, READ, EMP, rows=DEPT), Seen((DEPT,))),
    for_everybody("NULL for everybody", Rule(PUBLIC, READ, EMP, masks=NULL), Seen(masks=NULL)),
    restricted("some rows", Rule(to_user("ann"), READ, EMP, rows=DEPT), Seen(rows=(DEPT,))),
    restricted("a mask", Rule(to_user("ann"), READ, EMP, masks=MASK), Seen(masks=MASK)),
    restricted(
        "a column as NULL",
        Rule(to_user("ann"), READ, EMP, masks=NULL),
        Seen(masks=NULL),
    ),
    restricted(
        "a hidden column",
        Rule(to_user("ann"), READ, EMP, hidden=("ssn",)),
        Seen(hidden=frozenset({"ssn"})),
    ),
    restricted(
        "rows, a mask and a hidden column",
        Rule(to_user("ann"), READ, EMP, rows=DEPT, masks=MASK, hidden=("id",)),
        Seen((DEPT,), MASK, frozenset({"id"})),
    ),
    Scenario(
        "a column's mask is no other column's",
        (Rule(to_user("ann"), READ, IN_HR, masks={"salary": "0"}, hidden=("bonus",)),),
        (Ask(ANN, P.SELECT, EMP, True),),
    ),
    Scenario(
        "a denial wins",
        (
            Rule(to_user("ann"), READ, EMP, deny=True),
            Rule(Subject(SubjectKind.GROUP, "hr"), READ, IN_HR),
        ),
        (Ask(ANN, P.SELECT, EMP, False), Ask(ANN, P.SELECT, PAY, True)),
    ),
    Scenario(
        "a denial of a whole schema wins",
        (
            Rule(Subject(SubjectKind.GROUP, "hr"), READ, IN_HR, deny=True),
            Rule(to_user("ann"), READ, EMP),
        ),
        (Ask(ANN, P.SELECT, EMP, False),),
    ),
    Scenario(
        "what is shown in lists",
        (Rule(to_user("ann"), READ, EMP),),
        (Ask(ANN, P.SHOW, EMP, True), Ask(BOB, P.SHOW, EMP, False), Ask(ANN, P.SHOW, PAY, False)),
        (
            (ANN, EMP, True),
            (ANN, PAY, False),
            (ANN, HR, True),
            (ANN, schema("lake", "it"), False),
            (ANN, LAKE, True),
            (ANN, Object.catalog("pond"), False),
            (BOB, EMP, False),
            (BOB, HR, False),
            (BOB, LAKE, False),
        ),
    ),
    Scenario(
        "a schema is made and dropped",
        (Rule(to_user("ann"), (P.CREATE, P.DROP), HR),),
        (
            Ask(ANN, P.CREATE, HR, True),
            Ask(ANN, P.DROP, HR, True),
            Ask(BOB, P.CREATE, HR, False),
            Ask(ANN, P.CREATE, schema("lake", "it"), False),
        ),
    ),
    Scenario(
        "a procedure",
        (Rule(to_user("ann"), (P.EXECUTE,), REWRITE),),
        (
            Ask(ANN, P.EXECUTE, REWRITE, True),
            Ask(ANN, P.EXECUTE, EXPIRE, False),
            Ask(BOB, P.EXECUTE, REWRITE, False),
        ),
    ),
    Scenario(
        "as somebody else",
        (Rule(to_user("bob"), (P.IMPERSONATE,), Object.user("ann")),),
        (
            Ask(BOB, P.IMPERSONATE, Object.user("ann"), True),
            Ask(BOB, P.IMPERSONATE, Object.user("carol"), False),
            Ask(ANN, P.IMPERSONATE, Object.user("bob"), False),
        ),
    ),
    Scenario(
        "queries of others",
        (Rule(to_user("bob"), (P.VIEW_QUERY, P.KILL_QUERY), Object.user("ann")),),
        (
            Ask(BOB, P.VIEW_QUERY, Object.user("ann"), True),
            Ask(BOB, P.KILL_QUERY, Object.user("ann"), True),
            Ask(BOB, P.KILL_QUERY, Object.user("carol"), False),
            Ask(ANN, P.VIEW_QUERY, Object.user("bob"), False),
            Ask(ANN, P.KILL_QUERY, Object.user("ann"), True),
        ),
    ),
    Scenario(
        "a session property",
        (
            Rule(to_user("ann"), (P.SET,), Object(ObjectKind.PROPERTY, ("x",)), deny=True),
            Rule(PUBLIC, (P.SET,), Object(ObjectKind.PROPERTY, ("*",))),
        ),
        (
            Ask(ANN, P.SET, Object(ObjectKind.PROPERTY, ("x",)), False),
            Ask(ANN, P.SET, Object(ObjectKind.PROPERTY, ("y",)), True),
            Ask(BOB, P.SET, Object(ObjectKind.PROPERTY, ("x",)), True),
        ),
    ),
    Scenario(
        "no query at all",
        (
            Rule(to_user("ann"), (P.EXECUTE,), SYSTEM, deny=True),
            Rule(PUBLIC, (P.EXECUTE,), SYSTEM),
        ),
        (Ask(ANN, P.EXECUTE, SYSTEM, False), Ask(BOB, P.EXECUTE, SYSTEM, True)),
    ),
)
BY_NAME = {one.name: one for one in SCENARIOS}
