"""Reading a real and a synthetic table into one domain."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy._core.errors import OptionError, TableError
from understudy._core.randomness import streams
from understudy.evaluation import draw_fresh_sample, draw_independent_columns, make_references, pair_of_codes, read_pair
from understudy.schema import Schema
from understudy.tables import read_table

SCHEMA = Schema.from_dict(
    {
        "fields": [
            {"name": "sex", "categories": ["F", "M"]},
            {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}, "bins": 4},
            {"name": "member", "type": "boolean"},
        ]
    }
)
REAL = {"sex": ["F", "M", "M"], "age": [10, 30, 99], "member": [True, False, True]}


def table(**changes: list[object]) -> pa.Table:
    return pa.table(REAL | changes)


def test_tables_that_fit_keep_the_domain_of_the_schema() -> None:
    pair = read_pair(table(), table(), SCHEMA)
    assert pair.domain == SCHEMA.domain
    assert not pair.extended
    assert pair.labels == tuple(field.labels for field in SCHEMA.fields)
    assert [c.tolist() for c in pair.real.columns] == [c.tolist() for c in read_table(table(), SCHEMA).columns]


def test_missing_on_one_side_only_gets_a_code_on_both() -> None:
    for real, synthetic in [(table(), table(age=[None, 30, 99])), (table(age=[None, 30, 99]), table())]:
        pair = read_pair(real, synthetic, SCHEMA)
        assert [a.size for a in pair.domain] == [2, 5, 2]
        assert pair.labels[1][-1] == "missing"
        counts = [side.columns[1].tolist().count(4) for side in (pair.real, pair.first)]
        assert sorted(counts) == [0, 1]
        assert pair.faults.real.columns[1].missing + pair.faults.synthetic[0].columns[1].missing == 1


def test_other_categories_and_values_beyond_the_range_are_outside_the_schema() -> None:
    pair = read_pair(table(), table(sex=["F", "X", "f"], age=[100, -1, 5]), SCHEMA)
    assert pair.labels[0] == ("F", "M", "outside the schema")
    assert pair.first.columns[0].tolist() == [0, 2, 2]
    assert pair.first.columns[1].tolist() == [4, 4, 0]
    assert [c.outside for c in pair.faults.synthetic[0].columns] == [2, 2, 0]


def test_missing_and_outside_are_told_apart() -> None:
    pair = read_pair(table(sex=["F", None, "M"]), table(sex=["X", None, "M"]), SCHEMA)
    assert pair.labels[0] == ("F", "M", "missing", "outside the schema")
    assert pair.real.columns[0].tolist() == [0, 2, 1]
    assert pair.first.columns[0].tolist() == [3, 2, 1]


def test_cells_of_another_type_are_outside_the_schema() -> None:
    pair = read_pair(table(), table(age=["ten", "30", "99.0"]), SCHEMA)
    assert pair.first.columns[1].tolist() == [4, 1, 3]
    assert pair.faults.synthetic[0].columns[1].wrong_type == 1


def test_the_new_codes_stay_apart_at_every_level() -> None:
    pair = read_pair(table(), table(age=[None, 30, 500]), SCHEMA)
    age = pair.domain[1]
    assert age.size == 6
    assert age.n_levels == SCHEMA.domain[1].n_levels
    for level in range(age.n_levels):
        groups = age.groups_at(level)
        assert np.count_nonzero(groups == groups[4]) == 1
        assert np.count_nonzero(groups == groups[5]) == 1


def test_labels_do_not_collide_with_categories_of_the_same_name() -> None:
    schema = Schema.from_dict({"fields": [{"name": "a", "categories": ["missing", "outside the schema"]}]})
    pair = read_pair(pa.table({"a": ["missing", None]}), pa.table({"a": ["x"]}), schema)
    assert pair.labels[0] == ("missing", "outside the schema", "(missing)", "(outside the schema)")


def test_tables_of_every_kind_read_the_same() -> None:
    frame = pd.DataFrame({"sex": ["F", "M", "M"], "age": [10.0, 30.0, 99.0], "member": ["True", "False", "True"]})
    for synthetic in (frame, pl.DataFrame(REAL), table()):
        pair = read_pair(frame, synthetic, SCHEMA)
        assert [c.tolist() for c in pair.first.columns] == [c.tolist() for c in pair.real.columns]
    assert read_pair(frame, table(), SCHEMA).kind == "pandas"


def test_extra_columns_are_left_out_and_noted() -> None:
    pair = read_pair(table(), table(note=["x", "y", "z"]), SCHEMA)
    assert pair.faults.synthetic[0].extra == ("note",)
    assert pair.faults.real.extra == ()
    assert len(pair.domain) == 3


def test_missing_columns_are_named_for_both_tables() -> None:
    with pytest.raises(TableError) as caught:
        read_pair(table().drop_columns(["sex"]), table().drop_columns(["age"]), SCHEMA)
    assert [fault.split(",")[0] for fault in caught.value.faults] == [
        "real table: the table has no column 'sex'",
        "synthetic table: the table has no column 'age'",
    ]


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(TableError, match="synthetic table 2: the table has a header but no rows"):
        read_pair(table(), [table(), table().slice(0, 0)], SCHEMA)


def test_no_synthetic_table_at_all_is_refused() -> None:
    with pytest.raises(OptionError, match="Give at least one"):
        read_pair(table(), [], SCHEMA)
    with pytest.raises(OptionError, match="Give at least one"):
        pair_of_codes(SCHEMA, read_table(table(), SCHEMA), [])


def test_several_synthetic_tables_share_one_domain() -> None:
    pair = read_pair(table(), [table(), table(sex=["X", "F", "M"])], SCHEMA)
    assert len(pair.synthetic) == 2
    assert all(side.domain is pair.domain for side in (pair.real, *pair.synthetic))


def test_one_row_is_enough() -> None:
    pair = read_pair(table().slice(0, 1), table().slice(2, 1), SCHEMA)
    references = make_references(pair)
    assert references.fresh_sample.n == references.independent_columns.n == 1


def test_references_have_as_many_rows_as_the_synthetic_table_and_are_repeatable() -> None:
    pair = read_pair(table(), pa.concat_tables([table()] * 5), SCHEMA)
    one, two = make_references(pair, seed=3), make_references(pair, seed=3)
    assert one.fresh_sample.n == one.independent_columns.n == 15
    for left, right in ((one.fresh_sample, two.fresh_sample), (one.independent_columns, two.independent_columns)):
        assert all((a == b).all() for a, b in zip(left.columns, right.columns, strict=True))


@given(st.integers(0, 2**32), st.integers(1, 40))
def test_the_fresh_sample_holds_real_rows_and_independent_columns_real_values(seed: int, n: int) -> None:
    real = read_table(table(), SCHEMA)
    rows = set(zip(*(c.tolist() for c in real.columns), strict=True))
    fresh = draw_fresh_sample(real, streams(seed).get("fresh_sample"), n_rows=n)
    independent = draw_independent_columns(real, streams(seed).get("independent_columns"), n_rows=n)
    assert fresh.n == independent.n == n
    assert set(zip(*(c.tolist() for c in fresh.columns), strict=True)) <= rows
    for mine, theirs in zip(independent.columns, real.columns, strict=True):
        assert set(mine.tolist()) <= set(theirs.tolist())


def test_independent_columns_break_what_a_fresh_sample_keeps() -> None:
    column = np.arange(2000) % 2
    schema = Schema.from_dict({"fields": [{"name": n, "categories": ["x", "y"]} for n in "ab"]})
    real = read_table(pa.table({n: np.where(column, "y", "x") for n in "ab"}), schema)
    fresh, independent = (make(real, streams(1).get("t")) for make in (draw_fresh_sample, draw_independent_columns))
    agree = [float((t.columns[0] == t.columns[1]).mean()) for t in (fresh, independent)]
    assert agree[0] == 1.0
    assert 0.4 < agree[1] < 0.6
