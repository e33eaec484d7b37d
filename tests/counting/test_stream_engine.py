"""The streaming engine: few passes, within its room, over rows that must stay what they were."""

from __future__ import annotations

import errno
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.counting.awkward import make
from tests.naive.counting import naive_count
from understudy._core.errors import OptionError, OutputError, TableError, UnderstudyWarning
from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter, UnitRule, open_counter
from understudy.counting._batch import Axes, flatten
from understudy.counting._joint import CoverTally, cover
from understudy.counting._known import all_pairs_first, first_tables
from understudy.counting._pass_counter import PassCounter
from understudy.counting._rows import Rows
from understudy.schema import Attribute, Domain, Marginal, Schema, recode
from understudy.tables import DeclaredRows, Source, open_source

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


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.counting._row_batches._ROWS", 64)
    monkeypatch.setattr("understudy.tables._code_reader._MOST_ROWS", 64)


def equal(counter: Any, other: Any, asked: list[Marginal] = ASKED) -> bool:
    both = zip(counter.count(asked), other.count(asked), strict=True)
    return counter.n == other.n and all(np.array_equal(one, two) for one, two in both)


def streamed(rows: Any = PLAIN, **told: Any) -> PassCounter:
    counter = open_counter(rows, SCHEMA, engine="stream", **told)
    assert isinstance(counter, PassCounter)
    return counter


def stream_of(table: pa.Table) -> pa.RecordBatchReader:
    return pa.RecordBatchReader.from_batches(table.schema, iter(table.to_batches(50)))


def test_columns_and_pairs_take_no_pass_beside_the_first_and_nothing_is_counted_twice() -> None:
    counter = streamed()
    counter.count([Marginal.of(2), Marginal.of(3, 1)])
    assert counter.n_passes == 1
    binary = counter.recoded(recode(counter.domain, "binary"))
    assert equal(binary, MemoryCounter(TABLE).recoded(recode(counter.domain, "binary")), [Marginal.of(0, 1, 2)])
    assert counter.n_passes == 1  # two of the three are bits of one column
    triples = [Marginal.of(*some) for some in combinations(range(4), 3)]
    for _ in range(2):
        assert equal(counter, MemoryCounter(TABLE), triples)
    assert equal(counter, MemoryCounter(TABLE), [Marginal.of(2, 0, 1)])
    assert counter.n_passes == 2


def test_a_pair_that_was_not_counted_first_brings_all_others_along(monkeypatch: pytest.MonkeyPatch) -> None:
    table = make(300, (2, 3, 40, 50, 60))
    monkeypatch.setattr(
        "understudy.counting._open_passes.first_tables", lambda domain, room: [Marginal.of(a) for a in range(5)]
    )
    counter = open_counter(table, engine="stream")
    assert isinstance(counter, PassCounter)
    for pair in combinations(range(5), 2):
        assert equal(counter, MemoryCounter(table), [Marginal.of(*pair)])
    assert counter.n_passes == 2


def test_tables_that_there_is_no_room_for_together_take_more_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    for opened in ("_open_stream", "_open_passes"):
        monkeypatch.setattr(f"understudy.counting.{opened}.room_for_tables", lambda memory: 60)
    counter = streamed()
    assert equal(counter, MemoryCounter(TABLE))
    assert counter.n_passes > 3


@pytest.mark.parametrize("kind", ["rows", "stream"])
@pytest.mark.parametrize("policy", [None, "drop", "mend"])
@pytest.mark.parametrize("parts", [None, 1, 60])
def test_units_and_declared_rows_are_treated_as_in_memory(kind: str, policy: Any, parts: int | None) -> None:
    required = policy != "mend"
    written = [{"name": n, "categories": ["x", "y", "z"], "constraints": {"required": required}} for n in "abcd"]
    schema = Schema.from_dict({"fields": written})
    fields = schema.fields
    rows = PLAIN if parts is None else CELLS
    told: dict[str, Any] = {}
    if policy is not None:
        told["declared"] = DeclaredRows(fields=fields, dependencies=SCHEMA.dependencies, policy=policy, dropping=True)
    seen: list[int] = []
    found = []
    for engine in ("memory", "stream"):
        if parts is not None:
            told["unit"] = UnitRule(column="who", max_rows=2, parts=parts, coins=Streams(4))
        given = rows if kind == "rows" else stream_of(rows)
        found.append(open_counter(given, schema, engine=engine, check_rows=seen.append, **told))
    assert equal(found[1], found[0])
    assert seen == [400, 400]


def shuffling(table: pa.Table, **more: Any) -> Source:
    """A source as a query is: the same rows in another order each time that they are read."""
    readings = iter(range(99))

    def batches(wanted: Any, rows: int = 0) -> Any:
        order = np.random.default_rng(next(readings)).permutation(table.num_rows)
        return (batch.columns for batch in table.select(list(wanted)).take(order).to_batches(50))

    return Source(kind="duckdb", names=tuple(table.schema.names), batches=batches, **more)


@pytest.mark.parametrize("policy", ["refuse", "drop", "mend"])
@pytest.mark.parametrize("parts", [1, 60])
def test_a_unit_counts_no_more_than_its_bound_where_each_reading_has_another_order(parts: int, policy: Any) -> None:
    fields = [{"name": n, "categories": ["x", "y", "z"], "constraints": {"required": policy != "mend"}} for n in "abcd"]
    schema = Schema.from_dict({"fields": fields})
    rules = () if policy == "refuse" else SCHEMA.dependencies
    declared = DeclaredRows(fields=schema.fields, dependencies=rules, policy=policy, dropping=True)
    found = []
    for engine in ("memory", "stream"):
        unit = UnitRule(column="who", max_rows=1, parts=parts, coins=Streams(4))
        found.append(open_counter(shuffling(CELLS), schema, engine=engine, unit=unit, declared=declared))
    assert equal(found[1], found[0])
    assert found[1].n <= parts * 134
    assert found[1].n_passes > 2


def test_a_duckdb_relation_with_units_counts_as_in_memory() -> None:
    duckdb = pytest.importorskip("duckdb")
    # one unit has half of all rows, and what a unit's rows hold is the same, so that no coin decides a count
    cells = """with t as (select case when i % 2 = 0 then 0 else i end who from range(4000) r(i))
        select who, substr('xyz', 1 + who::int % 3, 1) a, substr('xyz', 1 + (who * 7 // 5)::int % 3, 1) b,
            case when who = 0 then 'x' else 'y' end c, substr('yz', 1 + (who // 3)::int % 2, 1) d
        from t order by random()"""
    schema = Schema.from_dict({"fields": [{"name": n, "categories": ["x", "y", "z"]} for n in "abcd"]})
    found = []
    for engine in ("memory", "stream"):
        unit = UnitRule(column="who", max_rows=1, coins=Streams(4))
        found.append(open_counter(duckdb.connect().sql(cells), schema, engine=engine, unit=unit))
    assert equal(found[1], found[0])
    assert found[1].count([Marginal.of(2)])[0].tolist() == [1, 2000, 0]


def test_rows_that_break_what_is_declared_are_told_of_across_batches() -> None:
    declared = DeclaredRows(fields=SCHEMA.fields, dependencies=SCHEMA.dependencies, policy="refuse", dropping=True)
    said = []
    for engine in ("memory", "stream"):
        with pytest.raises(TableError) as caught:
            open_counter(PLAIN, SCHEMA, engine=engine, declared=declared)
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert "rows break the dependency" in said[0]


def changing(*tables: pa.Table) -> Any:
    """A source whose rows are those of another table each time."""
    turns = iter(tables)
    return replace(
        open_source(tables[0]), batches=lambda wanted, rows=50: open_source(next(turns)).batches(wanted, rows)
    )


OTHER = pa.table([["x"] * 400] * 4, names=list("abcd"))


@pytest.mark.parametrize("later", [OTHER, PLAIN.slice(1), pa.concat_tables([PLAIN, PLAIN.slice(9, 1)])])
def test_a_source_that_gives_other_rows_later_is_refused(later: pa.Table) -> None:
    counter = streamed(changing(PLAIN, later))
    with pytest.raises(TableError, match=r"changed while it was read|not what it was in the first pass"):
        counter.count([Marginal.of(0, 1, 2)])
    wide = make(40, (2,) * 202, seed=1)  # too many columns for pairs in the first pass
    bits = Schema.from_dict({"fields": [{"name": f"a{i}", "categories": ["n", "y"]} for i in range(202)]})
    one = pa.table({f"a{i}": ["ny"[code] for code in column] for i, column in enumerate(wide.columns)})
    other = one.set_column(7, "a7", pa.array(["y"] * 40))
    again = open_counter(changing(one, one, other), bits, engine="stream")
    assert isinstance(again, PassCounter)
    both = again.ones_together(np.arange(202))
    assert np.array_equal(both, MemoryCounter(wide).ones_together(np.arange(202)))
    with pytest.raises(TableError, match="not what it was in the first pass"):
        again.ones_together(np.arange(202))


def test_a_cell_that_has_no_code_later_is_a_changed_table() -> None:
    broken = PLAIN.set_column(0, "a", pa.array(["?"] + ["x"] * 399))
    with pytest.raises(TableError, match="changed"):
        streamed(changing(PLAIN, broken)).count([Marginal.of(0, 1, 2)])
    with pytest.raises(TableError, match=r"column 'a': 1 value is not among its 3 categories \(row 1\)"):
        streamed(broken)


def test_a_full_disk_ends_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    assert equal(streamed(stream_of(PLAIN)), MemoryCounter(TABLE))
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **told: Path("/dev/full").open("r+b", buffering=0))  # noqa: SIM115
    with pytest.raises(OutputError, match="the disk is full"):
        streamed(stream_of(PLAIN))

    def refuses(**told: Any) -> Any:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuses)
    with pytest.raises(OutputError, match="Permission denied"):
        streamed(stream_of(PLAIN))


def test_rows_are_held_if_they_fit_and_streamed_if_not(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {"known": lambda: PLAIN, "unknown": lambda: stream_of(PLAIN)}
    for make_rows in rows.values():
        assert isinstance(open_counter(make_rows(), SCHEMA, engine="auto"), MemoryCounter)
        assert equal(open_counter(make_rows(), SCHEMA, engine="auto"), MemoryCounter(TABLE))
    for module in ("_choosing", "_open_stream"):
        monkeypatch.setattr(f"understudy.counting.{module}.room_for_rows", lambda memory: 2000)
    for make_rows in rows.values():
        with pytest.warns(UnderstudyWarning, match="So it is streamed"):
            counter = open_counter(make_rows(), SCHEMA, engine="auto")
        assert isinstance(counter, PassCounter)
        assert equal(counter, MemoryCounter(TABLE))
    with pytest.raises(OptionError, match="takes some 0 MB in memory, and there are 0 MB"):
        open_counter(PLAIN, SCHEMA, engine="memory", memory=600_000_000)


@pytest.mark.slow  # compiles the kernels for wider counts
def test_counts_beyond_32_bits_are_kept() -> None:
    axes = Axes.of(TABLE.domain)
    tables = flatten([Marginal.of(0, 1)], axes)
    tally = CoverTally(
        cover(np.array([0]), tables, axes, n_rows=400, zeta=False), axes, n_rows=400, weighted=True, threads=1
    )
    weights = np.full(400, 2**24, dtype=np.uint32)
    for _ in range(3):
        tally.add(Rows(TABLE.columns, 400, weights))
    out = np.empty(tables.offsets[-1], dtype=np.int64)
    tally.finish(tables, out)
    expected = naive_count(TABLE.domain, TABLE.columns, 400, Marginal.of(0, 1))
    assert np.array_equal(out.reshape(expected.shape), expected * 3 * 2**24)


def test_progress_tells_of_each_pass() -> None:
    told: list[tuple[str, int, int]] = []
    streamed(progress=lambda *stage: told.append(stage)).count([Marginal.of(0, 1, 2)])
    assert told[:2] == [("reading the table", 64, 400), ("reading the table", 128, 400)]
    assert told[-1] == ("pass 2 over the rows", 400, 400)


@pytest.mark.parametrize("sizes", [(), (4,), (2, 3), (2, 3, 90), (7, 1, 1, 12, 5)])
def test_whether_all_pairs_fit_is_what_the_first_pass_finds(sizes: tuple[int, ...]) -> None:
    domain = Domain(tuple(Attribute(name=f"c{i}", size=size) for i, size in enumerate(sizes)))
    every = len(sizes) * (len(sizes) + 1) // 2
    for room in range(600):
        assert all_pairs_first(domain, room) == (room >= sum(sizes) and len(first_tables(domain, room)) == every)
