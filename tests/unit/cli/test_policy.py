"""``sqe policy``: what administrators are told, and what a pipeline of theirs hears."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

from sqe.cli.main import cli
from sqe.model.grants import Grant, Role
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Object, Privilege, Subject, SubjectKind
from sqe.store.database import Database
from sqe.store.grants import GrantStore
from tests.unit.engines.local.compile.lakehouse import open_lakehouse

EMP = Object.table(RelationName(SchemaName("lake", ("db",)), "emp"))
READS = """
@id("staff")
@row_filter("dept = 'it'")
@mask_ssn("constant('***')")
permit(principal in SQE::Group::"staff", action == SQE::Action::"select",
       resource == SQE::Table::"lake.db.emp");
permit(principal, action, resource) when { resource is SQE::System || resource is SQE::Function
       || resource is SQE::Property };
"""


NOWHERE = "sc://127.0.0.1:9"  # a query that needs Spark fails


class Home:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.rules = path / "rules"
        self.rules.mkdir(parents=True)
        self.cedar(READS)

    def cedar(self, text: str) -> None:
        (self.rules / "rules.cedar").write_text(text)

    def run(self, *arguments: str, policy: str = 'cedar = {policies = "rules"}') -> Result:
        config = self.path / "sqe.toml"
        config.write_text(f'spark.remote = "{NOWHERE}"\n[policy]\n{policy}\n')
        options = ["--home", str(self.path), "--config", str(config)]
        return CliRunner().invoke(cli, [*options, "policy", *arguments])

    def json(self, *arguments: str, **given: str) -> Any:
        answer = self.run(*arguments, "--json", **given)
        return json.loads(answer.stdout)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """``lake.db.emp``, of four people."""
    path = tmp_path_factory.mktemp("policy home")
    lakehouse = open_lakehouse(path)
    data = {
        "id": pa.array([1, 2, 3, 4], pa.int32()),
        "dept": ["hr", "it", "it", "hr"],
        "ssn": ["111", "222", "333", "444"],
    }
    lakehouse.create("emp", pa.table(data))
    lakehouse.close()
    yield path


@pytest.fixture
def home(lake: Path) -> Iterator[Home]:
    made = Home(lake)
    yield made
    for path in (*made.rules.iterdir(), lake / "sqe.db"):
        path.unlink(missing_ok=True)
    made.rules.rmdir()


ASKED = ("explain", "--user", "ann", "--table", "lake.db.emp")


def test_each_source_is_explained_in_words(home: Home) -> None:
    answer = home.run(*ASKED, "--group", "staff")
    assert answer.exit_code == 0
    first, *others = answer.stdout.splitlines()
    assert first == (
        "select on lake.db.emp: restricted: rows where (dept = 'it'); ssn as constant('***')"
    )
    assert [line.split()[0] for line in others] == ["cedar", "catalog"]
    assert "rules.cedar, policy staff" in others[0]


def test_an_explanation_for_programs(home: Home) -> None:
    found = home.json(*ASKED, "--group", "staff")
    assert found["decision"] == "restricted" and found["known"] is True
    assert found["masks"] == {"ssn": "constant('***')"}
    assert found["rows"] == [{"sql": "dept = 'it'", "dialect": "spark", "check": False}]
    assert [one["source"] for one in found["sources"]] == ["cedar", "catalog"]
    denied = home.json(*ASKED, "--group", "staff", "--privilege", "insert")
    assert denied["decision"] == "denied"


def test_claims_and_names_without_a_catalog(home: Home) -> None:
    home.cedar(
        'permit(principal, action, resource) when { principal.hasTag("dept") &&'
        ' principal.getTag("dept") == "a=b" };'
    )
    asked = ("explain", "--user", "ann", "--table", "db.emp", "--claim", "dept=a=b")
    found = home.json(*asked)
    assert (found["decision"], found["table"]) == ("allowed", "lake.db.emp")
    assert home.json(*asked[:-2])["decision"] == "denied"


def test_a_table_that_is_not_there_is_explained_by_its_name(home: Home) -> None:
    found = home.json("explain", "--user", "ann", "--table", "lake.`odd name`.t")
    assert (found["table"], found["known"]) == ("lake.`odd name`.t", False)


def test_without_sources_everything_is_allowed(home: Home) -> None:
    assert home.json(*ASKED, policy="")["reason"] == "no policy source is configured"


@pytest.mark.parametrize(
    "wrong",
    [
        ("explain", "--user", "ann"),
        ("explain", "--user", "ann", "--table", "a..`b"),
        ("explain", "--user", "ann", "--table", "t", "--claim", "dept"),
        ("explain", "--user", "ann", "--table", "t", "--privilege", "fly"),
        ("test",),
        ("diff", "nowhere", "either"),
    ],
)
def test_what_is_not_clear_is_refused(home: Home, wrong: tuple[str, ...]) -> None:
    assert home.run(*wrong).exit_code == 2


def test_rules_that_are_broken_are_said(home: Home) -> None:
    home.cedar("permit(")
    answer = home.run(*ASKED)
    assert answer.exit_code == 1 and "rules.cedar" in answer.stderr


CASES = """
cases:
  - name: staff see their department
    user: ann
    groups: [staff]
    query: SELECT id, ssn FROM lake.db.emp ORDER BY id
    expect: {rows: [[2, "***"], [3, "***"]], columns: [id, ssn], count: 2}
  - name: nobody else sees anything
    user: zoe
    query: SELECT * FROM lake.db.emp
    expect: denied
"""


def test_cases_that_are_as_expected(home: Home) -> None:
    cases = home.rules / "cases.yaml"
    cases.write_text(CASES)
    answer = home.run("test", str(cases))
    assert answer.exit_code == 0, answer.output
    assert answer.stdout.splitlines() == [
        "ok    staff see their department (ann)",
        "ok    nobody else sees anything (zoe)",
    ]


def test_cases_that_are_not_are_shown_with_what_is_seen(home: Home) -> None:
    home.cedar(
        READS.replace("'it'", "'hr'") + 'permit(principal == SQE::User::"zoe", action, resource);'
    )
    cases = home.rules / "cases.yaml"
    cases.write_text(CASES)
    answer = home.run("test", str(cases))
    assert answer.exit_code == 1
    assert "2 of 2 cases failed." in answer.stderr
    lines = [line.strip() for line in answer.stdout.splitlines()]
    assert "- 2, '***'" in lines and "+ 1, '***'" in lines
    assert "not denied: 4 rows of id, dept, ssn" in lines
    problems = [one["problem"] for one in home.json("test", str(cases))]
    assert all(problems)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "cases: []",
        "cases: [{user: ann}]",
        "cases: [{user: ann, query: SELECT 1, expect: allowed}]",
        "cases: [{user: ann, query: SELECT 1, expect: {row: [[1]]}}]",
        "cases: [{user: ann, query: SELECT 1, expect: {denied: true, count: 1}}]",
        "cases: [{user: ann, query: SELECT 1, expect: {rows: [1]}}]",
        "cases: [{user: ann, query: SELECT 1, expect: denied, group: staff}]",
        "cases: [{user: ann, query: SELECT 1, expect: denied, groups: staff}]",
    ],
)
def test_cases_that_are_not_clear_are_refused(home: Home, text: str) -> None:
    cases = home.rules / "cases.yaml"
    cases.write_text(text)
    answer = home.run("test", str(cases))
    assert answer.exit_code == 1 and "cases.yaml" in answer.stderr


def rules_json(path: Path, *tables: dict[str, Any]) -> str:
    path.write_text(json.dumps({"tables": list(tables)}))
    return str(path)


READER = {"user": "ann|bob", "catalog": "lake", "schema": "db", "privileges": ["SELECT"]}


def test_what_a_change_of_rules_changes(home: Home, tmp_path: Path) -> None:
    old = rules_json(tmp_path / "old.json", {**READER, "table": "emp"})
    new = rules_json(
        tmp_path / "new.json",
        {**READER, "user": "ann", "table": "emp", "privileges": ["SELECT", "INSERT"]},
        {**READER, "table": "emp", "filter": "dept = 'it'", "user": "zoe"},
    )
    lines = home.run("diff", old, new).stdout.splitlines()
    seen = "restricted: rows where (dept = 'it') with check"
    assert lines == [
        "user ann gains insert on table lake.db.emp",
        "user bob loses select on table lake.db.emp",
        f"user zoe gains select on table lake.db.emp: {seen}",
    ]
    changed = rules_json(
        tmp_path / "changed.json",
        {**READER, "table": "emp", "columns": [{"name": "ssn", "mask": "'x'"}]},
    )
    found = home.json("diff", old, changed)
    assert {one["change"] for one in found} == {"changes"}
    assert found[0]["after"]["masks"] == {"ssn": "expression('x')"}


def test_rules_that_are_the_same_have_no_difference(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "same"
    folder.mkdir()
    (folder / "a.cedar").write_text(READS)
    answer = home.run("diff", str(home.rules), str(folder))
    assert answer.stdout == "" and "No difference" in answer.stderr


def test_cedar_and_a_file_can_be_compared(home: Home, tmp_path: Path) -> None:
    reads = {**READER, "user": ".*", "group": "staff", "table": "emp"}
    other = rules_json(tmp_path / "rules.json", reads)
    lines = home.run("diff", str(home.rules), other).stdout.splitlines()
    seen = "restricted: rows where (dept = 'it'); ssn as constant('***')"
    assert f"group staff changes select on table lake.db.emp: {seen} -> allowed" in lines


def grant(home: Home, *rules: Grant | Role) -> None:
    database = Database(home.path)
    with GrantStore(database).change() as change:
        for rule in rules:
            change.put(rule)
    database.close()


BOB = Subject(SubjectKind.USER, "bob")


def test_rules_made_with_sql_are_exported_and_compared(home: Home, tmp_path: Path) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(home.run("export", policy="sql = true").stdout)
    grant(home, Grant(BOB, Privilege.SELECT, EMP), Role("reader"))
    new.write_text(home.run("export", policy="sql = true").stdout)
    assert home.run("diff", str(old), str(new)).stdout.splitlines() == [
        "user bob gains select on table lake.db.emp"
    ]


def test_a_file_that_is_none_of_them_is_refused(home: Home, tmp_path: Path) -> None:
    for text in ("not json", '{"format": "other"}'):
        path = tmp_path / "rules.json"
        path.write_text(text)
        answer = home.run("diff", str(path), str(path))
        assert answer.exit_code == 1 and "rules.json" in answer.stderr


def kinds(found: list[dict[str, str]]) -> list[str]:
    return sorted(one["kind"] for one in found)


def test_rules_without_findings(home: Home) -> None:
    answer = home.run("lint")
    assert (answer.exit_code, answer.stdout) == (0, "")


def test_cedar_policies_that_do_nothing_or_cannot_work(home: Home) -> None:
    home.cedar(
        '@row_filter("dept = ") permit(principal, action, resource == SQE::Table::"lake.db.emp");'
        '@id("gone") permit(principal, action, resource == SQE::Table::"lake.db.gone");'
        '@id("x") permit(principal, action, resource in SQE::Schema::"lake.default");'
        'forbid(principal, action, resource in SQE::Schema::"lake.default");'
        '@mask_id("partial(0, 1)") @mask_dept("hash(nokey)") @hide("gone")'
        ' permit(principal in SQE::Group::"g", action, resource == SQE::Table::"lake.db.emp");'
    )
    answer = home.run("lint")
    assert answer.exit_code == 1
    assert "policy gone: there is no table lake.db.gone [absent]" in answer.stdout
    assert "policy x: permits nothing" in answer.stdout
    assert kinds(home.json("lint")) == ["absent", "column", "filter", "mask", "mask", "shadowed"]


def test_file_rules_that_are_never_reached(home: Home, tmp_path: Path) -> None:
    everything = {"privileges": ["SELECT"]}
    path = rules_json(tmp_path / "rules.json", READER, everything, READER, {"privileges": []})
    answer = home.run("lint", path)
    assert answer.exit_code == 1
    assert answer.stdout.splitlines() == [
        "tables, rule 3: never reached: rule 1 fits everything that it fits [shadowed]",
        "tables, rule 4: never reached: rule 2 fits everything that it fits [shadowed]",
    ]


def test_file_rules_about_tables_that_are_not_there(home: Home) -> None:
    rules = {**READER, "table": "emp|gone"}
    rules_json(home.rules / "rules.json", rules)
    found = home.json("lint", policy='file = {path = "rules/rules.json"}')
    assert [one["finding"] for one in found] == ["there is no table lake.db.gone"]


def test_grants_that_give_nothing(home: Home) -> None:
    gone = Object.table(RelationName(SchemaName("lake", ("db",)), "gone"))
    schema = Object.schema(SchemaName("lake", ("db",)))
    grant(
        home,
        Role("reader"),
        Grant(BOB, Privilege.SELECT, gone),
        Grant(BOB, Privilege.INSERT, EMP),
        Grant(BOB, Privilege.INSERT, schema, deny=True),
    )
    assert kinds(home.json("lint", policy="sql = true")) == ["absent", "shadowed", "unheld"]


def test_the_schema_is_cedars_own(home: Home) -> None:
    import cedarpy

    schema = home.run("cedar-schema").stdout
    assert cedarpy.validate_policies(READS, schema).validation_passed
    found = json.loads(home.run("cedar-schema", "--entities").stdout)
    assert {one["uid"]["id"] for one in found} == {"lake", "lake.db", "lake.db.emp"}
    cedarpy.Entities.from_json_str(json.dumps(found), schema)
