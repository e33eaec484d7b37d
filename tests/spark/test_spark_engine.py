"""The engine for Spark: the same counts, the same faults and the same releases as in memory, in few jobs."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.counting.awkward import AWKWARD, make, marginals_of
from tests.naive.counting import naive_count
from tests.spark.session import frame_of, shared_session
from understudy._core.errors import TableError
from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter, UnitRule, open_counter
from understudy.counting._pass_counter import PassCounter
from understudy.schema import Marginal, Schema, recode
from understudy.tables import DeclaredRows, Table, read_table

SCHEMA = Schema.from_dict(
    {
        "fields": [{"name": name, "categories": ["x", "y", "z"]} for name in "abcd"],
        "dependencies": [{"impossible": {"a": "x", "b": "z"}}],
    }
)
TABLE = make(400, (3, 3, 3, 3), seed=5)
CELLS = pa.table(
    {name: ["xyz"[code] for code in column] for name, column in zip("abcd", TABLE.columns, strict=True)}
).append_column("who", pa.array(np.arange(400) // 3))
PLAIN = CELLS.drop_columns("who")
ASKED = [Marginal.of(*some) for way in (1, 2, 3) for some in combinations(range(4), way)]
TRIPLE = [Marginal.of(0, 1, 2)]


@pytest.fixture(scope="module", autouse=True)
def _spark() -> None:
    shared_session()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files of two row groups each, one task for each group."""
    monkeypatch.setattr("understudy.tables._file_parts._LEAST_ROWS", 50)
    for i in range(2):
        pq.write_table(CELLS.slice(i * 200, 200), tmp_path / f"{i}.parquet", row_group_size=100)
    return tmp_path


def equal(counter: Any, other: Any, asked: list[Marginal] = ASKED) -> bool:
    both = zip(counter.count(asked), other.count(asked), strict=True)
    return counter.n == other.n and all(np.array_equal(one, two) for one, two in both)


def spread(rows: Any, schema: Schema = SCHEMA, **told: Any) -> PassCounter:
    counter = open_counter(rows, schema, engine="auto" if hasattr(rows, "mapInArrow") else "spark", **told)
    assert isinstance(counter, PassCounter)
    return counter


@pytest.mark.slow
def test_codes_of_awkward_tables_are_counted_as_by_the_slow_twin() -> None:
    for name in ("no_rows", "uint32_codes", "generalised_levels", "wide_binary"):
        table = AWKWARD[name]()
        asked = marginals_of(table)[::3]
        for marginal, counts in zip(asked, open_counter(table, engine="spark").count(asked), strict=True):
            assert np.array_equal(counts, naive_count(table.domain, table.columns, table.n, marginal)), (name, marginal)


def test_a_frame_is_counted_where_it_lies_in_one_job_a_pass() -> None:
    counter, memory = spread(frame_of(PLAIN)), MemoryCounter(TABLE)
    assert (counter.n, counter.domain) == (400, SCHEMA.domain)
    assert equal(counter, memory, [Marginal.of(3, 1)])
    binary = recode(counter.domain, "binary")
    assert equal(counter.recoded(binary), memory.recoded(binary), [Marginal.of(0, 1, 2)])
    assert counter.n_passes == 1  # two of the three are bits of one column
    for _ in range(2):
        assert equal(counter, memory)
    assert counter.n_passes == 2
    assert equal(counter.recoded(binary), memory.recoded(binary), [Marginal.of(0, 3, 5, 7)])


@pytest.mark.parametrize(("parts", "policy"), [(None, None), (1, "drop"), (60, "mend")])
def test_units_and_declared_rows_are_treated_as_in_memory(folder: Path, parts: int | None, policy: Any) -> None:
    written = [
        {"name": n, "categories": ["x", "y", "z"], "constraints": {"required": policy != "mend"}} for n in "abcd"
    ]
    schema = Schema.from_dict({"fields": written, "fieldsMatch": "subset"})
    told: dict[str, Any] = {}
    if policy is not None:
        told["declared"] = DeclaredRows(
            fields=schema.fields, dependencies=SCHEMA.dependencies, policy=policy, dropping=True
        )
    seen: list[int] = []

    def opened(rows: Any, engine: str) -> Any:
        if parts is not None:
            told["unit"] = UnitRule(column="who", max_rows=2, parts=parts, coins=Streams(4))
        return open_counter(rows, schema, engine=engine, check_rows=seen.append, **told)

    memory, files = opened(folder, "memory"), opened(folder, "spark")
    assert equal(files, memory)
    assert equal(opened(frame_of(CELLS), "auto"), memory)
    assert seen == [400] * 3


def test_faults_of_all_parts_are_told_as_of_one_table(folder: Path) -> None:
    cells = CELLS.set_column(1, "b", pa.array(["x"] * 333 + ["?", None, "Y"] + ["x"] * 64))
    cells = cells.set_column(2, "c", pa.array([[1]] * 400))
    pq.write_table(cells.slice(200), folder / "1.parquet", row_group_size=100)
    pq.write_table(cells.slice(0, 200), folder / "0.parquet", row_group_size=100)
    declared = DeclaredRows(fields=SCHEMA.fields, dependencies=SCHEMA.dependencies, policy="refuse", dropping=True)
    schema = replace(SCHEMA, properties={**SCHEMA.properties, "fieldsMatch": "subset"})
    for rows, asked in ((cells, schema), (PLAIN, SCHEMA)):
        said = []
        sources = [(rows, "memory"), (frame_of(rows), "auto"), *([(folder, "spark")] if rows is cells else [])]
        for source, engine in sources:
            with pytest.raises(TableError) as refused:
                open_counter(source, asked, engine=engine, declared=declared)
            said.append(refused.value.faults)
        assert said[1:] == [said[0]] * (len(said) - 1)
    with pytest.raises(TableError, match="the table has a header but no rows"):
        spread(frame_of(PLAIN.slice(0, 0)))
    with pytest.raises(TableError, match="the table has no column 'd'"):
        spread(frame_of(PLAIN.drop_columns("d")))


def mapped(frame: Any, change: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return frame.mapInArrow(lambda batches: map(change, batches), frame.schema)


def test_a_frame_that_gives_other_rows_later_is_refused(tmp_path: Path) -> None:
    later = str(tmp_path / "later")

    def change(batch: Any) -> Any:
        import os

        return batch.set_column(0, "a", batch.column(1)) if os.path.exists(later) else batch

    counter = spread(mapped(frame_of(PLAIN), change))
    Path(later).touch()
    with pytest.raises(TableError, match="not what it was in the first pass"):
        counter.count(TRIPLE)


def test_rows_of_units_that_come_in_another_order_are_refused() -> None:
    def shuffle(batch: Any) -> Any:
        import os

        import numpy

        return batch.take(numpy.argsort(numpy.frombuffer(os.urandom(8 * batch.num_rows), dtype=numpy.uint64)))

    schema = replace(SCHEMA, properties={**SCHEMA.properties, "fieldsMatch": "subset"})
    with pytest.raises(TableError, match="or the same in another order"):
        spread(mapped(frame_of(CELLS), shuffle), schema, unit=UnitRule(column="who", max_rows=2, coins=Streams(4)))


@pytest.mark.parametrize("policy", ["refuse", "drop"])
def test_rows_of_one_unit_that_trade_places_are_refused(tmp_path: Path, policy: Any) -> None:
    """The units come in the same order, and what each row counts would fall to other rows; where rows were left out
    between them, to those of other units."""
    later = str(tmp_path / "later")

    def trade(batch: Any) -> Any:
        import os

        order = list(range(batch.num_rows))
        return batch.take(order[::-1]) if os.path.exists(later) else batch

    cells = {"a": ["x", "y", "x", "y", "y", "x"], "b": ["z", "y", "x", "x", "y", "y"], "who": list("ABAABA")}
    fields = [{"name": name, "categories": ["x", "y", "z"]} for name in "ab"]
    schema = Schema.from_dict({"fields": fields, "fieldsMatch": "subset"})
    rules = () if policy == "refuse" else SCHEMA.dependencies
    declared = DeclaredRows(fields=schema.fields, dependencies=rules, policy=policy, dropping=True)
    unit = UnitRule(column="who", max_rows=1, coins=Streams(4))
    frame = mapped(frame_of(pa.table(cells), 1), trade)
    counter = spread(frame, schema, unit=unit, declared=declared)
    spread_once = counter._passes  # what was counted is kept, so that nothing would be asked for again
    assert spread_once.tables([Marginal.of(0, 1)], lambda done: None)[0].sum() == 2
    Path(later).touch()
    with pytest.raises(TableError, match="or the same in another order"):
        spread_once.tables([Marginal.of(0, 1)], lambda done: None)


def test_a_file_that_changes_or_vanishes_is_refused(folder: Path) -> None:
    counter = spread(folder, replace(SCHEMA, properties={**SCHEMA.properties, "fieldsMatch": "subset"}))
    pq.write_table(CELLS.slice(0, 200), folder / "1.parquet")
    with pytest.raises(TableError, match=r"1\.parquet changed while it was read"):
        counter.count(TRIPLE)
    (folder / "1.parquet").unlink()
    with pytest.raises(TableError, match=r"1\.parquet is gone"):
        counter.count(TRIPLE)


def test_rows_of_a_frame_can_be_brought_here(folder: Path) -> None:
    for engine in ("memory", "stream"):
        counter = open_counter(frame_of(PLAIN), SCHEMA, engine=engine)
        assert equal(counter, MemoryCounter(TABLE), TRIPLE)
    assert isinstance(read_table(frame_of(PLAIN), SCHEMA), Table)


def test_names_that_spark_reads_in_its_own_way_are_taken_as_they_are() -> None:
    names = ["a.b", "A.B", "`", "x y"]
    schema = Schema.from_dict({"fields": [{"name": name, "categories": ["x", "y", "z"]} for name in names]})
    assert equal(spread(frame_of(PLAIN.rename_columns(names)), schema), MemoryCounter(TABLE))


def test_many_two_valued_columns_are_paired_in_one_job() -> None:
    wide = make(60, (2,) * 202, seed=1)
    counter = open_counter(wide, engine="spark")
    assert isinstance(counter, PassCounter)
    both = counter.ones_together(np.arange(202))
    assert np.array_equal(both, MemoryCounter(wide).ones_together(np.arange(202)))
    assert counter.n_passes == 2
