"""How much a unit's rows count: never more than its bound, by coins alone, and the same in every engine."""

from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.counting.awkward import AWKWARD, marginals_of
from tests.naive.counting import naive_count
from tests.spark.session import skip_without_spark
from understudy._core.errors import TableError
from understudy._core.randomness import Streams
from understudy.counting import ENGINES, MemoryCounter, UnitRule, open_counter
from understudy.schema import Schema, recode
from understudy.tables import Table, read_units

SCHEMA = Schema.from_dict(
    {
        "missingValues": ["", "NA"],
        "fields": [{"name": "a", "categories": ["x", "y", "z"]}, {"name": "b", "type": "boolean"}],
    }
)


class Coins:
    """Streams whose one permutation is given."""

    def __init__(self, order):
        self.order = np.array(order)

    def get(self, *name):
        return self

    def permutation(self, n):
        assert n == len(self.order)
        return self.order


def rule(max_rows, parts=1, coins=None):
    return UnitRule(column="who", max_rows=max_rows, parts=parts, coins=coins or Streams(0))


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=40),
    st.integers(1, 6),
    st.sampled_from([1, 2, 60]),
    st.integers(0, 99),
)
def test_a_unit_counts_its_rows_or_its_bound(units, max_rows, parts, seed):
    units = np.array(units) * 7
    weights = rule(max_rows, parts, Streams(seed)).weights(units)
    for unit in set(units.tolist()):
        mine = weights[units == unit]
        assert mine.sum() == parts * min(len(mine), max_rows)
        assert mine.max() - mine.min() <= 1  # shared as evenly as whole parts allow
        if len(mine) <= max_rows:
            assert set(mine.tolist()) == {parts}


def test_rows_are_kept_with_equal_chance_and_units_do_not_meddle():
    """Over all orders that coins can make: a row of unit 0 in one of three cases, whatever becomes of unit 1."""
    units, joint = np.array([0, 0, 0, 1, 1]), {}
    for order in permutations(range(5)):
        weights = rule(1, coins=Coins(order)).weights(units)
        kept = tuple(np.flatnonzero(weights).tolist())
        joint[kept] = joint.get(kept, 0) + 1
    assert joint == {(a, b): 20 for a in (0, 1, 2) for b in (3, 4)}


def test_other_rows_of_a_unit_change_nothing_for_the_others():
    """The law of what other units keep is the same with unit 9 there, changed or gone: what a coupling needs."""
    laws = []
    for others in ([], [9], [9, 9]):
        law = {}
        for order in permutations(range(3 + len(others))):
            weights = rule(1, coins=Coins(order)).weights(np.array([*others, 0, 0, 1]))
            kept = tuple(weights[len(others) :].tolist())
            law[kept] = law.get(kept, 0) + 1
        laws.append({kept: count / sum(law.values()) for kept, count in law.items()})
    assert laws[0] == laws[1] == laws[2] == {(1, 0, 1): 0.5, (0, 1, 1): 0.5}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_weighted_row_counts_as_so_many_rows(name, threads):
    table = AWKWARD[name]()
    weights = (np.arange(table.n) % 7).astype(np.uint32)
    counter = MemoryCounter(table, weights=weights, threads=threads)
    repeated = [np.repeat(column, weights) for column in table.columns]
    assert counter.n == weights.sum()
    wanted = marginals_of(table)
    for marginal, counts in zip(wanted, counter.count(wanted), strict=True):
        assert np.array_equal(counts, naive_count(table.domain, repeated, int(weights.sum()), marginal)), marginal


def test_weights_stay_through_a_recoding():
    table = AWKWARD["plain"]()
    recoding = recode(table.domain, "binary")
    weights = (np.arange(table.n) % 5).astype(np.uint32)
    recoded = MemoryCounter(table, weights=weights).recoded(recoding)
    plain = MemoryCounter(Table(table.domain, tuple(np.repeat(c, weights) for c in table.columns))).recoded(recoding)
    wanted = marginals_of(Table(recoding.target, tuple(recoding.encode(table.columns))))
    for one, other in zip(recoded.count(wanted), plain.count(wanted), strict=True):
        assert np.array_equal(one, other)


# a database refuses units, as tests/databases shows: which rows count is drawn row by row; tests/spark has a case more
@pytest.mark.parametrize(
    "engine",
    [pytest.param(name, marks=pytest.mark.slow if name == "spark" else ()) for name in ENGINES if name != "database"],
)
@pytest.mark.parametrize("parts", [1, 60])
def test_every_engine_counts_what_the_rule_says(engine, parts):
    if engine == "spark":
        skip_without_spark()
    columns = {"a": list("xyzxyzxyz"), "b": [True, False, True] * 3, "who": list("aaaabbbcc")}
    chosen = rule(2, parts)
    table, units = read_units(pa.table(columns), SCHEMA, "who")
    weights = chosen.weights(units)
    counter = open_counter(pa.table(columns), SCHEMA, engine=engine, unit=chosen)
    assert counter.n == 6 * parts
    for marginal in marginals_of(table):
        [counts] = counter.count([marginal])
        repeated = [np.repeat(column, weights) for column in table.columns]
        assert np.array_equal(counts, naive_count(table.domain, repeated, 6 * parts, marginal))


def _read(values, **kinds):
    n = len(values)
    return read_units(pa.table({"a": ["x"] * n, "b": [True] * n, "who": pa.array(values, **kinds)}), SCHEMA, "who")[1]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([7, 8, 7], pa.int64()),
        ([7.0, 8.5, 7.0], pa.float64()),
        (["7", "8", " 7 "], pa.string()),
        (["Zo\u00eb", "Zoe", "Zoe\u0308"], pa.string()),
        (["7", "8", "7"], pa.dictionary(pa.int8(), pa.string())),
        ([True, False, True], pa.bool_()),
        ([7, 8, 7], pa.decimal128(5, 2)),
        ([7, 8, 7], pa.date32()),
        ([7, 8, 7], pa.timestamp("s")),
        ([b"7", b"8", b"7"], pa.binary()),
    ],
    ids=str,
)
def test_units_of_any_type_are_told_apart(values, kind):
    assert _read(values, type=kind).tolist() == [0, 1, 0]


def test_one_unit_written_as_different_types_is_one():
    import pandas as pd

    frame = pd.DataFrame({"a": ["x"] * 5, "b": [True] * 5, "who": pd.Series([12, 12.0, "12", " 12", 13], dtype=object)})
    assert read_units(frame, SCHEMA, "who")[1].tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    "values", [[1, None, 2], ["a", "", "b"], ["a", " NA ", "b"], [1.0, float("nan"), 2.0]], ids=str
)
def test_a_row_without_a_unit_is_refused_by_its_number(values):
    with pytest.raises(TableError, match=r"column 'who' tells units apart, and 1 row has no value there \(row 2\)"):
        _read(values)


def test_a_unit_column_without_any_value_is_refused():
    with pytest.raises(TableError, match="it is empty"):
        _read([None, None], type=pa.int64())


def test_all_faults_of_a_table_are_told_together():
    table = pa.table({"a": ["x", "?"], "b": [True, True], "who": [1, None]})
    with pytest.raises(TableError) as found:
        read_units(table, SCHEMA, "who")
    assert len(found.value.faults) == 2


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b", "whom"], "no column 'who' to tell units apart. Did you mean 'whom'"),
        (["p", "q", "r"], "no column 'who' to tell units apart.$"),
    ],
)
def test_a_unit_column_that_is_not_there_is_refused(names, message):
    with pytest.raises(TableError, match=message):
        read_units(pa.table({name: ["x"] for name in names}), SCHEMA, "who")


def test_a_unit_column_that_would_be_published_is_refused():
    with pytest.raises(TableError, match="Take it out of the schema's fields"):
        read_units(pa.table({"a": ["x"], "b": [True]}), SCHEMA, "a")
