"""Addresses of tables: read, shown without a password, refused without quoting one."""

import sqlite3

import pytest

from understudy._core.errors import TableError
from understudy.databases import hide_passwords, is_server, server_address, shown_source, table_in_file
from understudy.tables import open_source

SECRET = "Tr0ub4dor"


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
    assert "secret" not in hide_passwords("no file mysql://ann:secret@db/x, and see https://example.org/a@b")


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
