"""Addresses of tables: read, shown without a password, refused without quoting one."""

import sqlite3

import pytest

from understudy._core.addresses import hide_secrets
from understudy._core.errors import TableError
from understudy.cli._main import run
from understudy.databases import is_server, server_address, shown_source, table_in_file
from understudy.tables import open_source

pytestmark = pytest.mark.one_in(3)

SECRET = "Tr0ub4dor"
SLIGHTLY_OFF = [
    f"host=db port=5432 user=ann password={SECRET} dbname=health",
    f"host = db password = 'my {SECRET}'",
    f"user=ann dbname=health passwd={SECRET}",
    f"password={SECRET}",
    f"postgresql:ann:{SECRET}@db:5432/health?table=visits",
    f"jdbc:postgresql://db/health?user=ann&password={SECRET}",
    f"ann:{SECRET}@db:5432/health?table=visits",
    f"ann:my {SECRET}@db/health",
    f"ann:x:{SECRET}@db/health",
]


@pytest.mark.parametrize(
    ("text", "told", "table"),
    [
        ("postgresql://ann@db/health?table=visits", "database 'health' at db", "visits"),
        ("postgres://db:5433/health?table=clinic.visits", "database 'health' at db:5433", "clinic.visits"),
        ("postgresql://a:b@h1:1,h2:2/health?table=v", "database 'health' at h1:1,h2:2", "v"),
        ("postgresql://[::1]:5432/health?table=v", "database 'health' at [::1]:5432", "v"),
        ("postgresql:///health?host=/run/pg&table=v", "database 'health' at /run/pg", "v"),
        ("postgresql://db/my%20health", "database 'my health' at db", None),
        ("postgresql:/ann@db/health?table=visits", "database 'health' at db", "visits"),  # as a path has it
    ],
)
def test_an_address_is_read(text, told, table):
    address = server_address(text)
    assert (address.told, address.table) == (told, table)
    assert "table" not in address.uri


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://ann:{SECRET}@db/health?table=visits",
        f"postgresql://db/health?table=visits&user=ann&password={SECRET}",
        f"postgres://ann:{SECRET}@h1,h2:3/health?sslpassword={SECRET}&table=v",
    ],
)
def test_nothing_that_is_shown_has_the_password(text):
    address = server_address(text)
    assert SECRET in address.uri
    for shown in (repr(address), str(address), address.told, address.shown, shown_source(text)):
        assert SECRET not in shown
    assert server_address(address.shown).table == address.table


@pytest.mark.parametrize("password", ["p@" + SECRET, SECRET + "/x", SECRET + "%zz", SECRET + "?x", SECRET + "/@:"])
def test_a_password_that_breaks_the_address_is_refused_and_not_quoted(password):
    with pytest.raises(TableError, match="percent-encoded") as refused:
        server_address(f"postgresql://ann:{password}@db/health?table=visits")
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://ann:{SECRET}#db:5432/health?table=visits",
        f"postgresql://ann:{SECRET}/health?table=visits",
        f"postgresql://ann:99999{SECRET}db/health?table=visits",
        "postgresql://ann:9988776655/health?table=visits",
        f"postgresql:///?dbname=host%3Ddb%20password%3D{SECRET}&table=visits",
        f"postgresql:///host%3Ddb%20password%3D{SECRET}?table=visits",
        f"postgresql:///health?host=ann:{SECRET}@db&table=visits",
    ],
)
def test_an_address_of_a_server_that_cannot_be_read_is_not_quoted(text):
    with pytest.raises(TableError, match=r"cannot be read.*Write it as postgresql://user@host") as refused:
        server_address(text)
    assert SECRET not in str(refused.value)
    assert "9988776655" not in str(refused.value)


@pytest.mark.parametrize("text", SLIGHTLY_OFF)
def test_what_looks_like_an_address_is_refused_without_quoting_it(text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TableError, match="Write it as postgresql://user@host") as refused:
        open_source(text)
    assert SECRET not in str(refused.value)
    assert SECRET not in shown_source(text)
    for command in (["schema", "draft", text], ["evaluate", text, "release"], ["evaluate", "a.csv", text],
                    ["publish", text, "--schema", "s.yaml", "--epsilon", "1"]):  # fmt: skip
        assert run(command) == 2
    told = capsys.readouterr()
    assert SECRET not in told.out + told.err


@pytest.mark.parametrize("text", ["visits/user=3/day=4.csv", "token=3.csv", "a:b@c.csv", "host=a user=b.csv"])
def test_a_file_that_is_there_is_read_whatever_it_is_called(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = tmp_path / text
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("a\n1\n")
    assert open_source(text).names == ("a",)


@pytest.mark.parametrize("text", [*SLIGHTLY_OFF, f"postgresql://ann:{SECRET}@db/health", f"s3://ann:{SECRET}@x/y"])
def test_an_address_is_no_place_to_write_to(text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("sex\nf\nm\n")
    (tmp_path / "s.yaml").write_text("fields: [{name: sex, categories: [f, m]}]\n")
    publish = ["publish", "people.csv", "--schema", "s.yaml", "--epsilon", "1", "--cap", "3"]
    for command in (
        [*publish, "--ledger", "budget.db", "--out", text],
        [*publish, "--ledger", text, "--out", "release"],
        ["schema", "draft", "people.csv", "--out", text],
        ["answer", "people.csv", "--schema", "s.yaml", "--queries", text, "--epsilon", "1", "--out", text],
        ["evaluate", "people.csv", "people.csv", "--json", f"{text}.json"],
        ["ledger", "show", text],
    ):
        assert run(command) == 2, command
    told = capsys.readouterr()
    assert SECRET not in told.out + told.err
    assert {path.name for path in tmp_path.iterdir()} == {"people.csv", "s.yaml"}


@pytest.mark.parametrize(
    "text",
    [
        "there is no file visits@home.csv.",
        "Tried db.example at port 7077 (Connection refused)",
        "the Spark master spark://db.example:7077,other:7077 cannot be reached",
        "Write it as postgresql://user@host:5432/database?table=visits",
        "k8s://https://db.example:6443 and https://example.org/a@b",
        "rows 3:4 of C:/visits@home.csv, and sex=Female, age=30..40",
    ],
)
def test_what_has_no_secret_is_shown_as_it_is(text):
    assert hide_secrets(text) == text


def test_an_address_names_one_table_at_most():
    with pytest.raises(TableError, match="more than one table"):
        server_address("postgresql://db/health?table=a&table=b")


def test_only_addresses_of_servers_are_taken_for_one():
    assert is_server("POSTGRESQL://db/x")
    for other in ("visits.csv", "mysql://db/x", "postgresql", None, 3):
        assert not is_server(other)


@pytest.mark.parametrize("address", [f"mysql://ann:{SECRET}@db/x", f"s3://{SECRET}@bucket/visits.parquet"])
def test_other_addresses_are_refused_by_their_kind_alone(address):
    with pytest.raises(TableError, match=f"not read from {address.partition(':')[0]} addresses") as refused:
        open_source(address)
    assert SECRET not in str(refused.value)
    assert "secret" not in hide_secrets("no file mysql://ann:secret@db/x, and see https://example.org/a@b")


def test_a_file_is_a_database_by_its_bytes_and_not_by_its_name(tmp_path):
    odd = tmp_path / "visits.csv"
    with sqlite3.connect(odd) as made:
        made.execute("CREATE TABLE a AS SELECT 1 AS x")
    made.close()
    assert open_source(odd).kind == open_source(f"{odd}?table=a").kind == "sqlite"
    plain = tmp_path / "plain.db"
    plain.write_text("a,b\n1,2\n")
    assert open_source(plain).kind == "csv"
    with pytest.raises(TableError, match="no database"):
        open_source(f"{plain}?table=a")
    with pytest.raises(TableError, match="there is no file"):
        open_source(f"{tmp_path}/none.db?table=a")


def test_a_file_whose_name_has_a_question_mark_is_that_file(tmp_path):
    (tmp_path / "what?table=x").write_text("a\n1\n")
    assert table_in_file(tmp_path / "what?table=x") is None
    assert open_source(tmp_path / "what?table=x").kind == "csv"
