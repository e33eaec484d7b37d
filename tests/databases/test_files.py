"""Tables in files of DuckDB and SQLite, read like the same rows from anywhere else."""

import sqlite3
import subprocess
import sys

import pyarrow as pa
import pytest

import understudy as us
from understudy._core.errors import OptionError, TableError
from understudy._core.randomness import Streams
from understudy.cli._main import run
from understudy.counting import UnitRule, open_counter
from understudy.schema import Marginal, Schema
from understudy.tables import check_table, draft_schema, open_source, read_table

ROWS = pa.table({"sex": ["f", "m", None, "m"] * 50, "age": [31, 58, 0, None] * 50, "paid": [1.5, 0.25, None, 8.0] * 50})
SCHEMA = Schema.from_dict(
    {
        "name": "visits",
        "missingValues": [""],
        "fields": [
            {"name": "sex", "categories": ["f", "m"], "constraints": {"required": False}},
            {
                "name": "age",
                "type": "integer",
                "bins": 4,
                "constraints": {"minimum": 0, "maximum": 99, "required": False},
            },
            {
                "name": "paid",
                "type": "number",
                "bins": 4,
                "constraints": {"minimum": 0, "maximum": 9, "required": False},
            },
        ],
    }
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The same rows in a file of each kind, beside a view and another table."""
    folder = tmp_path_factory.mktemp("databases")
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(folder / "clinic.duckdb")) as made:
        made.register("rows", ROWS)
        made.execute("CREATE TABLE visits AS SELECT * FROM rows")
        made.execute(
            "CREATE VIEW seen AS SELECT * FROM visits; CREATE SCHEMA other; CREATE TABLE other.t AS SELECT 1 AS a"
        )
    with sqlite3.connect(folder / "clinic.db") as made:
        made.execute("CREATE TABLE visits (sex TEXT, age INTEGER, paid REAL)")
        made.executemany(
            "INSERT INTO visits VALUES (?, ?, ?)", zip(*(c.to_pylist() for c in ROWS.columns), strict=True)
        )
        made.execute("CREATE VIEW seen AS SELECT * FROM visits")
        made.execute('CREATE TABLE "odd ""one""" ("a ""b""" INTEGER)')
    made.close()
    return folder


both = pytest.mark.parametrize("name", ["clinic.duckdb", "clinic.db"])


@both
@pytest.mark.parametrize("table", ["visits", "VISITS", "seen"])
def test_rows_are_read_as_from_memory(files, name, table):
    read = read_table(f"{files / name}?table={table}", SCHEMA)
    for mine, other in zip(read.columns, read_table(ROWS, SCHEMA).columns, strict=True):
        assert mine.tolist() == other.tolist()
    assert open_source(f"{files / name}?table={table}").n_rows == 200


@both
def test_a_schema_is_drafted_and_checked(files, name):
    address = f"{files / name}?table=visits"
    drafted = draft_schema(address)
    assert (drafted.name, drafted.names) == ("visits", ("sex", "age", "paid"))
    assert check_table(address, SCHEMA).ok


@both
def test_a_rehearsal_gives_the_very_release(files, name, tmp_path):
    made = us.publish(f"{files / name}?table=visits", schema=SCHEMA, epsilon=1, seed=1, out=tmp_path / "a")
    same = us.publish(ROWS, schema=SCHEMA, epsilon=1, seed=1, out=tmp_path / "b")
    assert made.synthetic.read_bytes() == same.synthetic.read_bytes()


@both
def test_a_table_that_is_not_there_is_named_with_those_that_are(files, name, capsys):
    with pytest.raises(TableError, match=r"no table 'vists'\. Did you mean 'visits'"):
        open_source(f"{files / name}?table=vists")
    with pytest.raises(TableError, match=r"which table of clinic.*\?table="):
        open_source(files / name)
    assert run(["schema", "draft", f"{files / name}?table=vists"]) == 2
    assert "Did you mean 'visits'" in capsys.readouterr().err


def test_a_schema_of_duckdb_is_named_before_the_table(files):
    assert open_source(f"{files / 'clinic.duckdb'}?table=other.t").names == ("a",)


def test_names_that_sql_would_stumble_over_are_read(files):
    source = open_source(f'{files / "clinic.db"}?table=odd "one"')
    assert source.names == ('a "b"',)
    assert list(source.batches(source.names)) == []


@both
def test_a_file_that_is_cut_off_is_refused(files, name, tmp_path):
    cut = tmp_path / name
    cut.write_bytes((files / name).read_bytes()[:3000])
    with pytest.raises(TableError, match=r"damaged|cut off"):
        list(open_source(f"{cut}?table=visits").batches(["sex"]))


def test_the_program_ends_without_a_word_of_the_library(files, tmp_path):
    for table, code in (("visits", 0), ("vists", 2)):
        command = [sys.executable, "-m", "understudy", "schema", "draft", f"{files / 'clinic.duckdb'}?table={table}"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, "nanobind" in done.stderr) == (code, False)


def test_databases_are_no_parts_of_a_table_of_many_files(tmp_path):
    for name in ("a.db", "b.db"):
        with sqlite3.connect(tmp_path / name) as made:
            made.execute("CREATE TABLE only AS SELECT 1 AS a")
        made.close()
    with pytest.raises(TableError, match=r"a\.db is a database.*Name it by itself"):
        open_source(tmp_path)


def test_the_only_table_of_a_file_need_not_be_named(tmp_path):
    with sqlite3.connect(tmp_path / "one.sqlite") as made:
        made.execute("CREATE TABLE only AS SELECT 1 AS a")
    made.close()
    assert open_source(tmp_path / "one.sqlite").title == "only"


def test_cells_of_sqlite_are_read_each_as_its_own_type(tmp_path):
    with sqlite3.connect(tmp_path / "mixed.db") as made:
        made.execute("CREATE TABLE t (a)")
        made.executemany("INSERT INTO t VALUES (?)", [(1,), ("2",), (3.0,), (None,), (b"\xff",), ("\N{SNOWMAN}",)])
        made.execute("INSERT INTO t VALUES (CAST(x'ff' AS TEXT))")
    made.close()
    schema = Schema.from_dict({"fields": [{"name": "a", "type": "integer", "categories": [1, 2, 3]}]})
    report = check_table(tmp_path / "mixed.db", schema)
    assert {problem.trouble: problem.rows for problem in report.columns[0].problems} == {
        "wrong type": (5, 6, 7),
        "missing": (4,),
    }


def test_an_index_that_gives_columns_in_an_order_of_its_own_moves_no_row_to_another_unit(tmp_path):
    with sqlite3.connect(tmp_path / "clinic.db") as made:
        made.execute("CREATE TABLE visits (who INTEGER, a TEXT, b TEXT, c TEXT, d TEXT, e TEXT, f TEXT, g TEXT)")
        rows = [(i * 37 % 30, "xyz"[i % 3], "xyz"[i // 3 % 3], "xyz"[i * i % 3]) for i in range(90)]
        made.executemany("INSERT INTO visits (who, a, b, c) VALUES (?, ?, ?, ?)", rows)
        made.execute("CREATE INDEX sorted ON visits (a, b, c)")
    made.close()
    fields = [{"name": n, "categories": ["x", "y", "z"]} for n in "abc"]
    schema = Schema.from_dict({"fields": fields, "fieldsMatch": "subset"})
    found = []
    for engine in ("memory", "stream"):
        unit = UnitRule(column="who", max_rows=1, coins=Streams(1))
        counter = open_counter(tmp_path / "clinic.db", schema, engine=engine, unit=unit)
        found.append([counts.tolist() for counts in counter.count([Marginal.of(0, 1), Marginal.of(0, 1, 2)])])
    assert found[0] == found[1]
    source = open_source(tmp_path / "clinic.db")
    [[with_units], [alone]] = (list(source.batches(wanted)) for wanted in (["a", "who"], ["a"]))
    assert with_units[0].to_pylist() != alone[0].to_pylist()  # the trap is there


def test_nothing_is_written_to_a_file(files):
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    for name in ("clinic.duckdb", "clinic.db"):
        read_table(f"{files / name}?table=visits", SCHEMA)
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


@both
def test_engines_of_servers_are_refused_for_a_file(files, name, tmp_path):
    for options in ({"pull": True}, {"engine": "database"}):
        with pytest.raises(OptionError, match="server"):
            us.publish(f"{files / name}?table=visits", schema=SCHEMA, epsilon=1, out=tmp_path / "r", **options)
    assert not (tmp_path / "r").exists()
