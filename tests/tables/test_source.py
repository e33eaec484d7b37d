"""One value for anything that holds a table: opened once, read as often as asked."""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy import TableError
from understudy.schema import Schema
from understudy.tables import Source, _csv_lines, open_source, read_table
from understudy.tables._files import open_file

CELLS = {"name": ["a", "b", "c", "d"], "size": ["1", "2", "3", "4"], "note": ["x;y", "", "é", "z"]}
TABLE = pa.table(CELLS)


def sources(folder: Path) -> dict[str, Any]:
    """The same texts as every kind of source that can be read twice."""
    import pandas as pd
    import polars as pl

    lines = [";".join(CELLS), *(";".join(f'"{cell}"' for cell in row) for row in zip(*CELLS.values(), strict=True))]
    text = "\n".join(lines).encode()
    paths = {kind: folder / f"t.{kind}" for kind in ("csv", "csv.gz", "parquet", "feather", "stream")}
    paths["csv"].write_bytes(text)
    paths["csv.gz"].write_bytes(gzip.compress(text))
    pyarrow.parquet.write_table(TABLE, paths["parquet"], row_group_size=3)
    pyarrow.feather.write_feather(TABLE, str(paths["feather"]), chunksize=3)
    with pa.ipc.new_stream(str(paths["stream"]), TABLE.schema) as stream:
        stream.write_table(TABLE, 3)
    frames = {"pandas": pd.DataFrame(CELLS), "polars": pl.DataFrame(CELLS), "lazy": pl.LazyFrame(CELLS)}
    return {**paths, **frames, "pyarrow": TABLE, "batch": TABLE.to_batches()[0]}


KINDS = {"csv.gz": "csv", "feather": "arrow", "stream": "arrow", "lazy": "polars", "batch": "pyarrow"}


def cells_of(source: Source, wanted: tuple[str, ...], rows: int = 2) -> list[list[str | None]]:
    found: list[list[str | None]] = [[] for _ in wanted]
    for columns in source.batches(wanted, rows):
        for cells, column in zip(found, columns, strict=True):
            assert isinstance(column, pa.Array)
            cells += column.to_pylist()
    return found


def test_every_kind_of_source_says_what_it_is_and_can_be_read_again_and_again(tmp_path: Path) -> None:
    for name, given_ in sources(tmp_path).items():
        source = open_source(given_)
        assert source.kind == KINDS.get(name, name)
        assert source.names == tuple(CELLS)
        assert source.delimiter == (";" if source.kind == "csv" else ",")
        assert source.n_rows == (None if source.kind in ("csv", "arrow") else 4)
        file = given_ if isinstance(given_, Path) else None
        assert (source.path, source.n_bytes) == (file, file and file.stat().st_size)
        for wanted in (("name", "size", "note"), ("note", "name"), ("size",)):
            for _ in range(2):
                assert cells_of(source, wanted) == [CELLS[column] for column in wanted], name


def test_a_source_that_is_open_stays_as_it_is(tmp_path: Path) -> None:
    source = open_source(sources(tmp_path)["csv"])
    assert open_source(source) is source


def test_two_readers_of_one_source_do_not_get_in_each_others_way(tmp_path: Path) -> None:
    for name, given_ in sources(tmp_path).items():
        source = open_source(given_)
        one, other = source.batches(("name",), 2), source.batches(("size",), 2)
        seen: tuple[list[Any], list[Any]] = ([], [])
        for first, second in zip(one, other, strict=True):
            seen[0].extend(first[0].to_pylist())  # type: ignore[union-attr]
            seen[1].extend(second[0].to_pylist())  # type: ignore[union-attr]
        assert seen == (CELLS["name"], CELLS["size"]), name


def test_a_file_that_another_takes_the_place_of_is_read_to_its_end(tmp_path: Path) -> None:
    """All that a run learns of its input it learns of one file, whatever happens to the name meanwhile."""
    for kind in ("csv", "csv.gz", "parquet", "feather", "stream"):
        path = sources(tmp_path)[kind]
        source = open_source(path)
        (tmp_path / "other").write_text("other,columns\n1,2\n")
        os.replace(tmp_path / "other", path)
        assert cells_of(source, ("name",)) == [CELLS["name"]]
        path.unlink()
        assert cells_of(source, ("size",)) == [CELLS["size"]]


def test_a_stream_is_read_once_and_says_so_then() -> None:
    source = open_source(pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches(2)))
    assert (source.kind, source.n_rows) == ("pyarrow", None)
    assert cells_of(source, ("note", "name")) == [CELLS["note"], CELLS["name"]]
    with pytest.raises(TableError, match="stream of Arrow batches was read already"):
        cells_of(source, ("name",))


def test_a_stream_that_breaks_off_is_told_without_what_it_says() -> None:
    def batches() -> Any:
        yield TABLE.to_batches()[0]
        raise KeyError("secret")

    source = open_source(pa.RecordBatchReader.from_batches(TABLE.schema, batches()))
    with pytest.raises(TableError, match=r"stream of Arrow batches broke off \(KeyError\)") as refused:
        cells_of(source, ("name",))
    assert "secret" not in str(refused.value)


def test_a_pipe_an_empty_folder_and_a_packed_parquet_file_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "t.parquet.gz").write_bytes(gzip.compress(sources(tmp_path)["parquet"].read_bytes()))
    (tmp_path / "empty").mkdir()
    for path, said in (
        (tmp_path / "pipe", "is a pipe or a device"),
        (tmp_path / "empty", "holds no files"),
        (tmp_path / "t.parquet.gz", "t.parquet.gz is a gzipped Parquet file. Unpack it first"),
        (tmp_path / "none.csv", "there is no file"),
    ):
        with pytest.raises(TableError, match=said):
            open_source(path)


def test_a_lazy_frame_that_fails_is_told_without_what_it_holds() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.LazyFrame({"a": ["secret"]}).select(pl.col("a").cast(pl.Int64))
    with pytest.raises(TableError, match=r"could not be collected \(InvalidOperationError\)") as refused:
        open_source(frame)
    assert "secret" not in str(refused.value)
    assert refused.value.__suppress_context__


_TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n", exclude_categories=("Cs",)), max_size=6)


@given(st.data())
def test_a_csv_file_holds_what_the_slow_twin_finds_in_it(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    names = data.draw(st.lists(st.text("abcé ", min_size=1, max_size=4), min_size=2, max_size=4, unique=True))
    rows = data.draw(st.lists(st.lists(_TEXTS, min_size=len(names), max_size=len(names)), min_size=1, max_size=8))
    path = tmp_path_factory.mktemp("twin") / "t.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([names, *rows])
    source = open_source(path)
    with path.open(encoding="utf-8", newline="") as file:
        header, *twin = csv.reader(file)
    assert source.names == tuple(header)
    assert cells_of(source, source.names) == [list(cells) for cells in zip(*twin, strict=True)]


LETTERS = Schema.from_dict(
    {"fields": [{"name": n, "categories": ["x", "é"], "constraints": {"required": False}} for n in ("a", "é")]}
)


def naive_uneven(data: bytes, cells: int) -> list[int]:
    """The rows, from 1 on after the header, that have another number of cells; quotes and line ends are not used."""
    lines = [line for line in data.split(b"\n")[1:] if line]
    return [i for i, line in enumerate(lines, 1) if line.count(b",") != cells - 1]


@given(st.lists(st.lists(st.sampled_from([b"x", b"\xe9", "é".encode(), b""]), min_size=1, max_size=4), min_size=1))
def test_uneven_rows_of_any_bytes_are_told_with_their_numbers(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[bytes]]
) -> None:
    """A byte that is no UTF-8 in such a row used to print a traceback of Arrow's."""
    path = tmp_path_factory.mktemp("uneven") / "t.csv"
    path.write_bytes(b"a,\xc3\xa9\n" + b"\n".join(b",".join(row) for row in rows) + b"\n")
    uneven = naive_uneven(path.read_bytes(), 2)
    said = ""
    try:
        read_table(path, LETTERS)
    except TableError as error:
        said = str(error)
    if uneven:
        shown = ", ".join(map(str, uneven[:5]))
        assert said.startswith(f"t.csv: {len(uneven)} row{'s do' if len(uneven) > 1 else ' does'} not have 2 cells")
        assert f"{'s' if len(uneven) > 1 else ''} {shown} after the header" in said
    elif any(b"\xe9" in row for row in rows):
        assert said.startswith("t.csv is not UTF-8 text")
    elif any(any(row) or len(row) > 1 for row in rows):
        assert said == ""


def naive_rows(data: bytes) -> tuple[list[int], bool]:
    """How many cells each row has, and whether the last is in quotes that stay open: byte by byte, in `,` and lines."""
    rows, cells, inside, start, i = [], 1, False, True, 0
    while i < len(data):
        byte = data[i : i + 1]
        if inside and byte == b'"':
            inside = data[i + 1 : i + 2] == b'"'
            i += inside
        elif not inside and start and byte == b'"':
            inside, start = True, False
        elif not inside and byte == b",":
            cells, start = cells + 1, True
        elif not inside and byte in (b"\n", b"\r"):
            i += data[i : i + 2] == b"\r\n"
            if cells > 1 or not start:
                rows.append(cells)
            cells, start = 1, True
        else:
            start = False
        i += 1
    return rows + [cells] * (cells > 1 or not start), inside


@given(st.lists(st.sampled_from([b'"', b'""', b",", b"\n", b"\r\n", b"\r", b"x"]), max_size=30), st.integers(1, 5))
def test_lines_are_walked_as_they_are_byte_by_byte(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], block: int
) -> None:
    path = tmp_path_factory.mktemp("lines") / "t.csv"
    path.write_bytes(b"a,b\n" + b"".join(parts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_csv_lines, "_BLOCK", block)
        found = _csv_lines.line_faults(open_file(path)[0], delimiter=",", cells=2, skipped=0)
    rows, is_open = naive_rows(path.read_bytes())
    assert (found.open_line is not None) == is_open
    uneven = [i for i, cells in enumerate(rows) if cells != 2 and not (is_open and i == len(rows) - 1)]
    assert (found.uneven, found.first) == (len(uneven), uneven[:5])
