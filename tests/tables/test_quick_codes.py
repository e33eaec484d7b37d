"""Codes by lookup are those of the slow way, cell by cell, whatever else is in the column."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.naive.reading import naive_bins, naive_codes
from understudy.schema import Schema
from understudy.tables import _quick
from understudy.tables._encode import ColumnEncoder
from understudy.tables._kernels import bin_values, code_values

RANGE = {"constraints": {"minimum": 0, "maximum": 30, "required": False}}
FIELDS: dict[str, dict[str, Any]] = {
    "counts": {"type": "integer", "categories": [3, 1, 7]},
    "counts, other": {"type": "integer", "categories": [3, 1], "outside": "other", "constraints": {"required": False}},
    "texts of counts": {"categories": ["1", "2", "-3"]},
    "bins": {"type": "integer", "bins": 4, **RANGE},
    "clipped": {"type": "integer", "bins": 7, "outside": "clip", **RANGE},
    "special": {"type": "integer", "bins": 4, "special": [-1, 99], **RANGE},
    "numbers": {"type": "number", "bins": 7, **RANGE},
    "clipped numbers": {"type": "number", "bins": 3, "outside": "clip", **RANGE},
    "numbers, other": {
        "type": "number",
        "bins": {"edges": [0, 0.1, 0.3, 30], "closed": "left"},
        "outside": "other",
        "special": [-9.5],
        **RANGE,
    },
    "numbers, special": {"type": "number", "bins": 5, "special": [77], **RANGE},
    "number of values": {"type": "number", "categories": [0.5, 3]},
    "years": {"type": "year", "bins": 3, "constraints": {"minimum": 1, "maximum": 9}},
    "dates": {"type": "date", "bins": 2, "constraints": {"minimum": "1970-01-01", "maximum": "1970-01-31"}},
    "truth": {"type": "boolean", "categories": [True, False]},
    "words": {"categories": ["a", "b"], "constraints": {"required": False}},
}
WHOLE = st.one_of(
    st.none(), st.integers(-12, 40) | st.just(99), st.sampled_from([-(2**63), 2**63 - 1, 2**53 + 1, 10**6, -(10**6)])
)
REAL = st.one_of(
    st.none(),
    st.integers(0, 300).map(lambda tenth: tenth / 10),
    st.floats(allow_nan=True),
    st.sampled_from([77.0, -9.5]),
)
WORDS = st.one_of(st.none(), st.sampled_from(["a", "b", "c", "1", " 2", "-3", "7.0", "", "x"]))


@st.composite
def columns(draw: st.DrawFn) -> list[pa.Array]:
    """A column of any type that lookups are made for, in batches."""
    kind = draw(
        st.sampled_from(["int8", "uint16", "int32", "int64", "uint64", "float", "double", "bool", "date32", "d"])
    )
    if kind == "d":
        cells = pa.array(draw(st.lists(WORDS, max_size=20)), pa.string())
        whole = cells.dictionary_encode()
        return [whole, cells.slice(0, len(cells) // 2).dictionary_encode(), whole.slice(3)]
    if kind in ("float", "double"):
        given = draw(st.lists(REAL, max_size=20))
        whole = pa.array(np.array([np.nan if cell is None else cell for cell in given]), pa.float64())
        whole = whole.cast(pa.float32() if kind == "float" else pa.float64(), safe=False)
        mask = pa.array([cell is None for cell in given], pa.bool_())
        whole = pa.compute.if_else(mask, pa.scalar(None, whole.type), whole)
    else:
        least, most = {"int8": (-128, 127), "uint16": (0, 65535), "uint64": (0, 2**64 - 1)}.get(kind, (-(2**63), 2**63))
        least, most = {"int32": (-(2**31), 2**31 - 1), "date32": (-(10**6), 10**6), "bool": (0, 1)}.get(
            kind, (least, most)
        )
        given = [
            None if cell is None else min(max(cell, least), most - 1) for cell in draw(st.lists(WHOLE, max_size=20))
        ]
        whole = pa.array(given, pa.int64() if kind != "uint64" else pa.uint64()).cast(
            "int32" if kind == "date32" else kind
        )
        whole = whole.cast(pa.date32()) if kind == "date32" else whole
    return [whole.slice(0, 5), whole.slice(5)]


def encoded(field: str, batches: list[pa.Array], least: int) -> Any:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_quick, "_FEW_ROWS", least)
        encoder = ColumnEncoder(Schema.from_dict({"fields": [{"name": "x", **FIELDS[field]}]})["x"], show_values=True)
        codes = [encoder.encode(batch) for batch in batches]
    # of the cells that are shown, the first few of each batch; the slow way looks for them among more rows at a time
    problems = {
        trouble: replace(problem, values=tuple(sorted(problem.values))) for trouble, problem in encoder.problems.items()
    }
    return [(batch.dtype, batch.tolist()) for batch in codes], problems, encoder.refusal, encoder.rows


@pytest.mark.one_in(3)
@pytest.mark.parametrize("field", FIELDS)
@given(batches=columns())
@example(
    batches=[pa.array([1, 2, None], pa.int8()), pa.array([300000, 1, 7], pa.int64()), pa.array([-3, 3], pa.int64())]
)
@example(batches=[pa.array([True, None, False]), pa.array([True])])
@example(batches=[pa.array([0.1, 0.3, np.nextafter(0.3, 1), 30.0, -0.0, np.inf, None, 7.0])])
@example(batches=[pa.array([None, None], pa.int32())])
def test_codes_and_problems_are_those_of_the_slow_way(field: str, batches: list[pa.Array]) -> None:
    assert encoded(field, batches, 0) == encoded(field, batches, 1 << 40)


@given(values=st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 15)), low=st.integers(-3, 3))
def test_a_lookup_equals_its_twin(values: list[int], low: int) -> None:
    table = [4, -1, 0, 7, -2]
    codes, odd = np.empty(len(values), dtype=np.uint8), np.empty(len(values), dtype=np.int64)
    n_odd = code_values(np.array(values, dtype=np.int64), low, np.array(table, dtype=np.int32), codes, odd)
    assert (codes.tolist(), odd[:n_odd].tolist()) == naive_codes(values, low, table)


@given(
    values=st.lists(st.floats() | st.sampled_from([0.1, 0.2, 0.7, 1.0]) | st.floats(0, 1)),
    cuts=st.sets(st.sampled_from([0.1, 0.2, 0.3, 0.7, 0.71, 0.711, 0.7111]), max_size=7),
    wrong=st.integers(0, 3),
)
def test_bins_equal_their_twin_whatever_the_first_guess(values: list[float], cuts: set[float], wrong: int) -> None:
    last = np.array([-np.inf, *sorted(cuts), np.inf])
    guess = np.full(12, min(wrong, len(cuts)), dtype=np.uint32)
    codes, odd = np.empty(len(values), dtype=np.uint8), np.empty(len(values), dtype=np.int64)
    n_odd = bin_values(np.array(values, dtype=np.float64), 0.0, 1.0, last, guess, 10.0, codes, odd)
    assert (codes.tolist(), odd[:n_odd].tolist()) == naive_bins(values, 0.0, 1.0, last)
