"""All of an input is read and checked before the charge: whatever is wrong with it, wherever, nothing was spent."""

from __future__ import annotations

import gzip

import pandas as pd
import pyarrow as pa
import pytest

import understudy as us
from tests.api.people import SCHEMA, people

ROWS = 400_000  # several batches, so that all but the end of the input is in order


def many():
    return pd.concat([people()] * (ROWS // 400), ignore_index=True)


def failing_lazy_frame(folder):
    pl = pytest.importorskip("polars")

    def fail(frame):
        raise RuntimeError("the disk of the data lake is gone")

    return pl.from_pandas(people()).lazy().map_batches(fail)


def lazy_frame_without_its_file(folder):
    pl = pytest.importorskip("polars")
    people().to_parquet(folder / "gone.parquet")
    frame = pl.scan_parquet(folder / "gone.parquet")
    (folder / "gone.parquet").unlink()
    return frame


def stream_that_breaks(folder):
    table = pa.Table.from_pandas(people(), preserve_index=False)

    def batches():
        yield from table.to_batches(100)
        raise OSError("connection reset")

    return pa.RecordBatchReader.from_batches(table.schema, batches())


def stream_that_was_read(folder):
    table = pa.Table.from_pandas(people(), preserve_index=False)
    stream = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    stream.read_all()
    return stream


def written(folder, name, data):
    (folder / name).write_bytes(data)
    return folder / name


def text():
    return many().to_csv(index=False).encode()


INPUTS = {
    "a LazyFrame that fails": (failing_lazy_frame, "could not be collected"),
    "a LazyFrame whose file is gone": (lazy_frame_without_its_file, "could not be collected"),
    "a stream that breaks": (stream_that_breaks, "broke off"),
    "a stream that was read": (stream_that_was_read, "no rows"),
    "a packed file that is cut off": (lambda f: written(f, "t.csv.gz", gzip.compress(text(), 1)[:-500]), "damaged"),
    "a last row with a cell more": (lambda f: written(f, "t.csv", text() + b"Male,1,True,none,\n"), "1 row does not"),
    "a last row in Latin-1": (lambda f: written(f, "t.csv", text() + b"Male,1,True,n\xe9e\n"), "not UTF-8"),
    "a last row of another value": (lambda f: written(f, "t.csv", text() + b"Male,900,True,none\n"), "outside"),
    "an odd object at the end": (lambda f: people().assign(age=[*people().age[:-1], {}]), "structures"),
    "nothing at all": (lambda f: written(f, "t.csv", b""), "empty"),
}


@pytest.mark.parametrize(("make", "words"), INPUTS.values(), ids=INPUTS.keys())
def test_what_cannot_be_read_to_its_end_is_not_charged(make, words, tmp_path):
    ledger = us.MemoryLedger(dataset="people", cap=2)
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(us.TableError, match=words) as refused:
        us.publish(make(tmp_path), schema=SCHEMA, epsilon=1, out=out / "release", ledger=ledger)
    assert ledger.spent() == 0
    assert getattr(refused.value, "__notes__", []) == []  # a charge would be told here
    assert list(out.iterdir()) == []


def test_a_library_that_gets_no_memory_ends_the_run_before_the_charge(tmp_path, monkeypatch):
    """It ends the process itself, which nothing can catch: what counts is when."""

    def fail():
        raise MemoryError

    monkeypatch.setattr("understudy._api._fit.take_room_of_libraries", fail)
    with pytest.raises(MemoryError):
        us.publish(people(), schema=SCHEMA, epsilon=1, out=tmp_path / "release", ledger=tmp_path / "budget.db", cap=3)
    assert [path.name for path in tmp_path.iterdir()] == []
