"""Tables that do not fit are streamed: what can be counted is of all rows, and the rest of some."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import understudy as us
from understudy.evaluation import _pair, _whole, read_pair
from understudy.schema import Schema
from understudy.tables import LooseStream, read_loosely

SCHEMA = {
    "fields": [
        {"name": "sex", "categories": ["F", "M"]},
        {"name": "age", "type": "integer", "bins": 4, "constraints": {"minimum": 0, "maximum": 99}},
        {"name": "site", "type": "integer", "categories": [1, 2, 3]},
    ]
}


def table(seed: int, n: int = 3000, wrong: bool = False) -> pa.Table:
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 100, n)
    site = 1 + (age // 34) % 3
    sexes = np.where(rng.random(n) < 0.3 + 0.4 * (age > 50), "F", "M").astype(object)
    if wrong:
        sexes[7], sexes[8], site[9] = "x", None, 8
    return pa.table({"sex": pa.array(sexes, pa.string()), "age": age, "site": site, "other": age})


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    real, made = tmp_path / "real", tmp_path / "made"
    for folder, whole in ((real, table(1)), (made, table(2, 2000, wrong=True))):
        folder.mkdir()
        for i in range(3):
            pq.write_table(whole.slice(i * 900, 900 if i < 2 else None), folder / f"{i}.parquet")
    return real, made


def streamed(monkeypatch: pytest.MonkeyPatch, rows: int = 500) -> None:
    monkeypatch.setattr(_pair, "SOME_ROWS", rows)
    monkeypatch.setattr(_whole, "_BYTES_OF_CELL", 10**9)


def test_counts_of_streams_are_those_of_all_rows(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = us.evaluate(*files, SCHEMA, classifiers=False)
    streamed(monkeypatch)
    found = us.evaluate(f"{files[0]}/*.parquet", f"{files[1]}/*", SCHEMA, classifiers=False)
    for name in ("1-way", "2-way", "3-way"):
        one, two = whole.find(name), found.find(name)
        assert two.value == pytest.approx(one.value, abs=1e-12)
        assert two.worst == one.worst
        assert one.fresh_sample / 4 < two.fresh_sample < 4 * one.fresh_sample  # a few tables, drawn anew
        if name != "1-way":  # of which independent columns lose nothing
            assert two.independent_columns == pytest.approx(one.independent_columns, rel=0.25)
    assert found.find("validity").value == whole.find("validity").value
    assert (found.facts.rows_real, found.facts.rows_synthetic) == (3000, 2000)
    assert "of all rows; all else is of 500 and 500 rows" in " ".join(found.facts.notes)
    assert "streamed" not in " ".join(whole.facts.notes)


def test_some_rows_are_drawn_evenly_and_their_faults_are_those_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.tables._loose_stream._ROWS", 64)
    schema = Schema.from_dict({"fields": [{"name": "row", "type": "integer", "bins": 100,
                                           "constraints": {"minimum": 0, "maximum": 1999}}]})  # fmt: skip
    rows = pa.table({"row": [*range(2000), None, 5000]})
    times = np.zeros(102)
    for seed in range(60):
        stream = LooseStream(rows, schema)
        some = stream.sample(300, np.random.default_rng(seed))
        assert (some.n, some.n_all, some.faults[0].missing, some.faults[0].outside) == (300, 2002, 1, 1)
        times += np.bincount(some.columns[0], minlength=102)
    expected = 60 * 300 * 20 / 2002
    assert np.abs(times[:100] - expected).max() < 5 * np.sqrt(expected)
    all_of_them = LooseStream(rows, schema).sample(10**6, np.random.default_rng(1))
    assert np.array_equal(all_of_them.columns[0], read_loosely(rows, schema).columns[0])


def test_a_pair_knows_whether_it_was_streamed(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    schema = Schema.from_dict(SCHEMA)
    assert read_pair(files[0], files[1], schema).whole is None
    streamed(monkeypatch, rows=100)
    pair = read_pair(table(1), files[1], schema)
    assert pair.whole is not None
    assert [counter.n for counter in pair.whole] == [3000, 2000]
    assert (pair.real.n, pair.first.n) == (100, 100)
    stream = pa.RecordBatchReader.from_batches(table(1).schema, table(1).to_batches(500))  # can be read once only
    assert read_pair(stream, files[1], schema).real.n == 3000


def test_less_than_a_run_needs_is_refused(files: tuple[Path, Path]) -> None:
    told: dict[str, Any] = {"memory": "100MB"}
    with pytest.raises(us.OptionError, match="at least 800 MB"):
        us.evaluate(*files, SCHEMA, **told)


def test_tables_of_a_database_file_are_streamed_as_well(
    files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    with duckdb.connect(str(tmp_path / "real.duckdb")) as base:
        base.execute(f"create table visits as select * from '{files[0]}/*.parquet'")
    streamed(monkeypatch)
    pair = read_pair(f"{tmp_path}/real.duckdb?table=visits", files[1], Schema.from_dict(SCHEMA))
    assert pair.real.n == 500
    assert pair.faults.real.n_rows == pair.whole[0].n == 3000
    once = read_pair(table(1).to_reader(), files[1], Schema.from_dict(SCHEMA))
    assert once.real.n == 3000  # a stream cannot be read again
