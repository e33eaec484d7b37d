"""Parquet and Arrow files with wrong bytes: a sentence, never a crash."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import understudy as us
from tests.house.sources import PROJECT
from tests.tables.damage import ACTS, SCHEMA, TABLE, whole_files
from understudy.tables import check_table, open_source, read_table


@pytest.mark.parametrize("name", whole_files())
def test_a_whole_file_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(whole_files()[name])
    assert check_table(path, SCHEMA).ok
    assert [c.tolist() for c in read_table(path, SCHEMA).columns] == [
        c.tolist() for c in read_table(TABLE, SCHEMA).columns
    ]


@pytest.mark.parametrize(
    ("first", "last"), [(0, 12), pytest.param(1000, 1600, marks=pytest.mark.slow)], ids=["some", "many"]
)
def test_a_damaged_file_ends_in_a_sentence_and_no_process_dies_of_it(first: int, last: int) -> None:
    command = [sys.executable, "-m", "tests.tables.damage", str(first), str(last)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert set(found) == set(whole_files())
    for seen in found.values():
        assert set(seen) <= {"read", "refused"}
        assert sum(seen.values()) == len(ACTS) * (last - first)
        assert seen["refused"] > seen.get("read", 0)


def test_offsets_beyond_a_column_are_refused_in_tables_and_streams_too() -> None:
    beyond = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\xff\xff\xff\x7f\2\0\0\0"), pa.py_buffer(b"ab")]
    )
    batch = pa.record_batch([beyond], names=["text"])
    schema = us.Schema.from_dict({"fields": [{"name": "text", "categories": ["a", "b"]}]})
    for source in (batch, pa.table(batch), pa.RecordBatchReader.from_batches(batch.schema, [batch])):
        with pytest.raises(us.TableError, match="the Arrow table is damaged"):
            read_table(source, schema)


def test_texts_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    table = pa.table({"text": pa.array([b"a", b"\xe9"]).view(pa.string())})
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    pa.feather.write_feather(table, str(tmp_path / "t.feather"))
    schema = us.Schema.from_dict({"fields": [{"name": "text", "categories": ["a", "b"]}]})
    for name, kind in (("t.parquet", "Parquet"), ("t.feather", "Arrow")):
        with pytest.raises(us.TableError, match=f"{name} is damaged or cut off: it cannot be read as {kind}"):
            read_table(tmp_path / name, schema)


def test_a_file_that_asks_for_the_memory_of_a_city_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(*args: object, **options: object) -> None:
        raise pa.ArrowMemoryError("malloc of size 18446744073709551615 failed")

    path = tmp_path / "t.feather"
    path.write_bytes(whole_files()["lz4.feather"])
    source = open_source(path)
    monkeypatch.setattr("understudy.tables._columnar.checked", greedy)
    with pytest.raises(us.TableError, match=r"t\.feather asks for more memory than there is"):
        read_table(source, SCHEMA)


@pytest.mark.parametrize("name", whole_files())
@pytest.mark.parametrize("cut_off", [True, False], ids=["cut off", "overwritten"])
def test_a_damaged_file_costs_nothing(name: str, cut_off: bool, tmp_path: Path) -> None:
    whole = whole_files()[name]
    path = tmp_path / name
    if cut_off:
        path.write_bytes(whole[:-200])
    else:  # all lengths, offsets or packed bytes from two thirds on, so that the first batch can be read
        here = len(whole) * 2 // 3
        path.write_bytes(whole[:here] + bytes(255 - byte for byte in whole[here:-10]) + whole[-10:])
    ledger = us.MemoryLedger(dataset="people", cap=2)
    for act in (
        lambda: us.publish(path, schema=SCHEMA, epsilon=1, out=tmp_path / "r", ledger=ledger),
        lambda: us.PrivBayes(epsilon=1, ledger=ledger).fit(path, SCHEMA),
    ):
        with pytest.raises(us.TableError) as refused:
            act()
        assert ledger.spent() == 0
        assert "stays" not in "".join(getattr(refused.value, "__notes__", []))
    assert [found.name for found in tmp_path.iterdir()] == [name]
