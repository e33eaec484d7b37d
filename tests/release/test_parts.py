"""A sample in parts: whole or not at all, in constant memory, each part with streams of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from understudy import OptionError, OutputError, PrivBayes, PublishedModel
from understudy._core.randomness import Streams
from understudy.cli._main import run
from understudy.models._rowsfit import draw_rows
from understudy.release import _published

SCHEMA = {
    "name": "people",
    "fields": [
        {"name": "sex", "categories": ["F", "M"], "constraints": {"required": False}},
        {"name": "age", "type": "integer", "bins": 4, "constraints": {"minimum": 0, "maximum": 99}},
        {"name": "seen", "type": "datetime", "timezone": "Europe/Paris", "bins": 2,
         "constraints": {"minimum": "2024-01-01T00:00:00", "maximum": "2024-12-31T00:00:00"}},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def model() -> PublishedModel:
    rng = np.random.default_rng(1)
    table = pa.table(
        {
            "sex": rng.choice(np.array(["F", "M", None], dtype=object), 500),
            "age": rng.integers(0, 100, 500),
            "seen": pa.array(rng.integers(1704100000, 1735500000, 500), pa.timestamp("s", "Europe/Paris")),
        }
    )
    return PrivBayes(epsilon=2).fit(table, SCHEMA).model_


def test_a_folder_of_parts_is_one_table_with_the_types_of_a_single_file(model: PublishedModel, tmp_path: Path) -> None:
    assert model.sample_to(tmp_path / "big", 1001, partitions=3, seed=1) == 1001
    files = sorted((tmp_path / "big").iterdir())
    assert [path.name for path in files] == [f"part-0000{i}.parquet" for i in range(3)]
    assert [pq.read_metadata(path).num_rows for path in files] == [334, 334, 333]
    whole = ds.dataset(tmp_path / "big").to_table()
    single = model.sample(10, kind="pyarrow")
    assert whole.schema.remove_metadata() == single.schema.remove_metadata()
    assert pq.read_metadata(files[0]).metadata[b"understudy.guarantee"]
    assert set(whole["sex"].to_pylist()) == {"F", "M", None}
    assert list(tmp_path.iterdir()) == [tmp_path / "big"]


def test_parts_are_those_of_the_seed_whoever_draws_them_and_unlike_each_other(
    model: PublishedModel, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        model.sample_to(tmp_path / name, 900, partitions=3, seed=4)
    parts = [pq.read_table(tmp_path / "one" / f"part-0000{i}.parquet") for i in range(3)]
    again = [pq.read_table(path) for path in sorted((tmp_path / "two").iterdir())]
    assert all(one.equals(two) for one, two in zip(parts, again, strict=True))
    drawn = pa.Table.from_batches(model.sample_part(2, 3, 900, seed=4))
    assert drawn.equals(parts[2])
    assert not parts[0].equals(parts[1])
    assert not pa.Table.from_batches(model.sample_batches(300, seed=4)).equals(parts[0])
    for name in ("three", "four"):
        model.sample_to(tmp_path / name, 900, partitions=3)
    fresh = [ds.dataset(tmp_path / name).to_table() for name in ("three", "four")]
    assert not fresh[0].equals(fresh[1])


def test_rows_of_many_are_drawn_each_on_their_own(model: PublishedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pa.Table.from_batches(model.sample_part(1, 2, 400, seed=2))
    alone = pa.Table.from_batches(model.sample_part(1, 2, 400, seed=2, independent=True))
    assert not rows.equals(alone)
    monkeypatch.setattr(_published, "_MANY_ROWS", 400)
    assert pa.Table.from_batches(model.sample_part(1, 2, 400, seed=2)).equals(alone)


def test_rows_drawn_alone_follow_their_weights() -> None:
    weights = np.array([0.0, 0.1, 0.0, 0.4, 0.5, 0.0])
    drawn = draw_rows(np.cumsum(weights), 40_000, rng=Streams(3).get("rows"))
    counts = np.bincount(drawn, minlength=6)
    assert set(np.flatnonzero(counts)) == {1, 3, 4}
    assert np.abs(counts - 40_000 * weights).max() < 5 * np.sqrt(40_000 * 0.25)
    pairs = np.bincount(6 * drawn[::2] + drawn[1::2], minlength=36).reshape(6, 6) / 20_000  # neighbours are independent
    assert np.abs(pairs - np.outer(weights, weights)).max() < 5 * np.sqrt(0.25 * 0.75 / 20_000)
    assert len(draw_rows(np.cumsum(weights), 0, rng=Streams(3).get("rows"))) == 0


@pytest.mark.parametrize("partitions", [0, -1, 100_001, 1.5])
def test_numbers_of_partitions_that_mean_nothing_are_refused(
    model: PublishedModel, tmp_path: Path, partitions: Any
) -> None:
    with pytest.raises(OptionError, match=r"partitions.*(at least 1|between 1 and 100,000)"):
        model.sample_to(tmp_path / "big", 10, partitions=partitions)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("part", "parts", "told"),
    [(1.5, 7, "'part' parameter must be a whole number"), (-1, 7, "'part' parameter must be a whole number"),
     (0, 0, "'parts' parameter must be a whole number of at least 1"), (0, 2.0, "'parts' parameter"),
     (7, 7, "numbered from 0 to 6. Got 7")],
)  # fmt: skip
def test_parts_that_there_are_not_are_refused(model: PublishedModel, part: Any, parts: Any, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        model.sample_part(part, parts, 100, seed=1)


def test_only_a_folder_of_parts_is_replaced_and_only_when_asked(model: PublishedModel, tmp_path: Path) -> None:
    out = tmp_path / "big"
    model.sample_to(out, 10, partitions=4)
    with pytest.raises(OutputError, match="already exists"):
        model.sample_to(out, 10, partitions=2)
    model.sample_to(out, 10, partitions=2, overwrite=True)
    assert len(list(out.iterdir())) == 2
    (out / "thesis.docx").touch()
    with pytest.raises(OutputError, match="no table in parts has"):
        model.sample_to(out, 10, partitions=2, overwrite=True)
    with pytest.raises(OutputError, match="is the name of a file"):
        model.sample_to(tmp_path / "big.parquet", 10, partitions=2)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_nothing_is_left_of_parts_that_break_off(
    model: PublishedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    from understudy.tables import _write_parquet

    write, seen = _write_parquet.ParquetWriter.write, []

    def full(writer: Any, batch: Any) -> None:
        seen.append(batch)
        if len(seen) == 3:
            raise error
        write(writer, batch)

    monkeypatch.setattr(_write_parquet.ParquetWriter, "write", full)
    with pytest.raises((OutputError, KeyboardInterrupt)):
        model.sample_to(tmp_path / "big", 1000, partitions=6)
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_writes_parts_and_says_so(
    model: PublishedModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model.save(tmp_path / "m.understudy")
    words = ["sample", str(tmp_path / "m.understudy"), "-n", "100", "--partitions", "4", "-o", str(tmp_path / "big")]
    assert run(words) == 0
    assert "Wrote 100 rows to" in capsys.readouterr().out
    assert run(words) == 2
    assert "already exists" in capsys.readouterr().err
    assert run([*words, "--overwrite", "--json"]) == 0
    assert '"partitions": 4' in capsys.readouterr().out
    assert run([*words[:-1], str(tmp_path / "big.csv")]) == 2
    assert "4 partitions need a folder" in capsys.readouterr().err
