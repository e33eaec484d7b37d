"""A sample in parts: each from a stream of its own, the same wherever it is drawn."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import understudy as us
from understudy._core.errors import OptionError
from understudy._core.randomness import Streams

FIELDS = [
    {"name": "sex", "categories": ["F", "M"]},
    {"name": "age", "type": "integer", "bins": 4, "constraints": {"minimum": 0, "maximum": 99}},
]
MODEL = (
    us.PrivBayes(epsilon=5)
    .fit(pa.table({"sex": ["F", "M"] * 500, "age": list(range(100)) * 10}), {"name": "people", "fields": FIELDS})
    .model_
)


def drawn(part: int, parts: int, n: int, seed: int, **told: object) -> pa.Table:
    return pa.Table.from_batches(MODEL.sample_part(part, parts, n, seed=seed, **told))  # type: ignore[arg-type]


def test_parts_have_all_rows_and_no_two_are_alike() -> None:
    tables = [drawn(part, 3, 1000, seed=7) for part in range(3)]
    assert [table.num_rows for table in tables] == [334, 333, 333]
    assert len({tuple(table["age"].to_pylist()[:100]) for table in tables}) == 3
    assert tables[1] == drawn(1, 3, 1000, seed=7)
    assert tables[1] != drawn(1, 3, 1000, seed=8)
    assert set(drawn(2, 3, 100, seed=7, where={"sex": "F"})["sex"].to_pylist()) == {"F"}
    assert drawn(4, 5, 2, seed=7).num_rows == 0


def test_a_part_is_not_the_whole_of_the_same_seed() -> None:
    whole = pa.Table.from_batches(MODEL.sample_batches(300, seed=7))
    assert drawn(0, 1, 300, seed=7) != whole


def test_streams_of_parts_have_nothing_in_common() -> None:
    draws = [Streams(3).part(part).get("sample", "age").integers(0, 1 << 62, 1000) for part in range(8)]
    assert len(np.unique(np.concatenate(draws))) == 8000
    assert len({Streams(3).part(part).root for part in range(10_000)}) == 10_000


@pytest.mark.parametrize(
    ("part", "parts", "said"),
    [
        (3, 3, "the parts of a sample are numbered"),
        (-1, 3, "'part' parameter must be a whole number of at least 0. Got -1"),
        (0, 0, "'parts' parameter must be a whole number of at least 1. Got 0"),
    ],
)
def test_a_part_that_there_is_not_is_refused(part: int, parts: int, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        drawn(part, parts, 10, seed=1)
