"""Reading tables that do not fit their schema."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy._core.errors import SchemaError, TableError
from understudy.schema import Schema
from understudy.tables import read_loosely, read_table

SCHEMA = Schema.from_dict(
    {
        "fields": [
            {"name": "sex", "categories": ["F", "M"]},
            {"name": "age", "type": "integer", "bins": 4, "constraints": {"minimum": 0, "maximum": 99}},
            {"name": "job", "categories": ["a"], "outside": "other", "constraints": {"required": False}},
        ]
    }
)
cells = st.tuples(
    st.sampled_from(["F", "M", "X", None]), st.sampled_from([0, 50, 99, 100, None]), st.sampled_from(["a", "b", None])
)


@given(st.lists(cells, min_size=1, max_size=20))
def test_cells_that_fit_read_as_ever_and_the_rest_are_counted(rows: list[tuple[str, int, str]]) -> None:
    sex, age, job = zip(*rows, strict=True)
    loose = read_loosely(pa.table({"sex": sex, "age": pa.array(age, pa.int64()), "job": job}), SCHEMA)
    assert loose.columns[0].tolist() == [{"F": 0, "M": 1, None: 2, "X": 3}[cell] for cell in sex]
    assert loose.columns[1].tolist() == [{0: 0, 50: 2, 99: 3, None: 4, 100: 5}[cell] for cell in age]
    assert loose.columns[2].tolist() == [{"a": 0, "b": 1, None: 2}[cell] for cell in job]
    assert [(f.missing, f.outside) for f in loose.faults[:2]] == [
        (sex.count(None), sex.count("X")),
        (age.count(None), age.count(100)),
    ]
    assert loose.faults[2].total == 0
    fits = [i for i, row in enumerate(rows) if row[0] in ("F", "M") and row[1] in (0, 50, 99)]
    if fits:
        strict = read_table(pa.table({"sex": sex, "age": pa.array(age, pa.int64()), "job": job}).take(fits), SCHEMA)
        for mine, theirs in zip(loose.columns, strict.columns, strict=True):
            assert mine[fits].tolist() == theirs.tolist()


def test_columns_of_mixed_types_are_read_cell_by_cell() -> None:
    frame = pd.DataFrame({"sex": ["F", 1, None], "age": ["7", 7.5, 42], "job": ["a", True, b"a"]}, dtype=object)
    loose = read_loosely(frame, SCHEMA)
    assert loose.columns[0].tolist() == [0, 3, 2]
    assert loose.columns[1].tolist() == [0, 5, 1]
    assert loose.faults[1].wrong_type == 1


def test_many_batches_make_one_column() -> None:
    n = 300_000
    age = np.arange(n) % 120
    loose = read_loosely(pa.table({"sex": ["F"] * n, "age": age, "job": ["a"] * n}), SCHEMA)
    assert loose.n == len(loose.columns[1]) == n
    assert loose.faults[1].outside == int((age > 99).sum())


def test_extra_columns_are_named_and_missing_ones_refused() -> None:
    assert read_loosely(pa.table({"x": [1], "sex": ["F"], "age": [1], "job": ["a"]}), SCHEMA).extra == ("x",)
    with pytest.raises(TableError, match="no column 'job'"):
        read_loosely(pa.table({"x": [1], "sex": ["F"], "age": [1]}), SCHEMA)


def test_no_rows_are_refused() -> None:
    with pytest.raises(TableError, match="nothing to compare"):
        read_loosely(pa.table({"sex": pa.array([], pa.string()), "age": pa.array([], pa.int64()), "job": []}), SCHEMA)


def test_a_field_without_a_domain_is_refused() -> None:
    draft = Schema.from_dict({"fields": [{"name": "a", "type": "integer", "origin": "draft"}]})
    assert draft.incomplete
    with pytest.raises(SchemaError):
        read_loosely(pa.table({"a": [1]}), draft)


def test_days_far_away_are_values_too() -> None:
    day = {"name": "day", "type": "date", "bins": 4, "special": ["9999-12-31"]}
    limits = {"minimum": "2020-01-01", "maximum": "2020-12-31"}
    schema = Schema.from_dict({"fields": [{**day, "constraints": limits}]})
    loose = read_loosely(pa.table({"day": ["2020-01-01", "9999-12-31"]}), schema, values=True)
    assert loose.values is not None
    assert np.isfinite(np.asarray(loose.values[0])).all()
