"""Folders and patterns of files as one table; relations of DuckDB."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from understudy import TableError
from understudy.schema import Schema
from understudy.tables import open_source, read_table

SCHEMA = Schema.from_dict(
    {
        "fields": [
            {"name": "sex", "categories": ["F", "M"]},
            {"name": "age", "type": "integer", "bins": 4, "constraints": {"minimum": 0, "maximum": 99}},
        ]
    }
)
PARTS = [{"sex": ["F", "M"], "age": [1, 30]}, {"sex": ["M"], "age": [60]}, {"sex": ["F", "F"], "age": [99, 0]}]


def write(folder: Path, kind: str = "parquet") -> Path:
    (folder / "deep").mkdir(parents=True, exist_ok=True)
    for i, (place, cells) in enumerate(zip(("b", "a", "deep/c"), PARTS, strict=True)):
        path = folder / f"{place}.{kind}"
        if kind == "parquet":
            pq.write_table(pa.table(cells), path)
        else:
            mark = ",;"[i % 2]  # each file says by its header what stands between its cells
            rows = [mark.join(("sex", "age")), *(f"{s}{mark}{a}" for s, a in zip(*cells.values(), strict=True))]
            path.write_text("\n".join(rows) + "\n")
    (folder / "_SUCCESS").write_text("")
    (folder / ".b.parquet.crc").write_bytes(b"crc")
    return folder


def codes(source: Any) -> list[list[int]]:
    return [column.tolist() for column in read_table(source, SCHEMA).columns]


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_of_a_folder_or_a_pattern_are_one_table_in_the_order_of_their_names(tmp_path: Path, kind: str) -> None:
    folder = write(tmp_path / "visits", kind)
    assert codes(folder) == [[1, 0, 1, 0, 0], [2, 0, 1, 3, 0]]  # a, b, deep/c
    assert codes(f"{folder}/*.{kind}") == [[1, 0, 1], [2, 0, 1]]
    assert codes(f"{folder}/**/*.{kind}") == codes(folder)
    assert codes(folder / f"b.{kind}") == codes(f"{folder}/b*")
    opened = open_source(str(folder))
    assert (opened.kind, opened.names, opened.path) == (kind, ("sex", "age"), None)
    assert opened.n_rows == (5 if kind == "parquet" else None)
    assert opened.n_bytes == sum(path.stat().st_size for path in folder.rglob(f"[!.]*.{kind}"))
    for _ in range(2):  # as often as asked
        assert [len(columns[0]) for columns in opened.batches(["age"])] == [1, 2, 2]


def test_a_file_with_marks_in_its_name_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "t[1]*.csv").write_text("sex,age\nF,1\n")
    assert codes(tmp_path / "t[1]*.csv") == [[0], [0]]


def refusal(folder: Path, **changed: Any) -> str:
    pq.write_table(pa.table({"sex": ["F"], "age": [1]} | changed), folder / "z.parquet")
    with pytest.raises(TableError) as caught:
        open_source(folder)
    return str(caught.value).replace(str(folder), "visits")


def test_a_part_with_other_columns_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path)
    assert refusal(folder, age=["old"]).startswith(
        "visits/z.parquet: column 'age' holds texts, and in visits/a.parquet"
    )
    assert "it has 3, and 2 were expected" in refusal(folder, extra=[1])
    pq.write_table(pa.table({"sex": ["F"], "town": [1]}), folder / "z.parquet")
    with pytest.raises(TableError, match=r"z\.parquet has other columns than .*a\.parquet: it lacks 'age'") as caught:
        open_source(folder)
    assert "town" not in str(caught.value)
    pq.write_table(pa.table({"sex": pa.nulls(1, pa.string()), "age": pa.nulls(1)}), folder / "z.parquet")
    assert open_source(folder).n_rows == 6  # where all is missing, there is no other type
    pq.write_table(pa.table({"age": pa.array([1.0]), "sex": pa.array(["F"]).dictionary_encode()}), folder / "z.parquet")
    assert codes(folder)[0][-1] == 0  # nor does another width or order matter


def test_a_part_without_a_header_shows_none_of_its_cells(tmp_path: Path) -> None:
    folder = write(tmp_path, "csv")
    (folder / "z.csv").write_text("Mstislav,41\nF,2\n")
    with pytest.raises(TableError, match=r"z\.csv has hardly a column in common with .*a\.csv") as caught:
        open_source(folder)
    assert "Mstislav" not in str(caught.value)


def test_a_part_of_another_kind_or_with_a_damaged_footer_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / "z.parquet").write_bytes((folder / "a.parquet").read_bytes()[:-9])
    with pytest.raises(TableError, match=r"z\.parquet is damaged or cut off"):
        open_source(folder)
    (folder / "z.parquet").write_text("sex,age\nF,1\n")
    with pytest.raises(TableError, match=r"z\.parquet is of another kind than .*a\.parquet: csv and parquet"):
        open_source(folder)


def test_no_match_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "_SUCCESS").write_text("")
    with pytest.raises(TableError, match="holds no files with a table"):
        open_source(tmp_path)
    with pytest.raises(TableError, match=r"no file is called .*\*\.parquet"):
        open_source(f"{tmp_path}/*.parquet")


def change(path: Path) -> None:
    before = path.stat()
    pq.write_table(pa.table({"sex": ["F", "M"], "age": [98, 31]}), path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # the time tells nothing


@pytest.mark.parametrize("whole", [True, False], ids=["a folder", "one file"])
@pytest.mark.parametrize("how", [change, Path.unlink], ids=["changed", "gone"])
def test_a_file_that_changed_or_is_gone_since_it_was_opened_is_named(tmp_path: Path, how: Any, whole: bool) -> None:
    folder = write(tmp_path)
    source = open_source(folder if whole else folder / "b.parquet")
    source.refuse_changed()
    how(folder / "b.parquet")
    with pytest.raises(TableError, match=r"b\.parquet (is gone|changed while it was read)"):
        read_table(source, SCHEMA)


def test_a_duckdb_relation_is_read_as_often_as_asked() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    relation = connection.sql("select case when range % 2 = 0 then 'F' else 'M' end sex, range::int age from range(9)")
    source = open_source(relation)
    assert (source.kind, source.names, source.repeatable) == (
        "duckdb",
        ("sex", "age"),
        False,
    )  # nobody promises an order
    for _ in range(2):
        assert codes(source) == [[0, 1] * 4 + [0], [0] * 9]


def test_a_query_that_fails_is_told_without_what_it_holds() -> None:
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().sql("select 'F' sex, x::int age from (values ('1'), ('Mstislav')) t(x)")
    with pytest.raises(TableError, match=r"the DuckDB relation broke off \(ConversionException\)") as caught:
        codes(relation)
    assert "Mstislav" not in str(caught.value)


def test_whatever_offers_a_stream_of_arrow_is_read_once() -> None:
    class Offers:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return pa.table(PARTS[0]).__arrow_c_stream__(requested_schema)

    source = open_source(Offers())
    assert not source.repeatable
    assert codes(source) == [[0, 1], [0, 1]]
    with pytest.raises(TableError, match="was read already"):
        codes(source)
    with pytest.raises(TableError, match="cannot read a table from ChunkedArray"):
        open_source(pa.chunked_array([["F", "M"]]))  # a column offers a stream, too


HIVE = Schema.from_dict(
    {
        "fields": [
            {"name": "year", "type": "integer", "categories": [2023, 2024]},
            {"name": "site", "categories": ["New York", "Łódź"], "constraints": {"required": False}},
            {"name": "sex", "categories": ["F", "M"]},
        ]
    }
)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_columns_that_stand_in_the_names_of_folders_are_read(tmp_path: Path, kind: str) -> None:
    for place, sex in (
        ("year=2023/site=New%20York", ["F", "M"]),
        ("year=2024/site=New%20York", ["M"]),
        ("year=2024/site=__HIVE_DEFAULT_PARTITION__", ["F"]),
    ):
        (tmp_path / "visits" / place).mkdir(parents=True)
        if kind == "parquet":
            pq.write_table(pa.table({"sex": sex}), tmp_path / "visits" / place / "0.parquet")
        else:
            (tmp_path / "visits" / place / "0.csv").write_text("\n".join(["sex", *sex]) + "\n")
    for given in (tmp_path / "visits", f"{tmp_path}/visits/year=*/site=*/*.{kind}"):
        source = open_source(given)
        assert source.names == ("sex", "year", "site")
        assert [column.tolist() for column in read_table(source, HIVE).columns] == [
            [0, 0, 1, 1],
            [0, 0, 0, 2],
            [0, 1, 1, 0],
        ]
        assert [len(columns[0]) for columns in source.batches(["year"])] == [2, 1, 1]  # a column of no file
    (tmp_path / "visits" / "year=2024" / f"stray.{kind}").write_bytes(
        (tmp_path / "visits" / "year=2023" / "site=New%20York" / f"0.{kind}").read_bytes()
    )
    with pytest.raises(TableError, match=r"stray\..* has other columns than .*it lacks 'site'"):
        open_source(tmp_path / "visits")


def test_a_column_of_the_file_goes_before_the_name_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "sex=M").mkdir()
    pq.write_table(pa.table({"sex": ["F"], "age": [3]}), tmp_path / "sex=M" / "0.parquet")
    assert codes(tmp_path) == [[0], [0]]


def test_a_relation_whose_table_or_connection_is_gone_is_refused_in_a_sentence() -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    base = duckdb.connect()
    base.execute("create table visits as select 1 as age")
    relation = base.table("visits")
    for gone in (lambda: base.execute("drop table visits"), base.close):
        gone()
        with pytest.raises(TableError, match=r"^the DuckDB relation broke off \(\w+\)"):
            open_source(relation)
