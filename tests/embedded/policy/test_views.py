"""Views: whose rights count inside of them, and rules about the views themselves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from sqe.catalog.protocol import Ident
from sqe.errors import AccessError, ErrorCode
from sqe.model.decision import Deny, Restrict, RowFilter
from sqe.model.identity import Identity
from sqe.model.masks import NullMask, PartialMask
from sqe.model.names import RelationName, SchemaName
from tests.embedded.pipe.lake import Lake
from tests.trino.asking import Client

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

NO = Deny("not for this one")
IT = Restrict("it", filters=(RowFilter("dept = 'it'"),))
OWN = Restrict("own", filters=(RowFilter("boss = current_user()"),))
SCHEMA = SchemaName("lake", ("views",))


@pytest.fixture(scope="module")
def views(shared_lake: Lake) -> Lake:
    """``ann`` made all of them; the table is hers to read."""
    shared_lake.all(
        "CREATE SCHEMA views",
        "CREATE TABLE views.emp AS SELECT * FROM VALUES (1, 'it', 'ann', 10), (2, 'hr', 'bob', 20),"
        " (3, 'it', 'bob', 30) AS v(id, dept, boss, pay)",
        "CREATE VIEW views.lent SECURITY DEFINER AS SELECT id, dept, boss FROM views.emp",
        "CREATE VIEW views.plain AS SELECT id, dept, boss FROM views.emp",
        "CREATE VIEW views.asked SECURITY INVOKER AS SELECT id FROM views.emp",
        "CREATE VIEW views.over_lent AS SELECT id FROM views.lent",
        "CREATE VIEW views.lent_over_plain SECURITY DEFINER AS SELECT id FROM views.plain",
        "CREATE VIEW views.lent_over_lent SECURITY DEFINER AS SELECT id FROM views.lent",
    )
    return shared_lake


@pytest.fixture(params=["spark", "auto"])
def bob(views: Lake, request: pytest.FixtureRequest) -> Iterator[Lake]:
    """Somebody else, who may not read the table."""
    own = views.another_session("bob", request.param)
    with views.rules.on("lake.views.emp", NO, user="bob"):
        yield own
    own.close()


def ids(lake: Lake, view: str) -> list[int]:
    return [row[0] for row in lake.rows(f"SELECT id FROM views.{view} ORDER BY id")]


def denied(lake: Lake, sql: str) -> AccessError:
    error = lake.fails(sql)
    assert isinstance(error, AccessError), error
    assert error.code is ErrorCode.ACCESS_DENIED
    return error


def test_a_definers_view_is_read_with_the_owners_rights(bob: Lake) -> None:
    assert ids(bob, "lent") == [1, 2, 3]
    denied(bob, "SELECT * FROM views.emp")
    denied(bob, "SELECT * FROM views.lent JOIN views.emp USING (id)")


def test_any_other_view_is_read_with_the_readers(bob: Lake) -> None:
    denied(bob, "SELECT * FROM views.plain")
    denied(bob, "SELECT * FROM views.asked")


def test_of_views_of_views_each_has_its_own_say(bob: Lake) -> None:
    assert ids(bob, "over_lent") == [1, 2, 3]
    assert ids(bob, "lent_over_lent") == [1, 2, 3]
    # The inner one was made to be read with the reader's rights, whoever puts what around it.
    denied(bob, "SELECT * FROM views.lent_over_plain")


def test_the_reader_needs_the_right_to_the_view_itself(bob: Lake) -> None:
    with bob.rules.on("lake.views.lent", NO, "select", "bob"):
        denied(bob, "SELECT * FROM views.lent")
        denied(bob, "SELECT * FROM views.over_lent")
        # Inside her view it is ann who reads it.
        assert ids(bob, "lent_over_lent") == [1, 2, 3]


def test_the_owners_rights_are_checked_at_each_read(bob: Lake) -> None:
    with bob.rules.on("lake.views.emp", NO, "select", "ann"):
        error = denied(bob, "SELECT * FROM views.lent")
    assert "emp" not in error.message  # what it is made of is not bob's to know
    with bob.rules.on("lake.views.emp", IT, "select", "ann"):
        assert ids(bob, "lent") == [1, 3]
    assert ids(bob, "lent") == [1, 2, 3]


def test_rules_for_the_current_user_mean_the_owner_inside(views: Lake) -> None:
    bob = views.another_session("bob")
    with views.rules.on("lake.views.emp", OWN, "select"):
        assert ids(bob, "lent") == [1]
        assert ids(bob, "plain") == [2, 3]
        both = "SELECT a.id, b.id FROM views.lent a, views.plain b ORDER BY 2"
        assert bob.rows(both) == [(1, 2), (1, 3)]
    bob.close()


def test_the_owner_has_no_groups_where_somebody_else_reads(views: Lake) -> None:
    """In a group or not, what counts is what was given to the name."""
    seen: list[Identity] = []
    decide = views.rules.decide

    def listening(identity: Identity, table: object) -> object:
        seen.append(identity)
        return decide(identity, table)  # type: ignore[arg-type]

    bob = views.another_session("bob")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(views.rules, "decide", listening)
        ids(bob, "lent_over_lent")
    assert Identity("ann") in seen
    assert {one.groups for one in seen} == {frozenset()}
    bob.close()


def test_nothing_of_the_reader_is_evaluated_on_rows_that_the_view_leaves_out(bob: Lake) -> None:
    bob.another_session("ann").all(
        "CREATE TABLE IF NOT EXISTS views.shown AS SELECT 'it' AS d",
        "CREATE OR REPLACE VIEW views.some SECURITY DEFINER AS"
        " SELECT id, dept, pay FROM views.emp JOIN views.shown ON dept = d",
    )
    odd = "CASE WHEN dept <> 'it' THEN raise_error(dept) ELSE dept END"
    sql = f"SELECT id FROM views.some WHERE {odd} = 'it' AND 1 / (pay - 20) < 9 ORDER BY id"
    assert bob.rows(sql) == [(1,), (3,)]


def test_nor_is_it_told_what_the_view_is_made_of(bob: Lake) -> None:
    plan = bob.explained("EXPLAIN SELECT count(*) FROM views.lent WHERE id > 1")
    assert "emp" not in plan
    assert "parquet" not in plan.lower()


def test_rules_of_a_view_itself_hold(views: Lake) -> None:
    limits = Restrict(
        "test",
        filters=(RowFilter("id > 1"),),
        masks={"dept": PartialMask(first=1), "boss": NullMask()},
    )
    hidden = Restrict("test", hidden=frozenset({"boss"}))
    for engine in ("spark", "auto"):
        bob = views.another_session("bob", engine)
        for view in ("lent", "plain"):
            with views.rules.on(f"lake.views.{view}", limits, "select", "bob"):
                sql = f"SELECT * FROM views.{view} ORDER BY id"
                assert bob.rows(sql) == [(2, "h*", None), (3, "i*", None)]
                # ann made the view, and no rule limits her.
                assert len(views.rows(sql)) == 3
            with views.rules.on(f"lake.views.{view}", hidden, "select", "bob"):
                assert bob.run(f"SELECT * FROM views.{view}").column_names == ["id", "dept"]
                error = bob.fails(f"SELECT boss FROM views.{view}")
                assert error.code is ErrorCode.COLUMN_NOT_FOUND
                described = bob.rows(f"DESCRIBE views.{view}")
                assert "boss" not in {row[0] for row in described}
        bob.close()


def test_rules_of_a_view_and_of_its_table_both_hold(views: Lake) -> None:
    later = Restrict("later", filters=(RowFilter("id > 1"),))
    bob = views.another_session("bob")
    with ExitStack() as stack:
        stack.enter_context(views.rules.on("lake.views.emp", IT, "select", "bob"))
        stack.enter_context(views.rules.on("lake.views.plain", later, "select", "bob"))
        stack.enter_context(views.rules.on("lake.views.lent", later, "select", "bob"))
        assert ids(bob, "plain") == [3]
        assert ids(bob, "lent") == [2, 3]
        assert ids(bob, "over_lent") == [2, 3]
    bob.close()


def test_what_another_engine_made_of_it_is_not_the_owners(views: Lake) -> None:
    """Whatever it says in the catalog: it is not the text that ann wrote."""
    views.run("CREATE VIEW views.taken SECURITY DEFINER AS SELECT id FROM views.emp")
    bob = views.another_session("bob")
    with views.rules.on("lake.views.emp", NO, user="bob"):
        assert ids(bob, "taken") == [1, 2, 3]
        catalog = views.server.catalogs.open("lake", Identity("eve"))
        ident = Ident(("views",), "taken")
        metadata = catalog.load_view(ident).metadata
        [version] = metadata["versions"]
        catalog.replace_view(
            ident,
            {
                "requirements": [{"type": "assert-view-uuid", "uuid": metadata["view-uuid"]}],
                "updates": [
                    {
                        "action": "add-view-version",
                        "view-version": {
                            **version,
                            "version-id": 2,
                            "representations": [
                                {
                                    "type": "sql",
                                    "dialect": "spark",
                                    "sql": "SELECT pay AS id FROM views.emp",
                                }
                            ],
                        },
                    },
                    {"action": "set-current-view-version", "view-version-id": -1},
                ],
            },
        )
        denied(bob, "SELECT * FROM views.taken")
        assert "SECURITY" not in views.value("SHOW CREATE VIEW views.taken")
    bob.close()


def test_the_word_in_the_catalog_alone_lends_nothing(views: Lake) -> None:
    views.run("CREATE VIEW views.claimed AS SELECT id FROM views.emp")
    catalog = views.server.catalogs.open("lake", Identity("eve"))
    ident = Ident(("views",), "claimed")
    uuid = catalog.load_view(ident).metadata["view-uuid"]
    catalog.replace_view(
        ident,
        {
            "requirements": [{"type": "assert-view-uuid", "uuid": uuid}],
            "updates": [{"action": "set-properties", "updates": {"sqe.security": "definer"}}],
        },
    )
    bob = views.another_session("bob")
    with views.rules.on("lake.views.emp", NO, user="bob"):
        denied(bob, "SELECT * FROM views.claimed")
    bob.close()


@pytest.mark.parametrize(
    ("by", "sql", "lent"),
    [
        ("ann", "ALTER VIEW views.changed AS SELECT id + 1 AS id FROM views.emp", True),
        ("bob", "ALTER VIEW views.changed AS SELECT pay AS id FROM views.emp", False),
        ("ann", "CREATE OR REPLACE VIEW views.changed AS SELECT id FROM views.emp", False),
        ("ann", "ALTER VIEW views.changed SET TBLPROPERTIES ('a' = 'b')", True),
    ],
)
def test_only_the_owner_keeps_it_lent(views: Lake, by: str, sql: str, lent: bool) -> None:
    views.run("CREATE OR REPLACE VIEW views.changed SECURITY DEFINER AS SELECT id FROM views.emp")
    other = views.another_session(by)
    other.run(sql)
    other.close()
    eve = views.another_session("eve")
    with views.rules.on("lake.views.emp", NO, user="eve"):
        if lent:
            assert len(ids(eve, "changed")) == 3
        else:
            denied(eve, "SELECT * FROM views.changed")
    shown = views.value("SHOW CREATE VIEW views.changed")
    assert ("SECURITY DEFINER" in shown) == lent
    eve.close()


def test_it_keeps_its_owner_under_another_name_and_loses_them_with_it(views: Lake) -> None:
    views.run("CREATE VIEW views.old SECURITY DEFINER AS SELECT id FROM views.emp")
    views.run("ALTER VIEW views.old RENAME TO views.new")
    eve = views.another_session("eve")
    with views.rules.on("lake.views.emp", NO, user="eve"):
        assert ids(eve, "new") == [1, 2, 3]
        views.run("DROP VIEW views.new")
        views.run("CREATE VIEW views.new AS SELECT id FROM views.emp")
        denied(eve, "SELECT * FROM views.new")
    found = views.server.catalogs.open("lake", Identity("ann"))
    uuid = found.load_view(Ident(("views",), "new")).metadata["view-uuid"]
    assert views.server.owners.of(RelationName(SCHEMA, "new"), uuid) is None
    eve.close()


def test_what_made_it_is_shown_with_the_clause(views: Lake) -> None:
    shown = views.value("SHOW CREATE VIEW views.lent")
    assert "\nSECURITY DEFINER\nAS\n" in shown
    assert "sqe.security" not in shown
    assert "SECURITY" not in views.value("SHOW CREATE VIEW views.plain")
    views.run(shown.replace("views.lent", "views.again"))
    assert views.value("SHOW CREATE VIEW views.again") == shown.replace("views.lent", "views.again")


def test_trinos_sql_lends_rights_only_where_the_word_stands(
    views: Lake, trino_address: str
) -> None:
    bob = views.another_session("bob")
    with (
        closing(Client(trino_address, "lake", "views")) as trino,
        views.rules.on("lake.views.emp", NO, user="bob"),
    ):
        for view, word in (
            ("t_lent", "SECURITY DEFINER"),
            ("t_asked", "SECURITY INVOKER"),
            ("t", ""),
        ):
            made = trino.ask(f"CREATE VIEW {view} {word} AS SELECT id FROM emp WHERE id > 1")
            assert not made.error, made.message
        assert ids(bob, "t_lent") == [2, 3]
        denied(bob, "SELECT * FROM views.t_asked")
        denied(bob, "SELECT * FROM views.t")
        # A comment is no other query.
        assert not trino.ask("COMMENT ON COLUMN t_lent.id IS 'a number'").error
        assert ids(bob, "t_lent") == [2, 3]
        for view, security in (("t_lent", "DEFINER"), ("t_asked", "INVOKER"), ("t", "INVOKER")):
            shown = shown_in_trino(trino, view)
            assert f" SECURITY {security} AS" in shown
            trino.ask(f"DROP VIEW {view}")
            assert not trino.ask(shown).error
            assert shown_in_trino(trino, view) == shown
        assert ids(bob, "t_lent") == [2, 3]
        denied(bob, "SELECT * FROM views.t")
    bob.close()


def shown_in_trino(trino: Client, view: str) -> str:
    ((text,),) = trino.ask(f"SHOW CREATE VIEW {view}").data
    return str(text)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TEMPORARY VIEW x SECURITY DEFINER AS SELECT 1",
        "CREATE VIEW views.x SECURITY AS SELECT 1",
        "CREATE VIEW views.x SECURITY DEFINER SECURITY INVOKER AS SELECT 1",
        "CREATE VIEW views.x TBLPROPERTIES ('sqe.security' = 'definer') AS SELECT 1",
    ],
)
def test_odd_declarations_are_refused(views: Lake, sql: str) -> None:
    assert views.fails(sql).code in (ErrorCode.SYNTAX_ERROR, ErrorCode.NOT_SUPPORTED)


def test_a_definers_view_cannot_be_made_of_what_its_maker_does_not_see(views: Lake) -> None:
    bob = views.another_session("bob")
    with views.rules.on("lake.views.emp", NO, user="bob"):
        denied(bob, "CREATE VIEW views.mine SECURITY DEFINER AS SELECT * FROM views.emp")
        # Nor does one over somebody else's view give more than that view does.
        bob.run("CREATE VIEW views.around SECURITY DEFINER AS SELECT * FROM views.lent")
        eve = views.another_session("eve")
        assert ids(eve, "around") == [1, 2, 3]
        with views.rules.on("lake.views.lent", NO, "select", "bob"):
            denied(eve, "SELECT * FROM views.around")
        eve.close()
    bob.close()
